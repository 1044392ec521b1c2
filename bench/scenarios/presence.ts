import type { RequestPlan } from '../exchange/jobs.js';
import type { ExchangeSample } from '../exchange/sample.js';
import { driveRequests } from '../harness/load/drive.js';
import { OURS, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { strangers } from '../harness/load/publish.js';
import { floorRequests, replyBytesOf } from '../harness/load/requests.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import type { Account } from '../seed/seed.js';

/** A client pings once a minute. */
export const PING_SECONDS = 60;
/** Fewer a second would measure the idle server. */
const LEAST_PER_SECOND = 250;
const CONNECTIONS = 64;

/**
 * Whose cursor a ping sends. With its account's own, the reply carries everybody who pinged since: N
 * entries in a minute of N users, so bytes per reply are what the protocol makes them. With the
 * newest that anybody was told, the reply is nearly empty, and what is left is the ping.
 */
export type Cursor = 'own' | 'newest';

/** Pings that ask for what changed since a cursor, at first since `initial`. */
export function pingPlan(
  accounts: readonly Account[],
  initial: number,
  cursor: Cursor,
): RequestPlan {
  return {
    method: 'POST',
    path: '/api/v1/users/me/presence',
    body: 'status=active&new_user_input=true&slim_presence=true&last_update_id={captured}',
    accounts: accounts.map(({ authorization }) => ({ authorization })),
    capture: { after: '"presence_last_update_id":', initial, shared: cursor === 'newest' },
  };
}

/** The newest presence change. */
export async function presenceCursor({ api, owner }: BenchOrganization): Promise<number> {
  const reply = await api.call('POST', '/users/me/presence', owner.authorization, {
    status: 'active',
    slim_presence: 'true',
  });
  return Number(reply.presence_last_update_id);
}

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
  quick: { clients: 10_000, seconds: 4 },
  async run(context) {
    const { clients } = context.size;
    return [
      await point(context, clients, 'newest'),
      await point(context, Math.min(clients, OWN_CURSORS), 'own'),
    ];
  },
};
