import type { RequestPlan } from '../exchange/jobs.js';
import { saturate } from '../harness/load/drive.js';
import { OURS, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { messagePlan, settingPlan } from '../harness/load/publish.js';
import { floorRequests, replyBytesOf } from '../harness/load/requests.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import type { Account } from '../seed/seed.js';

interface Operation {
  readonly name: string;
  plan(organization: { readonly channelId: number }, accounts: readonly Account[]): RequestPlan;
}

const OPERATIONS: readonly Operation[] = [
  { name: 'PATCH /settings', plan: (_, accounts) => settingPlan(accounts) },
  {
    name: 'POST /messages',
    plan: ({ channelId }, accounts) => ({
      ...messagePlan(channelId, accounts[0]!),
      accounts: accounts.map(({ authorization }) => ({ authorization })),
    }),
  },
];

async function measureOperation(
  context: ScenarioContext,
  organization: BenchOrganization,
  operation: Operation,
  inFlight: number,
): Promise<Result> {
  const { size } = context;
  const store = (context.store ?? 'embedded:').split(':')[0];
  const label = `${operation.name}, ${inFlight} in flight, ${store}`;
  const point = new Point('write', label, { ...size, clients: inFlight });
  const accounts = Array.from({ length: inFlight }, (_, index) => organization.account(index));
  const plan = operation.plan(organization, accounts);
  context.progress(`parley: ${label}`);
  const outcome = await saturate(organization, plan, inFlight, size.seconds);
  point.add(OURS, outcome);
  // As many as ours made, so that both are equally busy.
  const perSecond = outcome.figures?.ops_per_second ?? 1000;
  const rate = { perSecond, seconds: size.seconds };
  const replyBytes = replyBytesOf(outcome, 260);
  const headers = await organization.replyHeaders();
  const work = { plan, connections: inFlight, rate, replyBytes, headers };
  await floorRequests(context, point, work);
  return point.result();
}

/** Requests against the floor alone, where ours is not wanted. */
const FLOOR_ONLY = { channelId: 1 };

export const write: Scenario = {
  name: 'write',
  work: 'durable writes: PATCH /settings and POST /messages, 1 to N in flight',
  full: { clients: 256, seconds: 10 },
  quick: { clients: 256, seconds: 2 },
  async run(context): Promise<Result[]> {
    const { size, quick, remote, store } = context;
    if (!context.wants(OURS)) return [await floorOnly(context)];
    const steps = quick ? [1, size.clients] : [1, 4, 16, 64, size.clients];
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({ users: size.clients, remote, store });
    try {
      const results: Result[] = [];
      for (const operation of OPERATIONS) {
        for (const inFlight of steps) {
          results.push(await measureOperation(context, organization, operation, inFlight));
        }
      }
      return results;
    } finally {
      await organization.close();
    }
  },
};

async function floorOnly(context: ScenarioContext): Promise<Result> {
  const { size } = context;
  const point = new Point('write', 'PATCH /settings, 3000 a second', size);
  const accounts = [{ userId: 1, authorization: 'Basic bm9ib2R5' }];
  const plan = OPERATIONS[0]!.plan(FLOOR_ONLY, accounts);
  const rate = { perSecond: 3000, seconds: size.seconds };
  await floorRequests(context, point, { plan, connections: 64, rate, replyBytes: 260 });
  return point.result();
}
