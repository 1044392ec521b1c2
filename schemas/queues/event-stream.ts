import Type from 'typebox';
import { Empty, endpoint, optional, required } from '../endpoint.js';
import { parameterTexts } from '../parameter-texts.js';
import { Token } from '../text.js';
import { getEvents } from './events-poll.js';

/** `GET /events` as server-sent events (socket.md): the parameters of the poll, and a ticket. */
export const openStream = endpoint({
  operation: 'open-event-stream',
  method: 'GET',
  path: '/events',
  access: 'user',
  summary: 'Receive the events of a queue as server-sent events',
  params: { ...getEvents.params, ticket: optional(Token) },
  response: Type.Object({}),
  errors: ['BAD_EVENT_QUEUE_ID'],
  unpublished: true,
  events: [],
});

/** Acknowledges events received as server-sent events, which have no channel back (socket.md). */
export const acknowledgeEvents = endpoint({
  operation: 'acknowledge-events',
  method: 'POST',
  path: '/events/ack',
  access: 'user',
  summary: 'Drop the events of a queue that its client has received',
  params: {
    queue_id: required(Token),
    last_event_id: required(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  response: Empty,
  errors: ['BAD_EVENT_QUEUE_ID'],
  example: { queue_id: 'fb67bf8a-c031-47cc-84cf-ed80accacda8', last_event_id: 1375 },
  events: [],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'open-event-stream.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  'open-event-stream.queue_id':
    'Id of the queue to read. Without it a new one is made by the parameters of `POST /register`.',
});
