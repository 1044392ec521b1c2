import { diskFaults } from './disk-faults.js';
import type { SimNode } from './node/node.js';
import { STORE } from './redis/server.js';
import { replicaFaults } from './replica-faults.js';
import { serviceFaults } from './services/faults.js';
import type { Random } from './world/random.js';
import type { World } from './world/world.js';

/** A fault from its beginning to its end. */
export interface Fault {
  /** What it does, for `--faults list`. */
  readonly about: string;
  /** Makes it happen; resolves when it is over. */
  readonly happen: (world: World, random: Random) => Promise<void>;
}

/** Its clock is put back so long before the first of its processes goes on, milliseconds. */
const AWAKENING_MS = 0.001;

/** How long a machine is away at least, milliseconds: shorter than a lease, and of brief faults a tenth of the longest. */
const LEAST_AWAY_MS = 50;
/** Around the times after which the server gives up: replies of the store, what waits for it, leases. Milliseconds. */
const LIMITS_MS = { least: 3000, most: 24_000 };
/** What a server of the store says that cannot do what it is told, for a while. */
const REFUSALS = [
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica.",
  'MISCONF Redis is configured to save RDB snapshots, but cannot persist on disk',
  'NOREPLICAS Not enough good replicas to write.',
];
/** How far a replica of the store is behind: as ever, and in trouble. Milliseconds. */
const USUAL_LAG_MS = 2;
const LAG_MS = [2, 20, 200, 3000];
/** How far clocks are set, milliseconds. */
const STEP_MS = { least: -3_600_000, most: 3_600_000 };

/** Times that matter lie close together; a few are long. Faults that meet last equally long. */
function away(world: World, random: Random): number {
  const { meeting } = world;
  const ms = meeting?.ms ?? drawnAway(random, world.longestMs);
  if (meeting) meeting.ms = ms;
  return ms;
}

function drawnAway(random: Random, most: number): number {
  const isBrief = most < LIMITS_MS.least;
  if (!isBrief && random.chance(0.3)) return random.between(LIMITS_MS.least, LIMITS_MS.most);
  const least = isBrief ? most / 10 : LEAST_AWAY_MS;
  return least * (most / least) ** random.next();
}

/** Mostly the leader, because most can go wrong there, or who was hit last: faults that meet do what none does alone. */
function victim(world: World, random: Random): SimNode {
  const { nodes, meeting } = world;
  if (meeting?.victim) return meeting.victim;
  const leader = nodes.find(({ state }) => state === 'leads');
  let chosen = leader && random.chance(0.6) ? leader : random.pick(nodes);
  if (world.lastHit && random.chance(0.3)) chosen = world.lastHit;
  world.lastHit = chosen;
  if (meeting) meeting.victim = chosen;
  return chosen;
}

async function brought(world: World, random: Random, ...nodes: SimNode[]): Promise<void> {
  await world.scheduler.pause(away(world, random) / 4);
  for (const node of nodes) {
    world.tell(node.name, 'starts');
    node.start();
  }
}

/** Faults that end a process, of a node or the store. */
export const ENDING: ReadonlySet<string> = new Set([
  ...['crash', 'power', 'stop', 'store-restart', 'store-failover', 'store-gone', 'store-away'],
]);

/** Faults of the server that the store is on, and of the ways to it. */
export const OF_A_SERVER: ReadonlySet<string> = new Set([
  ...['cut-store', 'cut-all', 'store-restart', 'store-failover', 'store-full', 'store-pause'],
  ...['store-refuses', 'store-slow'],
]);

/** Those of a store that is on one server alone. */
export const OF_ONE_SERVER: ReadonlySet<string> = new Set(['store-restart', 'store-failover']);

/** Faults that no seed draws: a plan names them, as those of some nights do. */
export const OF_NIGHTS: ReadonlySet<string> = new Set(['files-fail']);

/** All faults of the simulation by name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  crash: {
    about: 'a process is killed, between two steps or in the middle of one, and started again',
    happen: async (world, random) => {
      const node = victim(world, random);
      if (!node.isUp) world.missed++;
      const outputs = random.chance(0.5) ? 0 : random.int(1, 6);
      world.tell(node.name, `killed${outputs > 0 ? `, after ${outputs} more of its outputs` : ''}`);
      node.kill(outputs);
      if (outputs > 0) await world.scheduler.pause(200);
      node.kill(0);
      await brought(world, random, node);
    },
  },
  power: {
    about:
      'a machine loses its power: its connections just stop, what was not synced is lost or torn',
    happen: async (world, random) => {
      const node = victim(world, random);
      if (!node.isUp) world.missed++;
      world.tell(node.name, 'loses its power');
      node.cutPower();
      // All of its processes, which begin at once.
      const { host } = node.machine;
      const ended = world.nodes.filter(({ machine }) => machine.host === host);
      await brought(world, random, ...ended);
    },
  },
  stop: {
    about: 'a process is stopped in good order and started again',
    happen: async (world, random) => {
      const node = victim(world, random);
      if (!node.isUp) world.missed++;
      world.tell(node.name, 'is asked to stop');
      await node.stop();
      await brought(world, random, node);
    },
  },
  pause: {
    about: 'a process stands still, as after SIGSTOP or in a long pause of its machine',
    happen: async (world, random) => {
      const node = victim(world, random);
      const ms = away(world, random);
      if (!node.isUp) world.missed++;
      world.tell(node.name, `stands still for ${Math.round(ms)} ms`);
      node.process?.pauseUntil(world.scheduler.now + ms);
      await world.scheduler.pause(ms);
    },
  },
  sleep: {
    about:
      'a machine sleeps, as a suspended one: its wall clock goes on, its steady clock and timers stand',
    happen: async (world, random) => {
      const node = victim(world, random);
      const ms = away(world, random);
      const { host } = node.machine;
      const { clock } = host;
      const { scheduler } = world;
      if (!node.isUp || scheduler.now < host.asleepUntil) {
        world.missed++;
        return;
      }
      world.tell(node.name, `sleeps for ${Math.round(ms)} ms`);
      host.asleepUntil = scheduler.now + ms;
      const { startedAt } = clock;
      for (const { process } of host.processes.values()) process.sleep(ms);
      await scheduler.pause(ms - AWAKENING_MS);
      // Unless it lost its power meanwhile.
      if (clock.startedAt === startedAt) clock.startedAt += ms;
    },
  },
  'cut-store': {
    about: 'a node and the store do not reach each other, in one direction or both',
    happen: (world, random) => cut(world, random, victim(world, random).name, world.store.host),
  },
  'cut-all': {
    about: 'no node and the store reach each other, in one direction or both',
    happen: async (world, random) => {
      const ms = away(world, random);
      const ways = random.pick([['there'], ['back'], ['there', 'back']]);
      const breaking = random.chance(0.5);
      world.tell(
        'network',
        `all nodes and the store: ${ways.join(' and ')} is cut for ${Math.round(ms)} ms`,
      );
      const each = (act: (from: string, to: string) => void): void => {
        for (const { name } of world.nodes) {
          for (const host of world.storeHosts) {
            if (ways.includes('there')) act(name, host);
            if (ways.includes('back')) act(host, name);
          }
        }
      };
      each((from, to) => world.network.cut(from, to));
      await world.scheduler.pause(ms);
      each((from, to) => world.network.heal(from, to, breaking));
    },
  },
  'cut-nodes': {
    about: 'two nodes do not reach each other, in one direction or both',
    happen: async (world, random) => {
      const [first, second] = [victim(world, random), random.pick(world.nodes)];
      if (first === second) world.missed++;
      else await cut(world, random, first.name, second.name);
    },
  },
  'cut-off': {
    about: 'a machine is cut off from everything, clients too',
    happen: async (world, random) => {
      const node = victim(world, random);
      const named = [...world.nodes, ...world.services].map(({ name }) => name);
      const all = [...world.storeHosts, ...named, ...world.clientHosts];
      // Its processes go on to reach each other, as by the sockets of folders.
      const others = all.filter((name) => name !== node.name);
      const ms = away(world, random);
      world.tell(node.name, `is cut off for ${Math.round(ms)} ms`);
      for (const other of others) {
        world.network.cut(node.name, other);
        world.network.cut(other, node.name);
      }
      await world.scheduler.pause(ms);
      const breaking = random.chance(0.5);
      for (const other of others) {
        world.network.heal(node.name, other, breaking);
        world.network.heal(other, node.name, breaking);
      }
    },
  },
  'store-restart': {
    about: 'the store dies and comes back with all that it had answered',
    happen: async (world, random) => {
      world.tell(STORE, 'dies');
      world.store.stop();
      await world.scheduler.pause(away(world, random) / 4);
      world.tell(STORE, 'is there again');
      world.store.start();
    },
  },
  'store-failover': {
    about: 'the store dies, and a replica that lacks its newest changes takes its place',
    happen: async (world, random) => {
      const { store } = world;
      const drawnMs = random.pick(LAG_MS);
      const lagMs = world.lagMs ?? drawnMs;
      world.tell(STORE, `has a replica that is up to ${lagMs} ms behind`);
      store.lagMs = lagMs;
      await world.scheduler.pause(random.between(0, 2 * lagMs));
      store.lagMs = USUAL_LAG_MS;
      world.tell(STORE, 'dies, and its replica takes its place');
      store.failOver();
      await world.scheduler.pause(away(world, random) / 4);
      world.tell(STORE, 'is there again');
      store.start();
    },
  },
  'store-full': {
    about: 'the store has no memory left and refuses what needs some',
    happen: async (world, random) => {
      const { store } = world;
      world.tell(store.host, 'is full');
      store.isFull = true;
      await world.scheduler.pause(away(world, random));
      store.isFull = false;
    },
  },
  'store-pause': {
    about: 'the store stands still, and does afterwards what it was told meanwhile',
    happen: async (world, random) => {
      const ms = away(world, random);
      world.tell(world.store.host, `stands still for ${Math.round(ms)} ms`);
      world.store.standStill(ms);
      await world.scheduler.pause(ms);
    },
  },
  'store-refuses': {
    about: 'the store answers that it is loading, read-only, cannot persist or lacks its replicas',
    happen: async (world, random) => {
      const refusal = random.pick(REFUSALS);
      const { store } = world;
      world.tell(store.host, `answers with ${refusal.split(' ', 1)[0]}`);
      store.refusal = refusal;
      await world.scheduler.pause(away(world, random));
      store.refusal = null;
    },
  },
  'store-slow': {
    about: 'the store takes long for each command',
    happen: async (world, random) => {
      const ms = random.between(2, 60);
      const { store } = world;
      world.tell(store.host, `takes up to ${Math.round(ms)} ms for a command`);
      store.slowMs = ms;
      await world.scheduler.pause(away(world, random));
      store.slowMs = 0.5;
    },
  },
  'slow-network': {
    about: 'what is sent to a machine takes long',
    happen: async (world, random) => {
      const to = random.pick([world.store.host, ...world.nodes.map(({ name }) => name)]);
      const ms = random.between(5, 400);
      world.tell(to, `is reached only within ${Math.round(ms)} ms`);
      world.network.slow.set(`*>${to}`, ms);
      await world.scheduler.pause(away(world, random));
      world.network.slow.delete(`*>${to}`);
    },
  },
  loss: {
    about: 'segments are lost and sent again',
    happen: async (world, random) => {
      const share = random.between(0.01, 0.2);
      world.tell('network', `loses ${Math.round(share * 100)} % of all segments`);
      world.network.loss = share;
      await world.scheduler.pause(away(world, random));
      world.network.loss = 0;
    },
  },
  resets: {
    about: 'the open connections of a machine break',
    happen: async (world, random) => {
      const node = victim(world, random);
      world.tell(node.name, 'loses its connections');
      const broken = world.network.between(node.name, null).filter(() => random.chance(0.7));
      if (broken.length === 0) world.missed++;
      for (const connection of broken) connection.reset();
    },
  },
  stalls: {
    about: 'some of the open connections of a machine stand still, and the others go on',
    happen: async (world, random) => {
      const node = victim(world, random);
      const ms = away(world, random);
      const stalled = world.network.between(node.name, null).filter(() => random.chance(0.4));
      const [count, time] = [stalled.length, Math.round(ms)];
      if (count === 0) world.missed++;
      world.tell(node.name, `has ${count} connections that stand still for ${time} ms`);
      for (const connection of stalled) connection.stall();
      await world.scheduler.pause(ms);
      for (const connection of stalled) connection.resume();
    },
  },
  clock: {
    about: 'the wall clock of a machine is set, in either direction',
    happen: async (world, random) => {
      const node = victim(world, random);
      // An attempt that fails by a clock of later is repeated as late by the right one.
      const isNear = random.chance(0.7) || world.services.length > 0;
      const ms = isNear ? random.between(-5000, 5000) : random.between(STEP_MS.least, STEP_MS.most);
      world.tell(node.name, `has its clock set by ${Math.round(ms)} ms`);
      node.machine.host.clock.wallOffset += ms;
      await world.scheduler.pause(away(world, random));
      node.machine.host.clock.wallOffset -= ms;
    },
  },
  ...diskFaults(victim, away),
  ...serviceFaults(away),
  ...replicaFaults(away),
};

async function cut(world: World, random: Random, a: string, b: string): Promise<void> {
  const ms = away(world, random);
  const there = [a, b] as const;
  const back = [b, a] as const;
  const ways = random.pick([[there], [back], [there, back]]);
  const breaking = random.chance(0.5);
  const names = ways.map((way) => way.join(' to ')).join(' and ');
  world.tell('network', `${names} is cut for ${Math.round(ms)} ms`);
  for (const way of ways) world.network.cut(...way);
  await world.scheduler.pause(ms);
  for (const [from, to] of ways) world.network.heal(from, to, breaking);
}

/** Faults that seeds draw. */
export const DRAWN = Object.keys(FAULTS).filter((name) => !OF_NIGHTS.has(name));
