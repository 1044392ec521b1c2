import { setTimeout as pause } from 'node:timers/promises';
import type { Address } from '../../exchange/jobs.js';
import type { Driven } from '../load/drive.js';
import { BenchOrganization } from '../organization.js';
import type { ProcessUsage } from './process-usage.js';
import type { ServerProcess } from './server-process.js';

/** Interval at which a condition of a node is looked at, milliseconds. */
const LOOK_MS = 10;
/** Longest wait for a node to take its role. Milliseconds. */
const ROLE_MS = 60_000;

/** Waits for a condition of nodes. @throws Error when it does not come */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let left = ROLE_MS / LOOK_MS; !holds(); left--) {
    if (left <= 0) throw new Error(`${what}: not within ${ROLE_MS} ms`);
    await pause(LOOK_MS);
  }
}

/** What each process spent in a window, milliseconds of CPU. */
export interface Spent {
  readonly leader: number;
  readonly followers: readonly number[];
  /** Null for a store without a process of its own. */
  readonly store: number | null;
}

/** One organization served by several processes of this machine: its server, which leads, and followers. */
export class BenchNodes implements Driven {
  readonly followers: ServerProcess[] = [];
  private former: readonly ProcessUsage[] = [];
  private latest: readonly ProcessUsage[] = [];

  private constructor(readonly organization: BenchOrganization) {}

  /** @param store as in `OrganizationPlan` */
  static async open(users: number, store: string | null): Promise<BenchNodes> {
    return new BenchNodes(await BenchOrganization.open({ users, store, remote: null }));
  }

  get leader(): ServerProcess {
    return this.organization.server!;
  }

  get address(): Address {
    return this.leader.address;
  }

  /** All processes that serve, the leader first. */
  get all(): readonly ServerProcess[] {
    return [this.leader, ...this.followers];
  }

  /** Starts or stops followers until so many processes serve. */
  async scaleTo(count: number): Promise<void> {
    while (this.all.length > count) await this.followers.pop()!.stop();
    while (this.all.length < count) {
      const follower = await this.organization.launch();
      this.followers.push(follower);
      await until('a node follows', () => follower.role === 'follows');
    }
  }

  /** CPU of all processes together, that of the store left out. */
  usage(): ProcessUsage {
    this.former = this.latest;
    const { redis } = this.organization;
    const nodes = this.all.map((node) => node.usage());
    this.latest = redis ? [...nodes, redis.usage()] : nodes;
    const sum = (of: (usage: ProcessUsage) => number): number =>
      nodes.reduce((total, usage) => total + of(usage), 0);
    return { cpuMs: sum((one) => one.cpuMs), residentBytes: sum((one) => one.residentBytes) };
  }

  /** What each process spent between the last two calls of `usage`: the measured window. */
  get spent(): Spent {
    const ms = this.latest.map(({ cpuMs }, i) => cpuMs - this.former[i]!.cpuMs);
    const store = this.organization.redis ? ms.pop()! : null;
    return { leader: ms[0]!, followers: ms.slice(1), store };
  }

  async close(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.stop()));
    await this.organization.close();
  }
}
