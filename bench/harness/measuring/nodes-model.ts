import { rounded, type Figures } from './figures.js';

/** What the model of many nodes starts from: measured with a few, CPU in microseconds. */
export interface NodeCosts {
  /** Of the leader, per entry that it writes, without followers. */
  readonly entry: number;
  /** Of the leader, per entry and follower. */
  readonly perFollower: number;
  /** Of a follower, per entry that it folds. */
  readonly fold: number;
  /** Of any node, per delivery to a client of its own. */
  readonly delivery: number;
  /** Of Redis, per entry; null for the embedded store. */
  readonly storeEntry: number | null;
  /** Of Redis, per entry and follower. */
  readonly storePerFollower: number | null;
  /** Bytes that Redis sends, per entry and follower. */
  readonly storeBytes: number | null;
}

/** Share of a core that a process may use: beyond it, latencies grow. */
const USABLE = 0.7;

/** Numbers of nodes for which the curve is shown. */
export const MODELLED = [1, 2, 4, 8, 16, 32, 64] as const;

/**
 * What so many nodes carry, each with a core of its own, while the leader writes so many entries a second:
 * a node spends on deliveries what writing, followers and folding leave of its core.
 */
export function modelled(costs: NodeCosts, nodes: number, entriesPerSecond: number): Figures {
  const followers = nodes - 1;
  const second = 1e6;
  const writing = (entriesPerSecond * (costs.entry + followers * costs.perFollower)) / second;
  const folding = (entriesPerSecond * costs.fold) / second;
  const left = (used: number): number => Math.max(0, USABLE - used);
  const cores = left(writing) + followers * left(folding);
  const { storeEntry, storePerFollower, storeBytes } = costs;
  const store =
    storeEntry === null
      ? null
      : (entriesPerSecond * (storeEntry + followers * (storePerFollower ?? 0))) / second;
  return {
    ops_per_second: Math.round((cores * second) / costs.delivery),
    leader_share: rounded(writing),
    follower_share: nodes === 1 ? null : rounded(folding),
    redis_share: store === null ? null : rounded(store),
    redis_mbit_per_second:
      storeBytes === null ? null : rounded((entriesPerSecond * followers * storeBytes * 8) / 1e6),
  };
}
