/** How the machine of a store's master fails, and how it comes back. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '../machines/hosts.js';
import type { RedisHost } from '../machines/redis-host.js';
import type { StoreMachines } from '../machines/store-machines.js';
import type { NodeGroup } from './node-group.js';

/** Those who fail. */
export interface Places {
  readonly store: StoreMachines;
  readonly group: NodeGroup;
  /** Hosts of the nodes, in the order of the group. */
  readonly nodeHosts: readonly Host[];
  readonly random: () => number;
}

/** A failure that has begun. @returns its end, to be called when a replica has taken the master's place */
export type StoreMishap = (places: Places) => Promise<() => Promise<void>>;

/** How long the old master stays away once another is there, milliseconds. */
const AWAY_MS = 1500;

/** A process that comes back thinks that it is master: those who watch see to it, or somebody does. */
async function back({ store, random }: Places, old: RedisHost): Promise<void> {
  if (random() < 0.5) await store.follow(old);
}

const killed: StoreMishap = async ({ store, random }) => {
  const old = store.master;
  await old.kill();
  return async () => {
    await pause(random() * AWAY_MS);
    await store.restart(old);
  };
};

const killedWithLeader: StoreMishap = async (places) => {
  const { leader } = places.group;
  const [end] = await Promise.all([killed(places), leader?.server.kill()]);
  return async () => {
    await end();
    await leader?.start();
  };
};

const stopped: StoreMishap = async (places) => {
  const old = places.store.master;
  old.stop();
  return async () => {
    await pause(places.random() * AWAY_MS);
    old.goOn();
    await back(places, old);
  };
};

const handedOver: StoreMishap = async ({ store }) => {
  await store.handOver();
  return () => Promise.resolve();
};

const cutOff =
  (withLeader: boolean): StoreMishap =>
  async (places) => {
    const { store, group, nodeHosts, random } = places;
    const old = store.master;
    const leader = group.nodes.findIndex(({ role }) => role === 'leads');
    const own = withLeader ? nodeHosts[leader] : undefined;
    store.hosts.cutOff([old.host, ...(own ? [own] : [])]);
    return async () => {
      await pause(random() * AWAY_MS);
      store.hosts.heal();
      await back(places, old);
    };
  };

/** Those that need nothing of the network. */
export const MISHAPS: ReadonlyMap<string, StoreMishap> = new Map([
  ['killed', killed],
  ['stopped', stopped],
  ['killed with the leading node', killedWithLeader],
  ['handed over', handedOver],
]);

export const CUTS: ReadonlyMap<string, StoreMishap> = new Map([
  ['cut off', cutOff(false)],
  ['cut off with the leading node', cutOff(true)],
]);

/** Longest time that a replica stands still at once, milliseconds: less than those who watch take for a death. */
const LAG_MS = 700;

/** Makes one replica lag: it stands still for a while, again and again, until the signal aborts. */
export async function lag({ store, random }: Places, signal: AbortSignal): Promise<void> {
  const replica = store.replicas[Math.floor(random() * store.replicas.length)]!;
  while (!signal.aborted) {
    replica.stop();
    await pause(random() * LAG_MS, undefined, { signal }).catch(() => undefined);
    replica.goOn();
    await pause(random() * 200, undefined, { signal }).catch(() => undefined);
  }
}
