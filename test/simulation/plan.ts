import { DRAWN, OF_A_SERVER, OF_ONE_SERVER } from './faults.js';
import { OF_REPLICAS } from './replica-faults.js';
import type { ReplicasPlan } from './redis/replicated-store.js';
import { OF_SERVICES } from './services/faults.js';
import { Random } from './world/random.js';
import type { Habits } from './world/world.js';

/** What a run is made of; all of it follows from the seed, unless it was made smaller. */
export interface Plan {
  readonly seed: string;
  readonly nodes: readonly { readonly name: string; readonly rate: number }[];
  readonly users: number;
  readonly writers: number;
  /** Clients that call everything that the contract has. */
  readonly explorers: number;
  readonly readers: number;
  /** Whether a client moves a topic of many messages. */
  readonly moves: boolean;
  /** Whether there are services outside, and clients that write to whom these serve. */
  readonly services?: boolean;
  /** Whether a client has something that is due later, and looks whether it comes. */
  readonly planners?: boolean;
  /** Whether a client takes rights away, and looks whether they are gone. */
  readonly outcasts?: boolean;
  /** Whether a client uploads files. */
  readonly files: boolean;
  /** Whether the system tells its figures, as the memory in use or the room on the disk, only every other time. */
  readonly untold?: boolean;
  readonly rounds: number;
  readonly roundMs: number;
  /** Names of the faults that may happen; one that is there twice happens twice as often. */
  readonly faults: readonly string[];
  /** Mean time between two faults, milliseconds. */
  readonly faultEveryMs: number;
  /** The longest that most faults last, milliseconds; one in three that may last longer lasts about as long as what waits for it. */
  readonly longestMs: number;
  /** A process ends no sooner after another did, milliseconds: where faults are many, nobody would serve. */
  readonly sparedMs: number;
  /** How far the replica that takes the place of the store is behind, milliseconds; null: sometimes far, mostly not. */
  readonly lagMs: number | null;
  /** Probability that another fault begins with one, at the same machine and for as long. */
  readonly meets: number;
  /** What a look at the clock takes a process at most, milliseconds; 0: time stands still while it works. */
  readonly lookMs: number;
  /** Probability that what was sent behind a segment arrives with it; absent: each arrives alone. */
  readonly together?: number;
  readonly habits: Habits;
  /** Where the store is: on a server, or in a folder of the one machine that all nodes run on. */
  readonly store: 'redis' | 'embedded';
  /** Servers that copy the store, and how many of them a change waits for; null, or absent: a server alone. */
  readonly replicas?: ReplicasPlan | null;
  /** How a store on a server keeps documents: on a server with RedisJSON, or without. */
  readonly documents: 'json' | 'text';
  /** Options of each node. */
  readonly settings: Readonly<Record<string, string>>;
}

/** How far the clocks of machines run apart: good ones and bad ones. */
const DRIFTS = [0, 1e-5, 1e-3];
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const TRANSPORTS = ['poll', 'socket', 'stream'] as const;

/** How long a machine is away at most, milliseconds: much longer than a lease. */
export const LONGEST_MS = 20_000;
/** Share of the seeds whose nodes share a folder. */
const EMBEDDED_SHARE = 1 / 3;
/** What a look at the clock takes at most, milliseconds, in a third of the seeds. */
const LOOKS_MS = [0, 0, 3];
/** How often a segment arrives with the one before it, in a third of the seeds. */
const TOGETHER = [0, 0, 0.5];
/** Share of the seeds with services outside. */
const SERVICES_SHARE = 1 / 8;
/** Share of the seeds with what is due later. */
const PLANNERS_SHARE = 1 / 4;
/** Share of the seeds in which rights are taken away. */
const OUTCASTS_SHARE = 1 / 4;
/** Share of the seeds with files, of those without explorers. */
const FILES_SHARE = 0.5;
/** Share of the seeds with a server of the store whose store has replicas. */
const REPLICAS_SHARE = 1 / 6;
/** How far a replica is behind, milliseconds. */
const REPLICA_LAGS_MS = [1, 2, 5, 30];
/** Share of the seeds whose machines tell figures only every other time. */
const UNTOLD_SHARE = 1 / 4;
/** Share of the seeds whose faults are many and brief. */
const DENSE_SHARE = 0.5;

/**
 * What a seed draws: each run has only some of the faults and some of the habits, so that none hides another.
 * @param mayBeDense false where parts of a plan are given that say how often faults come, or how long they last
 */
export function planOf(seed: string, faults: readonly string[] = DRAWN, mayBeDense = true): Plan {
  const random = new Random(`plan ${seed}`);
  const some = <T>(list: readonly T[], share: number): T[] =>
    list.filter(() => random.chance(share));
  const common = faults.filter((name) => !OF_SERVICES.has(name) && !OF_REPLICAS.has(name));
  const chosen = some(common, random.pick([0.2, 0.5, 0.9]));
  const transports = some(TRANSPORTS, 0.6);
  const pauseMs = random.pick([50, 50, 500, 3000]);
  const drawn: Plan = {
    seed,
    nodes: NAMES.slice(0, random.pick([1, 2, 3, 3, 3, 4])).map((name) => ({
      name,
      rate: 1 + random.pick([-1, 1]) * random.pick(DRIFTS),
    })),
    users: random.int(1, 5),
    writers: random.int(1, 5),
    readers: random.int(1, 6),
    moves: false,
    files: false,
    rounds: random.int(2, 5),
    // As many requests find as much in less time.
    roundMs: pauseMs === 50 ? 8000 : random.pick([10_000, 30_000, 60_000]),
    faults: chosen.length > 0 ? chosen : common.slice(0, 1),
    faultEveryMs: random.pick(pauseMs === 50 ? [200, 500, 2000] : [500, 2000, 8000]),
    meets: random.pick([0, 0.2, 0.6]),
    habits: {
      transports: transports.length > 0 ? transports : ['poll'],
      work: {
        send: 10,
        edit: random.pick([0, 2]),
        delete: random.pick([0, 1]),
        react: random.pick([0, 4]),
        star: random.pick([0, 2]),
        read: random.pick([0, 4]),
        draft: random.pick([0, 1]),
        direct: random.pick([0, 2]),
      },
      sleeps: random.pick([0, 0, 0.02]),
      naps: 0,
      once: random.pick([0, 0.3, 0.8]),
      doubles: random.pick([0, 0, 0.1]),
      bursts: random.pick([0, 0.2]),
      pauseMs,
    },
    store: 'redis',
    documents: random.pick(['json', 'text']),
    // A lease that lasts longer than the store is waited for, and one that does not.
    settings: { lease: random.pick(['2', '2', '5', '15']), 'store-wait': random.pick(['8', '2']) },
    explorers: random.pick([0, 0, 1, 2]),
    longestMs: LONGEST_MS,
    lagMs: null,
    sparedMs: 0,
    lookMs: new Random(`plan ${seed}/looks`).pick(LOOKS_MS),
    together: new Random(`plan ${seed}/packets`).pick(TOGETHER),
  };
  // Of its own source, so that what is drawn above stays the same.
  const others = new Random(`plan ${seed}/dense`);
  const dense = mayBeDense && others.chance(DENSE_SHARE) ? densely(drawn, others) : drawn;
  const stores = new Random(`plan ${seed}/store`);
  const isEmbedded = stores.chance(EMBEDDED_SHARE);
  const moves = isEmbedded && stores.chance(0.5);
  const outside = new Random(`plan ${seed}/services`);
  const services = outside.chance(SERVICES_SHARE);
  const ofServices = faults.filter((name) => OF_SERVICES.has(name) && outside.chance(0.6));
  const planners = !services && new Random(`plan ${seed}/planners`).chance(PLANNERS_SHARE);
  const outcasts = !services && new Random(`plan ${seed}/outcasts`).chance(OUTCASTS_SHARE);
  const servers = new Random(`plan ${seed}/replicas`);
  const replicas = !isEmbedded && servers.chance(REPLICAS_SHARE) ? replicasOf(seed) : null;
  const ofReplicas = faults.filter((name) => OF_REPLICAS.has(name) && servers.chance(0.6));
  const fitted = fitting({
    ...{ ...dense, planners, outcasts, faults: [...dense.faults, ...ofServices, ...ofReplicas] },
    ...{ store: isEmbedded ? 'embedded' : 'redis', moves, services, replicas },
  });
  const hasOthers = services || fitted.explorers > 0;
  const files =
    !hasOthers && !fitted.replicas && new Random(`plan ${seed}/files`).chance(FILES_SHARE);
  const naps = new Random(`plan ${seed}/naps`).pick([0, 0, 0, 0.2]);
  const untold = new Random(`plan ${seed}/figures`).chance(UNTOLD_SHARE);
  return { ...fitted, files, untold, habits: { ...fitted.habits, naps } };
}

/** Servers of a store with replicas. */
export function replicasOf(seed: string): ReplicasPlan {
  const random = new Random(`plan ${seed}/servers`);
  const wanted = random.pick([0, 1, 1, 1, 2]);
  const loses = wanted === 1 && random.chance(0.25);
  const count = loses ? 2 : Math.max(1, wanted + random.int(0, 2));
  return {
    ...{ wanted, count, loses },
    version: random.pick(['7.0.15', '8.0.0']),
    changes: random.chance(0.5),
    lagsMs: Array.from({ length: count + 1 }, () => random.pick(REPLICA_LAGS_MS)),
  };
}

/**
 * A store in a folder has no server that could fail. Those that call everything archive channels of others, by the ids of
 * examples, as the one whose topics are moved, make the owner of files somebody else, and end accounts that mails go to.
 */
function fitting(drawn: Plan): Plan {
  const { store, services = false, planners = false, moves, files } = drawn;
  // Those of the others that read what is a few seconds old at most do not know of former masters.
  const fitsReplicas = store === 'redis' && !planners && !files && !drawn.outcasts;
  const replicas = fitsReplicas ? (drawn.replicas ?? null) : null;
  const fits = (name: string): boolean =>
    // What is due by a clock that was set is due at any time.
    planners && name === 'clock'
      ? false
      : OF_SERVICES.has(name)
        ? services
        : OF_REPLICAS.has(name)
          ? replicas !== null
          : // What a server that stands alone does, these do in ways of their own.
            (store === 'redis' || !OF_A_SERVER.has(name)) &&
            (replicas === null || !OF_ONE_SERVER.has(name));
  const explorers = moves || files || services || planners || replicas ? 0 : drawn.explorers;
  // Mails go to those who are away, at accounts that nobody ends.
  const outcasts = !services && drawn.outcasts === true;
  return { ...drawn, explorers, outcasts, replicas, faults: drawn.faults.filter(fits) };
}

/**
 * Faults come every 15 to 60 ms and are over sooner than a lease, several at once, in a cluster that has much to do: what
 * goes wrong in the middle of everything. Other seeds have few that last: what goes wrong when somebody waits.
 */
function densely(drawn: Plan, random: Random): Plan {
  const { habits } = drawn;
  const faultEveryMs = random.pick([15, 30, 60]);
  return {
    ...drawn,
    writers: drawn.writers + 3,
    rounds: random.int(4, 9),
    roundMs: 8000,
    faultEveryMs,
    longestMs: random.pick([20, 60, 200]),
    sparedMs: random.pick([1000, 3000, 6000]),
    habits: {
      ...habits,
      // Some ten requests between two faults.
      pauseMs: 4 * faultEveryMs,
      bursts: random.pick([0.5, 0.8]),
      work: { ...habits.work, read: 10 },
    },
  };
}

/** Parts of a plan that are given instead of drawn; of habits and settings some. */
export type PlanParts = Partial<Omit<Plan, 'habits'>> & { readonly habits?: Partial<Habits> };

export function withParts(drawn: Plan, parts: PlanParts): Plan {
  const added = [
    ...(parts.services && !drawn.services ? OF_SERVICES : []),
    ...(parts.replicas && !drawn.replicas ? OF_REPLICAS : []),
  ];
  return fitting({
    ...drawn,
    faults: [...drawn.faults, ...added],
    ...parts,
    habits: { ...drawn.habits, ...parts.habits },
    settings: { ...drawn.settings, ...parts.settings },
  });
}
