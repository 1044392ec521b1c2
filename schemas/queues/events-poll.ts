import Type from 'typebox';
import { Empty, endpoint, optional, required, withDefault } from '../endpoint.js';
import { parameterTexts } from '../parameter-texts.js';
import { Token } from '../text.js';
import { REGISTER_PARAMS } from './register.js';

/**
 * Reads a queue, or registers one when no `queue_id` is given (specification-endpoints.md#get-events;
 * event-queues.md#get-events).
 */
export const getEvents = endpoint({
  operation: 'get-events',
  method: 'GET',
  path: '/events',
  access: 'user',
  summary: 'Get the events of a queue, waiting for one if there is none',
  params: {
    ...REGISTER_PARAMS,
    queue_lifespan_secs: { ...REGISTER_PARAMS.queue_lifespan_secs, aliases: ['lifespan_secs'] },
    // The text `null` is a queue we do not know, not a wish for a new queue with every poll.
    queue_id: optional(Token),
    last_event_id: optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }), {
      nullMeansAbsent: true,
    }),
    dont_block: withDefault(Type.Boolean(), false),
  },
  response: Type.Object({
    events: Type.Array(Type.Object({ id: Type.Integer(), type: Type.String() })),
    queue_id: Type.String(),
  }),
  errors: ['BAD_EVENT_QUEUE_ID'],
  example: { event_types: ['message'], dont_block: true },
  events: [],
  level: 439,
});

/** Ends a queue of the caller (event-queues.md#delete-queue). */
export const deleteQueue = endpoint({
  operation: 'delete-queue',
  method: 'DELETE',
  path: '/events',
  access: 'user',
  summary: 'Delete an event queue',
  params: { queue_id: required(Token) },
  response: Empty,
  errors: ['BAD_EVENT_QUEUE_ID'],
  example: { queue_id: 'fb67bf8a-c031-47cc-84cf-ed80accacda8' },
  events: [],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'get-events.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  'get-events.queue_id':
    'Id of the queue to read. Without it a new one is made by the parameters of `POST /register`.',
  dont_block:
    'Whether the reply comes at once, also without an event; otherwise it waits for one, or for a heartbeat.',
});
