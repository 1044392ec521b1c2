import type { ExchangeSample } from '../exchange/sample.js';
import { driveRequests } from '../harness/load/drive.js';
import { OURS, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { PING_SECONDS, pingPlan, presenceCursor, type Cursor } from '../harness/load/people.js';
import { strangers } from '../harness/load/publish.js';
import { floorRequests, replyBytesOf } from '../harness/load/requests.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import type { Account } from '../seed/seed.js';

/** Fewer a second would measure the idle server. */
const LEAST_PER_SECOND = 250;
const CONNECTIONS = 64;

/** Users of the point in which each has a cursor of its own. */
const OWN_CURSORS = 2000;

async function point(context: ScenarioContext, users: number, cursor: Cursor): Promise<Result> {
  const { size, remote, store } = context;
  const perSecond = Math.max(LEAST_PER_SECOND, Math.round(users / PING_SECONDS));
  const rate = { perSecond, seconds: size.seconds };
  const label = `${users} users, ${perSecond} pings a second, ${cursor} cursor`;
  const made = new Point('presence', label, { ...size, clients: users });
  let headers: ExchangeSample['headers'] | undefined;
  let accounts: readonly Account[] = strangers(users);
  if (context.wants(OURS)) {
    context.progress(`parley: preparing: ${label}`);
    const organization = await BenchOrganization.open({ users, remote, store });
    try {
      accounts = organization.members;
      const plan = pingPlan(accounts, await presenceCursor(organization), cursor);
      headers = await organization.replyHeaders();
      context.progress('parley: measuring');
      made.add(OURS, await driveRequests(organization, plan, CONNECTIONS, rate));
    } finally {
      await organization.close();
    }
  }
  const plan = pingPlan(accounts, 0, cursor);
  const replyBytes = replyBytesOf(made.outcomes.get(OURS), 400);
  const work = { plan, connections: CONNECTIONS, rate, replyBytes, headers };
  await floorRequests(context, made, work);
  return made.result();
}

export const presence: Scenario = {
  name: 'presence',
  work: 'N users pinging with last_update_id, one ping each per minute',
  full: { clients: 100_000, seconds: 60 },
  quick: { clients: 10_000, seconds: 2 },
  async run(context) {
    const { clients } = context.size;
    return [
      await point(context, clients, 'newest'),
      await point(context, Math.min(clients, OWN_CURSORS), 'own'),
    ];
  },
};
