import type { RequestPlan } from '../exchange/jobs.js';
import { saturate } from '../harness/load/drive.js';
import { OURS, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { textPlan } from '../harness/load/publish.js';
import { floorRequests, replyBytesOf } from '../harness/load/requests.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** Subscribers of the channel. */
const USERS = 1000;

/** Texts of 150 bytes, from one that needs no parser to one of every construct that people use. */
const TEXTS: Readonly<Record<string, string>> = {
  'plain text':
    'Some words of an ordinary message, which has a bit more to say than others do, and then it goes on, ' +
    'until there are one hundred and fifty bytes of it.',
  'rich Markdown':
    'Hey @**Nobody**, see **this** and `code()` in [the docs](https://example.com/a?b=1): :smile:\n' +
    '* one *item*\n* two https://parley.dev/x\n> quoted, ok then',
};

async function measureText(
  context: ScenarioContext,
  organization: BenchOrganization,
  name: string,
  text: string,
): Promise<Result> {
  const { size } = context;
  const { clients, seconds } = size;
  const point = new Point('render', `POST /messages, ${name}, ${clients} in flight`, size);
  const accounts = Array.from({ length: clients }, (_, index) => organization.account(index));
  const plan: RequestPlan = textPlan(organization.channelId, accounts, text);
  context.progress(`parley: ${name}`);
  const outcome = await saturate(organization, plan, clients, seconds);
  point.add(OURS, outcome);
  // As many as ours made, so that both are equally busy.
  const rate = { perSecond: outcome.figures?.ops_per_second ?? 1000, seconds };
  const headers = await organization.replyHeaders();
  const replyBytes = replyBytesOf(outcome, 260);
  await floorRequests(context, point, { plan, connections: clients, rate, replyBytes, headers });
  return point.result();
}

export const render: Scenario = {
  name: 'render',
  work: 'durable messages of 150 bytes, plain and rich Markdown, to a channel of 1,000',
  full: { clients: 256, seconds: 10 },
  quick: { clients: 256, seconds: 4 },
  async run(context): Promise<Result[]> {
    if (!context.wants(OURS)) return [];
    const { remote, store } = context;
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({ users: USERS, remote, store });
    try {
      const results: Result[] = [];
      for (const [name, text] of Object.entries(TEXTS)) {
        results.push(await measureText(context, organization, name, text));
      }
      return results;
    } finally {
      await organization.close();
    }
  },
};
