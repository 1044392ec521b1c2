import { driveDeliveries } from '../harness/load/drive.js';
import { OURS, rounded, type Outcome } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { messagePlan } from '../harness/load/publish.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** Sockets that receive; everybody else is not addressed. */
const RECEIVERS = 200;
const SMALL = 1000;
const PER_SECOND = 30;

/** Cost of a delivery beside so many queues and users that get nothing. */
async function costBeside(
  context: ScenarioContext,
  outsiders: number,
  queues: number,
): Promise<Outcome> {
  const { remote, store, size } = context;
  context.progress(`parley: ${queues} queues, ${outsiders} users beside`);
  const plan = { users: RECEIVERS, outsiders, queues, remote, store };
  const organization = await BenchOrganization.open(plan);
  try {
    const seats = await organization.seats(RECEIVERS, ['message']);
    const audience = { transport: 'push', dialect: 'parley', addressing: 'all', seats } as const;
    const publish = messagePlan(organization.channelId, organization.owner);
    const rate = { perSecond: PER_SECOND, seconds: size.seconds };
    return await driveDeliveries(organization, [audience], publish, rate);
  } finally {
    await organization.close();
  }
}

/** `large` with its cost over that of `small`. */
function withSlope(small: Outcome, large: Outcome): Outcome {
  const [from, to] = [small.figures?.cpu_us_per_op, large.figures?.cpu_us_per_op];
  if (!large.figures || !from || !to) return large;
  return { ...large, figures: { ...large.figures, slope: rounded(to / from) } };
}

export const eventGrowth: Scenario = {
  name: 'event-growth',
  work: 'cost of a delivery as unaddressed queues, and users, go from 1,000 to N',
  full: { clients: 100_000, seconds: 10 },
  quick: { clients: 10_000, seconds: 3 },
  async run(context) {
    const { size, remote, store } = context;
    if (!context.wants(OURS) || remote || store !== null) return [];
    const small = await costBeside(context, SMALL, SMALL);
    const point = (label: string, outcome: Outcome) => {
      const one = new Point('event-growth', label, size);
      one.add(OURS, outcome);
      return one.result();
    };
    const queues = withSlope(small, await costBeside(context, SMALL, size.clients));
    const users = withSlope(small, await costBeside(context, size.clients, SMALL));
    return [
      point(`${SMALL} queues and users beside`, small),
      point(`${size.clients} queues beside`, queues),
      point(`${size.clients} users beside`, users),
    ];
  },
};
