import type { Dialect, RequestPlan, Seat } from '../../exchange/jobs.js';
import { MARK_PLACE, messageContent, SETTING, type ExchangeSample } from '../../exchange/sample.js';
import { FIRST_CURSOR } from '../../exchange/targets.js';
import type { Account } from '../../seed/seed.js';

/** Requests that cause events at our server and the floor. */

/** A message to a channel; one event for all its subscribers. */
export function messagePlan(channelId: number, sender: Account): RequestPlan {
  const content = encodeURIComponent(messageContent('MARK')).replace('MARK', '{mark}');
  return {
    method: 'POST',
    path: '/api/v1/messages',
    body: `type=stream&to=${channelId}&topic=load&content=${content}`,
    accounts: [{ authorization: sender.authorization }],
  };
}

/** Messages of one text to a channel, each of the senders in turn. */
export function textPlan(
  channelId: number,
  senders: readonly Account[],
  text: string,
): RequestPlan {
  return {
    method: 'POST',
    path: '/api/v1/messages',
    body: `type=stream&to=${channelId}&topic=load&content=${encodeURIComponent(text)}`,
    accounts: senders.map(({ authorization }) => ({ authorization })),
  };
}

/** A changed setting; one event for the account itself. */
export function settingPlan(accounts: readonly Account[]): RequestPlan {
  return {
    method: 'PATCH',
    path: '/api/v1/settings',
    body: `${SETTING}={value}`,
    accounts: accounts.map(({ authorization }) => ({ authorization })),
  };
}

/** The request that makes a peer pass an event on: to all, or to client n modulo `clients`. */
export function peerPlan(
  sample: ExchangeSample,
  clients: number | null,
  dialect: Dialect,
): RequestPlan {
  const body = sample.event.replace(`"${MARK_PLACE}"`, '{value}').replace(MARK_PLACE, '{mark}');
  const accounts = Array.from({ length: clients ?? 1 }, (_, index) => ({
    authorization: '',
    fields: { client: String(index) },
  }));
  if (dialect === 'mqtt') {
    const path = clients === null ? 'events/' : 'events/{client}';
    return { method: 'PUBLISH', path, body, accounts };
  }
  return {
    method: 'POST',
    path: clients === null ? '/publish' : '/publish?client={client}',
    contentType: 'application/json',
    body,
    accounts,
  };
}

/** Seats at servers that know no queues. The floor gets the bytes ours gets, a peer a number. */
export function plainSeats(
  clients: number,
  kind: 'floor' | 'peer',
  accounts: readonly Account[],
): Seat[] {
  return Array.from({ length: clients }, (_, index) => ({
    authorization: accounts[index % accounts.length]?.authorization ?? '',
    queueId: kind === 'peer' ? String(index) : `queue-${String(index).padStart(18, '0')}`,
    lastEventId: kind === 'peer' ? 0 : FIRST_CURSOR,
  }));
}

/** Accounts nobody knows, for runs without our server. */
export function strangers(count: number): Account[] {
  return Array.from({ length: count }, (_, index) => {
    const text = `user${index}@bench.invalid:${'k'.repeat(32)}`;
    return { userId: index, authorization: `Basic ${Buffer.from(text).toString('base64')}` };
  });
}
