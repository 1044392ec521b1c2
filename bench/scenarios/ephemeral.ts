import type { RequestPlan } from '../exchange/jobs.js';
import { saturate } from '../harness/load/drive.js';
import { OURS, type Outcome, type Result } from '../harness/measuring/figures.js';
import { typingPlan } from '../harness/load/people.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** Members of the channel that is typed in: a channel of more than 100 is spared notices. */
const TYPISTS = 50;
/** Each reports at most once, so that all reports are written: more than one connection makes in the seconds below. */
const REPORTERS = 70_000;
const REPORT_SECONDS = 2;

async function typing(context: ScenarioContext, inFlight: number): Promise<Outcome> {
  const { size, remote, store } = context;
  const organization = await BenchOrganization.open({ users: TYPISTS, remote, store });
  try {
    await organization.seats(TYPISTS, ['typing']);
    const plan = typingPlan(organization.members, organization.channelId);
    return await saturate(organization, plan, inFlight, size.seconds);
  } finally {
    await organization.close();
  }
}

async function reports(context: ScenarioContext): Promise<Outcome> {
  const { remote, store } = context;
  const organization = await BenchOrganization.open({ users: REPORTERS, remote, store });
  try {
    const plan: RequestPlan = {
      method: 'POST',
      path: '/api/v1/users/me/presence',
      body: 'status=active&new_user_input=true&ping_only=true',
      accounts: organization.members.map(({ authorization }) => ({ authorization })),
    };
    return await saturate(organization, plan, 1, REPORT_SECONDS);
  } finally {
    await organization.close();
  }
}

export const ephemeral: Scenario = {
  name: 'ephemeral',
  work: 'notices of typing, 1 and N in flight, and reports of presence that are all written',
  full: { clients: 64, seconds: 10 },
  quick: { clients: 64, seconds: 2 },
  async run(context): Promise<Result[]> {
    const { size, remote } = context;
    if (!context.wants(OURS) || remote) return [];
    const results: Result[] = [];
    const add = async (label: string, work: () => Promise<Outcome>): Promise<void> => {
      context.progress(`parley: ${label}`);
      const point = new Point('ephemeral', label, size);
      point.add(OURS, await work());
      results.push(point.result());
    };
    for (const inFlight of [1, size.clients]) {
      await add(`POST /typing, ${inFlight} in flight`, () => typing(context, inFlight));
    }
    await add('POST /users/me/presence, 1 in flight', () => reports(context));
    return results;
  },
};
