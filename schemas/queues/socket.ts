import Type from 'typebox';
import { endpoint, optional } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { Token } from '../text.js';
import { getEvents } from './events-poll.js';

/** Lets a browser, which cannot set headers, open a socket (socket.md). */
export const createTicket = endpoint({
  operation: 'create-socket-ticket',
  method: 'POST',
  path: '/events/ticket',
  access: 'user',
  summary: 'Get a ticket that opens one WebSocket without further credentials',
  params: {},
  keyOnly: true,
  response: Type.Object({ ticket: Type.String(), expires_in: Type.Integer() }),
  errors: [],
  events: [],
});

/** The upgrade of `GET /events` to a WebSocket (socket.md): the parameters of the poll, and a ticket. */
export const openSocket = endpoint({
  operation: 'open-event-socket',
  method: 'GET',
  path: '/events',
  access: 'user',
  summary: 'Receive the events of a queue over a WebSocket',
  params: {
    ...getEvents.params,
    ticket: optional(Token),
    compression: optional(Type.Literal('message')),
  },
  response: Type.Object({}),
  errors: ['BAD_EVENT_QUEUE_ID'],
  unpublished: true,
  events: [],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'open-event-socket.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  'open-event-socket.compression':
    '`message`: each frame is compressed by itself, where the client offers `permessage-deflate`.',
  'open-event-socket.queue_id':
    'Id of the queue to read. Without it a new one is made by the parameters of `POST /register`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  expires_in: ['Seconds until the ticket expires.', 30],
});
