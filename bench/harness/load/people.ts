import type { RequestPlan } from '../../exchange/jobs.js';
import type { Account } from '../../seed/seed.js';
import type { BenchOrganization } from '../organization.js';

/** What clients send by themselves while people are there. */

/** A client pings once a minute. */
export const PING_SECONDS = 60;

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

/** Notices that somebody types in the channel. */
export function typingPlan(accounts: readonly Account[], channelId: number): RequestPlan {
  return {
    method: 'POST',
    path: '/api/v1/typing',
    body: `type=stream&op=start&stream_id=${channelId}&topic=load`,
    accounts: accounts.map(({ authorization }) => ({ authorization })),
  };
}
