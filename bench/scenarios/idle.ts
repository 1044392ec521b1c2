import type { Seat } from '../exchange/jobs.js';
import { BUILT_IN } from '../exchange/sample.js';
import { mostConnections } from '../harness/descriptors.js';
import { consumerJobs, withGenerators, type Driven } from '../harness/load/drive.js';
import { FLOOR, OURS, rounded, type Outcome, type Result } from '../harness/measuring/figures.js';
import { quietResidentBytes } from '../harness/measuring/memory.js';
import { BenchOrganization } from '../harness/organization.js';
import { plainSeats, strangers } from '../harness/load/publish.js';
import { Point, type Scenario, type ScenarioContext, type Size } from '../harness/scenario.js';
import { startFloor } from '../harness/targets.js';

/** Accounts that own the queues: at most 300 each, the bound of a user; a queue costs the same whoever owns it. */
const ACCOUNTS = 500;

/** Memory per queue from the resident sets at two sizes, so that the server's own does not count. */
function outcomeOf(
  queues: readonly [number, number],
  resident: readonly [number, number],
): Outcome {
  const perQueue = (resident[1] - resident[0]) / (queues[1] - queues[0]);
  return {
    refused: null,
    latency: [],
    figures: { bytes_per_queue: Math.round(perQueue), rss_mb: rounded(resident[1] / 1e6) },
  };
}

/** Attaches a fifth of the clients as pollers, then the others, and compares. */
async function attached(server: Driven, seats: readonly Seat[]): Promise<Outcome> {
  const fifth = Math.ceil(seats.length / 5);
  const poll = { transport: 'poll', dialect: 'parley', addressing: 'all' } as const;
  const jobsOf = (some: readonly Seat[]) => consumerJobs(server.address, { ...poll, seats: some });
  return withGenerators(jobsOf(seats.slice(0, fifth)), async () => {
    const first = await quietResidentBytes(server);
    return withGenerators(jobsOf(seats.slice(fifth)), async () => {
      const second = await quietResidentBytes(server);
      return outcomeOf([fifth, seats.length], [first, second]);
    });
  });
}

/** How many of the queues can be attached: a server has a descriptor for each. */
function attachable({ clients }: Size): number {
  return Math.min(clients, mostConnections());
}

async function ours(context: ScenarioContext, points: readonly [Point, Point]): Promise<void> {
  const { clients } = context.size;
  const { remote, store } = context;
  context.progress('parley: preparing');
  const organization = await BenchOrganization.open({ users: ACCOUNTS, remote, store });
  try {
    // First the unattached ones, whose slope no sockets disturb.
    const fifth = Math.ceil(clients / 5);
    const seats = await organization.seats(fifth, ['message']);
    const first = await quietResidentBytes(organization);
    context.progress('parley: unattached queues');
    seats.push(...(await organization.seats(clients - fifth, ['message'])));
    const second = await quietResidentBytes(organization);
    points[1].add(OURS, outcomeOf([fifth, clients], [first, second]));
    context.progress('parley: attached queues');
    const most = attachable(context.size);
    points[0].add(OURS, await attached(organization, seats.slice(0, most)));
  } finally {
    await organization.close();
  }
}

export const idle: Scenario = {
  name: 'idle',
  work: 'memory of N queues: attached by a held poll, and unattached',
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 5000, seconds: 0 },
  async run(context): Promise<Result[]> {
    const { size } = context;
    const points = [
      new Point('idle', `${attachable(size)} attached queues`, size),
      new Point('idle', `${size.clients} unattached queues`, size),
    ] as const;
    if (context.wants(OURS)) await ours(context, points);
    if (context.wants(FLOOR)) {
      context.progress('floor: attached polls');
      const floor = await startFloor({ sample: BUILT_IN.message, replyBytes: 40 });
      try {
        const seats = plainSeats(attachable(size), 'floor', strangers(ACCOUNTS));
        points[0].add(FLOOR, await attached(floor, seats));
      } finally {
        await floor.stop();
      }
    }
    return points.filter((point) => point.outcomes.size > 0).map((point) => point.result());
  },
};
