/**
 * The replicas that a change must be at before it counts without a question: all that were in step with the master when it was
 * last known to be one. A replica that was promoted meanwhile has left its former master, so one of them is missing there, and
 * those that are left say nothing. As the in-sync replicas of Kafka, which only the controller makes fewer.
 */
import { parseInfo } from './checks.js';
import { replicasIn } from './replica-list.js';

/** What a master said behind a change. */
export interface Acknowledged {
  /** How many replicas it waited for. */
  readonly asked: number;
  /** How many have the change. */
  readonly have: number;
  /** `INFO replication`, asked behind that. */
  readonly info: string;
}

/** The in-sync replicas of one master, by their addresses. */
export class InSync {
  /** Null: nobody has confirmed the master yet. */
  #members: ReadonlySet<string> | null = null;
  /** Those that are connected, and that nobody waits for until they have what the master had then. */
  readonly #slow = new Map<string, number>();

  /** How many are waited for. */
  get size(): number {
    return this.#members?.size ?? 0;
  }

  /**
   * Whether all of them have a change, and none has left. Those that have come, or have caught up, belong to them from the next
   * one on.
   */
  haveAll({ have, info }: Acknowledged): boolean {
    const members = this.#members;
    if (members === null) return false;
    const { online, had } = listed(have, info);
    for (const name of members) if (!had.has(name)) return false;
    // It may have caught up a moment ago, and been promoted.
    for (const name of this.#slow.keys()) if (!online.has(name)) return false;
    this.admit(info);
    return true;
  }

  /** Adds those that have come, or have caught up. */
  admit(info: string): void {
    const { online } = listed(0, info);
    for (const [name, upTo] of [...this.#slow]) {
      if ((online.get(name) ?? 0) >= upTo) this.#slow.delete(name);
    }
    const come = [...online.keys()].filter((name) => !this.#slow.has(name));
    this.#members &&= new Set([...this.#members, ...come]);
  }

  /** The master was confirmed after this: those that it waited for in vain are waited for no more. */
  confirmed({ asked, have, info }: Acknowledged): void {
    const { online, had, offset } = listed(have, info);
    const isInVain = asked >= online.size;
    this.#members = isInVain ? had : new Set(online.keys());
    this.#slow.clear();
    for (const name of online.keys()) {
      if (!this.#members.has(name)) this.#slow.set(name, offset);
    }
  }
}

/** Connected replicas with how far they have come, those that have the change, and how far their master has. */
function listed(have: number, info: string) {
  const facts = parseInfo(info);
  const replicas = replicasIn(facts).filter(({ isOnline }) => isOnline);
  const online = new Map(replicas.map(({ host, port, offset }) => [`${host}:${port}`, offset]));
  // Those that have it are further than those that lack it.
  const least = [...online.values()].sort((a, b) => b - a)[have - 1] ?? Infinity;
  const had = new Set([...online.keys()].filter((name) => online.get(name)! >= least));
  return { online, had, offset: Number(facts.get('master_repl_offset')) };
}
