import { setTimeout as pause } from 'node:timers/promises';
import type { Hosts } from './hosts.js';
import type { RedisHost } from './redis-host.js';

/** Interval at which a condition is looked at again, milliseconds. */
const LOOK_MS = 50;
/** What is not whole by then never will be, milliseconds: the old master is demoted after some ten seconds. */
const WHOLE_MS = 90_000;

/** StoreMachines is a master with its replicas, and those who watch them and promote one. */
export abstract class StoreMachines {
  /** When the present master took the place of the last one, by the clock of this machine; 0: it was the first. */
  promotedAt = 0;
  /** How often one took the place of another. */
  promotions = 0;
  #told: () => void = () => undefined;

  protected constructor(
    readonly hosts: Hosts,
    /** Those that may be master. */
    readonly servers: readonly RedisHost[],
    public master: RedisHost,
  ) {
    for (const server of servers) {
      server.onPromoted = () => {
        this.master = server;
        this.promotedAt = Date.now();
        this.promotions += 1;
        this.#told();
      };
    }
  }

  /** The store's URL for nodes. */
  abstract readonly url: string;

  /** Has a replica take the place of a master that is well, as an operator does who is to look after its machine. */
  abstract handOver(): Promise<void>;

  /** What is missing before the next master may die; null: nothing. */
  protected abstract lacking(): Promise<string | null>;

  /** Has one that died, or was master before, follow the present master at once, as somebody who sees to it. */
  abstract follow(server: RedisHost): Promise<void>;

  /** Starts one that died, as a replica. */
  abstract restart(server: RedisHost): Promise<void>;

  get replicas(): RedisHost[] {
    return this.servers.filter((server) => server !== this.master);
  }

  /** What they said last, and those who watch them, for a report of a failure. */
  get output(): string {
    return this.servers.map(({ place, said }) => `\n${place}:\n${said.join('\n')}`).join('');
  }

  /** Resolves when the next one has become master. */
  promotion(): Promise<void> {
    return new Promise((resolve) => {
      this.#told = resolve;
    });
  }

  /** Waits until all replicas have what the master has, and all who watch know it. @throws Error with what is missing */
  async whole(): Promise<void> {
    const end = Date.now() + WHOLE_MS;
    for (let lacks: string | null = ''; lacks !== null; await pause(LOOK_MS)) {
      lacks = await this.lacking().catch(String);
      if (lacks === null || Date.now() < end) continue;
      throw new Error(`the store is not whole: ${lacks}${this.output}`);
    }
  }

  /**
   * Looks until the signal aborts. @returns since when the present master has had so many replicas, by the clock of this
   * machine; null where it has fewer
   */
  async followedSince(count: number, signal: AbortSignal): Promise<number | null> {
    let since: number | null = null;
    for (let before = this.master; !signal.aborted; await pause(LOOK_MS)) {
      const { master } = this;
      const at = Date.now();
      const online = await onlineReplicas(master).catch(() => null);
      if (master !== before || online === null || online < count) since = null;
      else since ??= at;
      before = master;
    }
    return since;
  }

  /** Why the master is not with all its replicas; null where it is. */
  protected async replicasLack(): Promise<string | null> {
    const { master, replicas } = this;
    const online = await onlineReplicas(master);
    if (online === null) return `${master.place} is no master`;
    return online === replicas.length ? null : `${online} replicas are online`;
  }
}

/** How many replicas a server has that get everything as it comes; null where it is no master. */
async function onlineReplicas(server: RedisHost): Promise<number | null> {
  const view = await server.replication();
  if (view.get('role') !== 'master') return null;
  return [...view].filter(([name, said]) => /^slave\d/.test(name) && /online/.test(said)).length;
}

export async function isDone(sent: Promise<unknown>): Promise<boolean> {
  return sent.then(
    () => true,
    () => false,
  );
}
