import { planOf, replicasOf, withParts, type Plan, type PlanParts } from './plan.js';
import { OF_REPLICAS } from './replica-faults.js';
import { Random } from './world/random.js';

/** What those that call everything need to come to most of it in a brief run. */
const BUSY = { pauseMs: 50 };

/** What a server refuses, with nodes that begin meanwhile. */
const REFUSING = ['store-full', 'store-refuses', 'store-restart', 'crash', 'stop', 'power'];

/** A machine that sleeps cannot know that another took its place. */
const ASLEEP = ['sleep', 'sleep', 'cut-store', 'crash'];
/** Another server becomes the store, and nodes take each other's place. */
const PROMOTING = [
  ...OF_REPLICAS,
  ...OF_REPLICAS,
  'crash',
  'pause',
  'cut-store',
  'resets',
  'stalls',
];
/** How long a master is away at most: less than a lease, as long, or longer than a node may be behind. Milliseconds. */
const AWAY_MS = [400, 2500, 8000];
/** Share of these with services outside, which take up to three minutes to have everything. */
const SERVED_SHARE = 0.3;
/** Enough to ask a follower. */
const THREE = ['a', 'b', 'c'].map((name) => ({ name, rate: 1 }));

/** Nobody but writers and readers. */
const ALONE: PlanParts = {
  ...{ moves: false, files: false, services: false, planners: false, outcasts: false },
  ...{ replicas: null, explorers: 0 },
};
const REDIS: PlanParts = { ...ALONE, store: 'redis' };
/** Much to do, and much to read of it. */
const READ = { pauseMs: 30, work: { send: 10, edit: 4, read: 10 } };

/** A kind of run: what its runs have in common, and what each of its seeds draws. */
type Kind = readonly [name: string, parts: PlanParts | ((seed: string) => PlanParts)];

/** Every kind of run that there is, once: what a landing draws, whatever else its seeds give. */
const MIX: readonly Kind[] = [
  ['values', { ...REDIS, documents: 'json' }],
  ['texts', { ...REDIS, documents: 'text', faults: REFUSING, faultEveryMs: 500 }],
  ['folder', { ...ALONE, store: 'embedded' }],
  [
    'looks',
    {
      ...REDIS,
      ...{ lookMs: 3, together: 0.5, users: 5, readers: 6 },
      habits: { pauseMs: 50, bursts: 0.8 },
    },
  ],
  ['outcasts', { ...REDIS, outcasts: true, nodes: THREE, habits: BUSY }],
  ['asleep', { ...REDIS, nodes: THREE, faults: ASLEEP, faultEveryMs: 600, habits: READ }],
  ['due', { ...ALONE, planners: true, habits: BUSY }],
  ['moves', { ...ALONE, store: 'embedded', moves: true }],
  // Where each look takes its time, a snapshot of all that they made takes two seconds, and its check a minute of them.
  ['explorers', { ...REDIS, explorers: 2, lookMs: 0, habits: BUSY }],
  ['files', { ...ALONE, files: true }],
  ['services', { ...ALONE, services: true }],
  [
    'replicas',
    (seed) => ({
      ...{ ...REDIS, replicas: replicasOf(seed), nodes: THREE },
      services: new Random(`${seed} has services`).chance(SERVED_SHARE),
      ...{ users: 3, writers: 3, readers: 2, rounds: 1, faults: PROMOTING, faultEveryMs: 200 },
      longestMs: new Random(`${seed} is away`).pick(AWAY_MS),
      ...{ settings: { lease: '2' }, lookMs: 0, habits: READ },
    }),
  ],
];

/** Names of the kinds, in the order in which seeds draw them. */
export const KINDS = MIX.map(([name]) => name);

/** Rounds of one run, and the length of each, milliseconds: all kinds take a processor some 45 s together. */
const BRIEF = { rounds: 2, roundMs: 8000 };
/** Faults come at least so often, milliseconds: one that lasts longer than a brief run would be the only one. */
const FAULT_EVERY_MS = 1000;

/** What a seed draws in a mix: the seeds that follow each other are of one kind after the other. */
export function mixed(seed: string, faults: readonly string[], given: PlanParts = {}): Plan {
  const [, ofKind] = MIX[Number(seed) % MIX.length]!;
  const parts = typeof ofKind === 'function' ? ofKind(seed) : ofKind;
  const drawn = planOf(seed, faults);
  const faultEveryMs = Math.min(FAULT_EVERY_MS, drawn.faultEveryMs);
  const chosen = parts.faults?.filter((name) => faults.includes(name));
  return withParts(drawn, {
    ...{ ...BRIEF, faultEveryMs, ...parts, ...(chosen && { faults: chosen }) },
    ...{ ...given, seed },
  });
}

/** The seed of a kind that comes so many mixes later. @throws Error for the name of no kind */
export function seedOf(kind: string, turn: number): string {
  const at = KINDS.indexOf(kind);
  if (at < 0) throw new Error(`There is no kind ${kind}; there are ${KINDS.join(', ')}`);
  return String(at + turn * MIX.length);
}
