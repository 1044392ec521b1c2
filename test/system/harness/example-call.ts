import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { GENERAL, MESSAGE, OPHELIA, OWNER, SENT } from '../../../schemas/example-values.js';
import type { Body } from './client.js';

/** What a test has in place of the people, the channel, the messages and the queue of the examples. */
export interface Ids {
  readonly userId: number;
  readonly streamId: number;
  readonly messageId: number;
  readonly queueId: string;
}

/** By parameter: which id takes the place of which values. */
const PLACES: Readonly<Record<string, readonly [keyof Ids, readonly unknown[]]>> = {
  user_id: ['userId', [OWNER, OPHELIA]],
  user_id_or_email: ['userId', [String(OWNER)]],
  stream_id: ['streamId', [GENERAL]],
  message_id: ['messageId', [MESSAGE, SENT]],
};

/** The same of lists with one id. */
const LISTS: Readonly<Record<string, keyof Ids>> = {
  messages: 'messageId',
  msg_ids: 'messageId',
};

function inPlace(name: string, value: unknown, ids: Ids): unknown {
  if (name === 'queue_id') return ids.queueId;
  const list = LISTS[name];
  if (list !== undefined) return [ids[list]];
  const place = PLACES[name];
  return place?.[1].includes(value) ? ids[place[0]] : value;
}

/** The parameters of an endpoint's example (`schemas/example-values.ts`), with the ids of a test. */
export function exampleCall({ example = {} }: EndpointDescriptor, ids: Ids): Body {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, inPlace(name, value, ids)]),
  );
}
