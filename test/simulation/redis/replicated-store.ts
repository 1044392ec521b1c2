import type { Network } from '../world/network.js';
import type { Random } from '../world/random.js';
import type { Database } from './database.js';
import { RedisServer, STORE } from './server.js';

/** A store of several servers, as a plan draws it. */
export interface ReplicasPlan {
  /** How many replicas a change waits for (`--store-replicas`). */
  readonly wanted: number;
  /** How many there are. */
  readonly count: number;
  /** What the servers are: before 7.2 the product waits with WAIT, from then on with WAITAOF. */
  readonly version: string;
  /** Whether Sentinels promote replicas: they tell clients of a new master, which change their connections, and can be asked. */
  readonly changes: boolean;
  /** How far each replica may be behind, milliseconds. */
  readonly lagsMs: readonly number[];
  /** Whether more machines may be lost than a change waits for. */
  readonly loses: boolean;
}

/** Where those are asked who promote replicas, if the plan has any: a majority of Sentinels that are never parted. */
export const WATCH = 'watch';
export const WATCH_PORT = 26_379;

/** Until a node hears of a new master, milliseconds. */
const HEARD_MS = 200;

/** What the run does when another server leads. */
interface StoreEvents {
  /** The newest position that a server has, of those up to one. */
  newest(db: Database, upTo?: number): number;
  /** So many as a change waits for have this position, beside their master. */
  kept(position: number): void;
  /** Another server is the master from now on. */
  promoted(): void;
}

/**
 * A master and its replicas, and who is told which of them is the master. What a master has that the next one lacks is gone,
 * also where it goes on for a while because it cannot know.
 */
export class ReplicatedStore {
  readonly servers: readonly RedisServer[];
  /** The server that was promoted last. */
  master: RedisServer;
  /** The newest position that so many replicas have as a change waits for, or have had. */
  kept = 0;
  /** A server is lost, or another becomes the master: no other fault meddles with that. */
  isChanging = false;
  events: StoreEvents = { newest: () => 0, kept: () => undefined, promoted: () => undefined };
  /** The newest position that each replica of the master has, or had before it was lost. */
  readonly #had = new Map<RedisServer, number>();
  /** When a former master heard last that it is one no more, milliseconds. */
  #rejoinedAt = -Infinity;
  /** Where each node takes the master to be. */
  readonly #views = new Map<string, string>();
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(
    private readonly network: Network,
    private readonly random: Random,
    hasJson: boolean,
    readonly plan: ReplicasPlan,
  ) {
    const { version } = plan;
    this.servers = Array.from({ length: plan.count + 1 }, (_, i) => {
      const host = i === 0 ? STORE : `${STORE}${i + 1}`;
      return new RedisServer(network, random.fork(host), hasJson, { host, version });
    });
    this.master = this.servers[0]!;
    network.listen(WATCH, WATCH_PORT, (end) => {
      end.onData = () => end.send(this.master.host);
    });
    for (const [i, one] of this.servers.entries()) {
      one.onCopied = () => this.counted();
      one.lagMs = plan.lagsMs[i % plan.lagsMs.length]!;
      if (one !== this.master) one.follow(this.master);
    }
  }

  get hosts(): readonly string[] {
    return this.servers.map(({ host }) => host);
  }

  /** Where a node finds the master, as far as it has heard. */
  hostFor(node: string): string {
    return this.#views.get(node) ?? STORE;
  }

  /** Calls a listener whenever a node hears of another master. @returns ends that */
  onHeard(node: string, listener: () => void): () => void {
    const all = this.#listeners.get(node) ?? new Set();
    this.#listeners.set(node, all.add(listener));
    return () => void all.delete(listener);
  }

  /** How much has been kept has changed, perhaps. */
  counted(): void {
    const { wanted } = this.plan;
    const newest = (db: Database): number => this.events.newest(db);
    for (const one of this.copies) {
      this.#had.set(one, Math.max(this.#had.get(one) ?? 0, newest(one.db)));
    }
    const had = [...this.#had.values()].sort((a, b) => b - a);
    const kept = wanted === 0 ? newest(this.master.db) : (had[wanted - 1] ?? 0);
    this.kept = Math.max(this.kept, kept);
    this.events.kept(this.kept);
  }

  /** Whether enough replicas have, or have had, the entry of a position: one with several events has several. */
  isKept(position: number): boolean {
    return this.events.newest(this.master.db, position) <= this.kept;
  }

  /** Replicas of the master that have its copy. */
  get copies(): RedisServer[] {
    return this.servers.filter((one) => one.copyOf === this.master.host);
  }

  /** Of some servers the replicas, first the one that has most, as Sentinel chooses. */
  best(reached: (server: RedisServer) => boolean = () => true): RedisServer[] {
    return this.copies.filter(reached).sort((a, b) => b.offset - a.offset);
  }

  /** Whether one of some servers may become the master: with all that anybody was told of, unless the plan loses some. */
  mayPromote(reached: (server: RedisServer) => boolean): boolean {
    const [next] = this.best(reached);
    if (!next) return false;
    return this.plan.loses || this.plan.wanted === 0 || this.events.newest(next.db) >= this.kept;
  }

  /**
   * A replica becomes the master, and the others that are reached copy it.
   * @param nodes those that hear of it, each a little later
   * @param stays those that go on to copy the former master, until they are told
   */
  promote(
    next: RedisServer,
    reached: (server: RedisServer) => boolean,
    nodes: readonly string[],
    stays: (server: RedisServer) => boolean = () => false,
  ): void {
    const former = this.master;
    next.lead();
    this.master = next;
    next.onChange = former.onChange;
    former.onChange = () => undefined;
    for (const one of this.servers) {
      const isTold = one !== next && one.isReplica && !one.isDown && reached(one);
      if (isTold && !stays(one)) one.follow(next);
    }
    this.events.promoted();
    const newest = this.events.newest(next.db);
    this.kept = Math.min(this.kept, newest);
    this.#had.delete(next);
    for (const [one, had] of this.#had) this.#had.set(one, Math.min(had, newest));
    this.tell(nodes);
  }

  /** A server that is there again, or was cut off, copies the master: what it has beside is gone. */
  rejoin(server: RedisServer): void {
    if (server === this.master || this.master.isDown) return;
    if (!server.isReplica) this.#rejoinedAt = this.network.scheduler.now;
    server.follow(this.master);
  }

  /** Whether a node may have read what a former master has, at a time or later. */
  hadFormer(since: number): boolean {
    const isThere = this.servers.some((one) => one !== this.master && !one.isReplica);
    return isThere || this.#rejoinedAt >= since;
  }

  /** Nodes hear who the master is, each a little later. */
  tell(nodes: readonly string[]): void {
    for (const node of nodes) {
      this.network.scheduler.in(this.random.between(0, HEARD_MS), () => {
        const { host } = this.master;
        if (this.hostFor(node) === host) return;
        this.#views.set(node, host);
        for (const listener of [...(this.#listeners.get(node) ?? [])]) listener();
      });
    }
  }
}
