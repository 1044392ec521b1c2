import { cpus } from 'node:os';
import type {
  Address,
  Addressing,
  ConsumerJob,
  Dialect,
  Job,
  Manner,
  RequestPlan,
  Seat,
  Transport,
} from '../../exchange/jobs.js';
import { everyMs, steadyPace } from '../../exchange/pace.js';
import { mostConnections } from '../descriptors.js';
import type { Outcome } from '../measuring/figures.js';
import { GeneratorProcess } from '../processes/generator-process.js';
import { measure, type Part, type Plan, type Usage } from '../measuring/measure.js';
import { untilStable, warmUpBefore, type WarmUp } from '../measuring/warm-up.js';

/** A server under load. */
export interface Driven extends Usage {
  readonly address: Address;
}

/** Clients one generator process serves before another is started. */
export const CLIENTS_PER_GENERATOR = 2000;
/** Descriptors are limited per process. */
const MOST_CLIENTS_PER_GENERATOR = 15_000;

/** Generators for so many clients: one core is the server's. */
function generatorsFor(clients: number): number {
  const useful = Math.min(Math.ceil(clients / CLIENTS_PER_GENERATOR), cpus().length - 1);
  return Math.max(1, useful, Math.ceil(clients / MOST_CLIENTS_PER_GENERATOR));
}

/** Starts generators, runs `work`, and ends them whatever happens. */
export async function withGenerators<T>(
  jobs: readonly Job[],
  work: (generators: readonly GeneratorProcess[]) => Promise<T>,
): Promise<T> {
  const starting = await Promise.allSettled(jobs.map((job) => GeneratorProcess.start(job)));
  const started = starting.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    for (const one of starting) if (one.status === 'rejected') throw one.reason;
    return await work(started);
  } finally {
    for (const generator of started) generator.stop();
  }
}

export interface Audience {
  readonly transport: Transport;
  readonly dialect: Dialect;
  readonly addressing: Addressing;
  readonly seats: readonly Seat[];
  readonly lanes?: number;
  readonly manner?: Manner;
}

/**
 * Consumer jobs that share an audience between generators.
 * @param least on so many, if there are as many clients
 * @throws Error when the server could not hold so many connections
 */
export function consumerJobs(server: Address, audience: Audience, least = 1): ConsumerJob[] {
  const { seats } = audience;
  const total = seats.length;
  const most = mostConnections();
  if (total > most) {
    throw new Error(`${total} clients are more than the ${most} that ulimit -n allows a server`);
  }
  const size = Math.ceil(total / Math.max(least, generatorsFor(total)));
  const jobs: ConsumerJob[] = [];
  for (let offset = 0; offset < total; offset += size) {
    const own = seats.slice(offset, offset + size);
    jobs.push({ role: 'consume', server, ...audience, seats: own, offset, total });
  }
  return jobs;
}

/** Of ten clients, so many poll; the others have sockets. */
const POLLING_OF_TEN = 8;

/** Audiences of a channel whose members read all its events: four of five poll. */
export function mostlyPolling(seats: readonly Seat[]): Audience[] {
  const polling = Math.ceil((seats.length * POLLING_OF_TEN) / 10);
  const shared = { dialect: 'parley', addressing: 'all' } as const;
  const audiences: Audience[] = [
    { ...shared, transport: 'poll', seats: seats.slice(0, polling) },
    { ...shared, transport: 'push', seats: seats.slice(polling) },
  ];
  return audiences.filter((audience) => audience.seats.length > 0);
}

export interface Rate {
  /** Events or requests per second. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** What is measured happens so often in a window, however long that takes; what is beside it need not. */
const FEWEST = 5;

function openPlan(first: number, perSecond: number, seconds: number, least = FEWEST) {
  const count = Math.max(least, Math.round(perSecond * seconds));
  return { kind: 'open' as const, first, count, pace: steadyPace(perSecond) };
}

/** Something requested on a schedule beside what is measured. */
export interface Background {
  readonly plan: RequestPlan;
  readonly connections: number;
  readonly perSecond: number;
}

/** Publishes on a schedule to one or more audiences and measures the deliveries. */
export async function driveDeliveries(
  server: Driven,
  audiences: readonly Audience[],
  publish: RequestPlan,
  rate: Rate,
  background: readonly Background[] = [],
): Promise<Outcome> {
  const consumers = audiences.flatMap((audience) => consumerJobs(server.address, audience));
  const personal = audiences.some((audience) => audience.addressing === 'one');
  const connections = personal ? lanes(publish.accounts.length) : 1;
  const sources = [{ plan: publish, connections, perSecond: rate.perSecond }, ...background];
  const jobs: Job[] = [
    ...consumers,
    ...sources.map(({ plan, connections }): Job => {
      return { role: 'request', server: server.address, plan, connections };
    }),
  ];
  return withGenerators(jobs, async (generators) => {
    const parts = (planOf: (perSecond: number, least: number) => Plan): Part[] =>
      generators.map((generator, index) => {
        const counted = index < consumers.length;
        const source = counted ? 0 : index - consumers.length;
        const plan = planOf(sources[source]!.perSecond, source === 0 ? FEWEST : 1);
        return { generator, counted, plan };
      });
    const warmUp = warmUpBefore(rate.seconds);
    const windows = await untilStable(
      async (window) =>
        costOf(
          await measure(
            server,
            parts((perSecond, least) => warmUpPlan(perSecond, warmUp, window, least)),
            null,
          ),
        ),
      warmUp.most,
    );
    return measure(
      server,
      parts((perSecond, least) => measuredPlan(perSecond, rate.seconds, warmUp, windows, least)),
    );
  });
}

/** One window of the warm-up. */
function warmUpPlan(perSecond: number, { seconds }: WarmUp, window: number, least = FEWEST): Plan {
  const { count } = openPlan(0, perSecond, seconds, least);
  return openPlan(window * count, perSecond, seconds, least);
}

/** The measured window goes on counting where the last one of the warm-up ended. */
function measuredPlan(
  perSecond: number,
  seconds: number,
  warmUp: WarmUp,
  windows: number,
  least = FEWEST,
): Plan {
  const { count } = openPlan(0, perSecond, warmUp.seconds, least);
  return openPlan(windows * count, perSecond, seconds, least);
}

function costOf({ figures }: Outcome): number | null {
  return figures?.cpu_us_per_op ?? null;
}

/** The measured window goes on counting where a warm-up of so many seconds ended. */
export function phasePlan(
  perSecond: number,
  seconds: number,
  phase: 'warm-up' | 'measured',
  warmUpSeconds: number,
): Plan {
  const warmUp = openPlan(0, perSecond, warmUpSeconds);
  return phase === 'warm-up' ? warmUp : openPlan(warmUp.count, perSecond, seconds);
}

/**
 * Connections of a publisher whose accounts take turns: each account stays on one of them, and
 * there are enough for a server that answers when its disk has written.
 */
function lanes(accounts: number): number {
  for (let count = Math.min(256, accounts); count > 1; count--) {
    if (accounts % count === 0) return count;
  }
  return 1;
}

function requester(server: Driven, plan: RequestPlan, connections: number): Job {
  return { role: 'request', server: server.address, plan, connections };
}

/** Requests on a schedule. @param warmUpSeconds before them; null: until the cost is stable */
export async function driveRequests(
  server: Driven,
  plan: RequestPlan,
  connections: number,
  rate: Rate,
  warmUpSeconds: number | null = null,
): Promise<Outcome> {
  return withGenerators([requester(server, plan, connections)], async ([generator]) => {
    const part = (plan: Plan): Part[] => [{ generator: generator!, counted: true, plan }];
    const run = (plan: Plan): Promise<Outcome> => measure(server, part(plan));
    const warmUp = (plan: Plan): Promise<Outcome> => measure(server, part(plan), null);
    const { perSecond, seconds } = rate;
    if (warmUpSeconds !== null) {
      await warmUp(phasePlan(perSecond, seconds, 'warm-up', warmUpSeconds));
      return run(phasePlan(perSecond, seconds, 'measured', warmUpSeconds));
    }
    const before = warmUpBefore(seconds);
    const windows = await untilStable(
      async (window) => costOf(await warmUp(warmUpPlan(perSecond, before, window))),
      before.most,
    );
    return run(measuredPlan(perSecond, seconds, before, windows));
  });
}

/** A number of requests at once, without warm-up: what a storm is. */
export async function storm(
  server: Driven,
  plan: RequestPlan,
  requests: number,
  connections: number,
): Promise<Outcome> {
  return withGenerators([requester(server, plan, connections)], async ([generator]) => {
    const schedule: Plan = { kind: 'open', first: 0, count: requests, pace: everyMs(0) };
    return measure(server, [{ generator: generator!, counted: true, plan: schedule }]);
  });
}

/** As many requests as a number of connections carries, each with one in flight. */
export async function saturate(
  server: Driven,
  plan: RequestPlan,
  inFlight: number,
  seconds: number,
): Promise<Outcome> {
  return withGenerators([requester(server, plan, inFlight)], async ([generator]) => {
    const closed = (first: number, durationMs: number): Part => {
      const schedule: Plan = { kind: 'closed', first, durationMs };
      return { generator: generator!, counted: true, plan: schedule };
    };
    // Far from the numbers of the windows before, so that no setting gets the value it has.
    const first = (window: number): number => window * 100_000 * inFlight;
    const warmUp = warmUpBefore(seconds);
    const windows = await untilStable(
      async (window) =>
        costOf(await measure(server, [closed(first(window), warmUp.seconds * 1000)], null)),
      warmUp.most,
    );
    return measure(server, [closed(first(windows), seconds * 1000)]);
  });
}
