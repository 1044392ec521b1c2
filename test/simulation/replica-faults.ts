import type { Fault } from './faults.js';
import { WATCH, type ReplicatedStore } from './redis/replicated-store.js';
import type { RedisServer } from './redis/server.js';
import type { Random } from './world/random.js';
import type { World } from './world/world.js';

type Away = (world: World, random: Random) => number;

/** How far a replica is behind that is in trouble, milliseconds. */
const LAGS_MS = [20, 200, 3000];
/** How long a former master goes on as one, where it is there again before it is told, milliseconds. */
const UNTOLD_MS = 500;
/** How long other replicas go on to copy a former master, milliseconds: a Sentinel tells them when the next one says that it is. */
const STAYS_MS = 1000;

/** Faults of a store with replicas that the product waits for. */
export const OF_REPLICAS: ReadonlySet<string> = new Set([
  ...['store-gone', 'store-away', 'store-parted', 'store-handed-over'],
  ...['replica-away', 'replica-lags'],
]);

/**
 * @param away how long a fault lasts, milliseconds
 */
export function replicaFaults(away: Away): Record<string, Fault> {
  /** Until the master's end is noticed, milliseconds: less than what else waits for it. */
  const noticing = (world: World, random: Random): number => away(world, random) / 4;
  return {
    'store-gone': {
      about:
        'the machine of the master is lost with all that it had, and a replica takes its place',
      happen: (world, random) =>
        alone(world, (replicated) => {
          const { master, plan } = replicated;
          const lost = [master];
          const [first, second] = replicated.best();
          if (plan.loses && second && random.chance(0.5)) lost.push(first!);
          const isLeft = (server: RedisServer): boolean => !lost.includes(server);
          if (!replicated.mayPromote(isLeft)) return null;
          return async () => {
            for (const one of lost) {
              world.tell(one.host, 'is lost with its machine');
              one.stop(random.chance(0.5));
            }
            await world.scheduler.pause(noticing(world, random));
            await promote(world, isLeft);
            await world.scheduler.pause(away(world, random) / 4);
            for (const one of lost) {
              world.tell(one.host, 'is another machine, which has nothing');
              one.forget();
              one.start();
              replicated.rejoin(one);
            }
          };
        }),
    },
    'store-away': {
      about:
        'the master dies or stands still; it is there again as master, or as replica of the next',
      happen: (world, random) =>
        alone(world, (replicated) => {
          const { master, plan } = replicated;
          const isLeft = (server: RedisServer): boolean => server !== master;
          const isReplaced = random.chance(0.7) && replicated.mayPromote(isLeft);
          return async () => {
            const isDead = random.chance(0.5);
            const [ms, more] = [noticing(world, random), away(world, random) / 4];
            world.tell(
              master.host,
              isDead ? 'dies' : `stands still for ${Math.round(ms + more)} ms`,
            );
            if (isDead) master.stop();
            else master.standStill(ms + more);
            await world.scheduler.pause(ms);
            const staying = !isDead && random.chance(0.5) ? random : null;
            const told = isReplaced ? promote(world, isLeft, undefined, staying) : null;
            // Whoever takes its word for it would lose what it answers.
            if (isReplaced && plan.wanted === 0 && !isDead) master.stop();
            await world.scheduler.pause(more);
            if (isReplaced && plan.wanted === 0) replicated.rejoin(master);
            if (master.isDown) master.start();
            world.tell(master.host, 'is there again');
            if (!isReplaced) return;
            await told;
            await world.scheduler.pause(random.between(0, UNTOLD_MS));
            demote(world, master);
          };
        }),
    },
    'store-parted': {
      about:
        'the master and some nodes are cut off from its replicas and the other nodes; one of those takes its place',
      happen: (world, random) =>
        alone(world, (replicated) => {
          const { master, plan } = replicated;
          const isLeft = (server: RedisServer): boolean => server !== master;
          if (plan.wanted === 0 || !replicated.mayPromote(isLeft)) return null;
          const near = world.nodes.filter(() => random.chance(0.4)).map(({ name }) => name);
          const far = world.nodes.map(({ name }) => name).filter((name) => !near.includes(name));
          const servers = [...replicated.hosts.filter((host) => host !== master.host), WATCH];
          return async () => {
            world.tell(
              'network',
              `${[master.host, ...near].join(', ')} are cut off from the others`,
            );
            const each = (act: (from: string, to: string) => void): void => {
              for (const one of [master.host, ...near]) {
                for (const other of [...servers, ...far]) {
                  act(one, other);
                  act(other, one);
                }
              }
            };
            each((from, to) => world.network.cut(from, to));
            await world.scheduler.pause(noticing(world, random));
            await promote(world, isLeft, far);
            await world.scheduler.pause(away(world, random));
            const breaking = random.chance(0.5);
            world.tell('network', `${master.host} is reached again`);
            each((from, to) => world.network.heal(from, to, breaking));
            await world.scheduler.pause(random.between(0, UNTOLD_MS));
            demote(world, master);
          };
        }),
    },
    'store-handed-over': {
      about:
        'a replica takes the place of a master that is well; it, its clients and the others hear of that later',
      happen: (world, random) =>
        alone(world, (replicated) => {
          const { master, plan } = replicated;
          const isLeft = (server: RedisServer): boolean => server !== master;
          if (!plan.changes || plan.wanted === 0 || !replicated.mayPromote(isLeft)) return null;
          return async () => {
            await promote(world, isLeft, [], random);
            replicated.tell(world.nodes.map(({ name }) => name));
            await world.scheduler.pause(random.between(0, UNTOLD_MS));
            demote(world, master);
          };
        }),
    },
    'replica-away': {
      about: 'a replica dies, or its machine is lost, and one is there again',
      happen: (world, random) =>
        alone(world, (replicated) => {
          const { copies } = replicated;
          if (copies.length === 0) return null;
          const replica = random.pick(copies);
          return async () => {
            const isLost = random.chance(0.3);
            world.tell(replica.host, isLost ? 'is lost with its machine' : 'dies');
            replica.stop(random.chance(0.5));
            await world.scheduler.pause(away(world, random) / 4);
            world.tell(replica.host, 'is there again');
            if (isLost) replica.forget();
            replica.start();
            replicated.rejoin(replica);
          };
        }),
    },
    'replica-lags': {
      about: 'a replica is far behind its master',
      happen: async (world, random) => {
        const copies = world.replicated?.copies ?? [];
        if (copies.length === 0) {
          world.missed++;
          return;
        }
        const replica = random.pick(copies);
        const [ms, usual] = [random.pick(LAGS_MS), replica.lagMs];
        world.tell(replica.host, `is up to ${ms} ms behind`);
        replica.lagMs = ms;
        await world.scheduler.pause(away(world, random));
        replica.lagMs = Math.min(replica.lagMs, usual);
      },
    },
  };
}

/** One server is lost at a time, as far as the plan does not say otherwise. @param begin null where it cannot be now */
async function alone(
  world: World,
  begin: (replicated: ReplicatedStore) => (() => Promise<void>) | null,
): Promise<void> {
  const { replicated } = world;
  const act = replicated && !replicated.isChanging ? begin(replicated) : null;
  if (!replicated || !act) {
    world.missed++;
    return;
  }
  replicated.isChanging = true;
  await act();
  replicated.isChanging = false;
}

/**
 * @param heard nodes that hear of it
 * @param staying decides which other replicas go on to copy the former master for a while; null: none
 * @returns resolves when all follow it
 */
async function promote(
  world: World,
  isLeft: (server: RedisServer) => boolean,
  heard: readonly string[] = world.nodes.map(({ name }) => name),
  staying: Random | null = null,
): Promise<void> {
  const replicated = world.replicated!;
  const [next] = replicated.best(isLeft);
  world.tell(next!.host, 'is the master from now on');
  world.counted('promotions of replicas');
  const { changes, wanted } = replicated.plan;
  const stayed: RedisServer[] = [];
  const stays = (server: RedisServer): boolean => {
    if (!staying || !changes || wanted === 0 || staying.chance(0.3)) return false;
    stayed.push(server);
    return true;
  };
  replicated.promote(next!, isLeft, heard, stays);
  if (stayed.length === 0) return;
  await world.scheduler.pause(staying!.between(0, STAYS_MS));
  for (const one of stayed) {
    world.tell(one.host, 'copies the new master from now on');
    if (!one.isDown) replicated.rejoin(one);
  }
}

/** A former master hears that it is one no more, and all nodes do. */
function demote(world: World, server: RedisServer): void {
  world.tell(server.host, 'is a replica from now on');
  world.replicated!.rejoin(server);
  world.replicated!.tell(world.nodes.map(({ name }) => name));
}
