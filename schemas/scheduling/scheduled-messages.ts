import Type from 'typebox';
import { Empty, endpoint, Id, nullable, oneOf, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MESSAGE_TYPES } from '../messages/messages.js';
import { MessageText } from '../text.js';
import { GENERAL, LATER, SCHEDULED } from '../example-values.js';

/**
 * A scheduled message as the wire shows it (endpoints-personal.md#scheduled-messages,
 * events-personal.md#personal-data).
 */
export const ScheduledMessage = Type.Object(
  {
    scheduled_message_id: Type.Integer(),
    type: oneOf('stream', 'private'),
    /** Channel id, or ids of the recipients without the author unless they write to themselves. */
    to: Type.Union([Type.Integer(), Type.Array(Type.Integer())]),
    /** Only for type `stream`. */
    topic: Type.Optional(Type.String()),
    content: Type.String(),
    rendered_content: Type.String(),
    scheduled_delivery_timestamp: Type.Integer(),
    failed: Type.Boolean(),
    /** Always null: nothing splits a message here. */
    split_group_id: nullable(Type.Integer()),
  },
  { ...exact, title: 'ScheduledMessage' },
);

const Kind = oneOf(...MESSAGE_TYPES);
/** UNIX seconds; not later than the last instant a date can name, 8.64e12. */
export const DeliveryTime = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000 });
/** The valid form depends on `type`, so the handler checks it. */
const To = Type.Unknown();

/** Refusals of sending, which scheduling repeats. */
const SENDING_ERRORS = [
  'STREAM_DOES_NOT_EXIST',
  'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
] as const;

/** specification-endpoints.md#create-scheduled-message. */
export const createScheduledMessage = endpoint({
  operation: 'create-scheduled-message',
  method: 'POST',
  path: '/scheduled_messages',
  access: 'user',
  summary: 'Create a scheduled message',
  params: {
    type: required(Kind),
    to: required(To, { wire: 'json' }),
    // A topic or text that is too long is truncated, not refused.
    content: required(MessageText),
    topic: optional(MessageText, { aliases: ['subject'] }),
    scheduled_delivery_timestamp: required(DeliveryTime),
    read_by_sender: optional(Type.Boolean()),
  },
  response: Type.Object({ scheduled_message_id: Type.Integer() }, exact),
  errors: SENDING_ERRORS,
  example: {
    type: 'channel',
    to: GENERAL,
    topic: 'castle',
    content: 'Good morning',
    scheduled_delivery_timestamp: LATER,
  },
  events: ['scheduled_messages'],
  level: 248,
});

/** endpoints-personal.md#scheduled-messages. */
export const getScheduledMessages = endpoint({
  operation: 'get-scheduled-messages',
  method: 'GET',
  path: '/scheduled_messages',
  access: 'user',
  summary: 'Get your scheduled messages that were not delivered',
  params: {},
  response: Type.Object({ scheduled_messages: Type.Array(ScheduledMessage) }, exact),
  errors: [],
  events: [],
  level: 173,
});

/** endpoints-personal.md#scheduled-messages. */
export const updateScheduledMessage = endpoint({
  operation: 'update-scheduled-message',
  method: 'PATCH',
  path: '/scheduled_messages/{scheduled_message_id}',
  access: 'user',
  summary: 'Edit a scheduled message',
  params: {
    scheduled_message_id: required(Id),
    type: optional(Kind),
    to: optional(To, { wire: 'json' }),
    content: optional(MessageText),
    topic: optional(MessageText, { aliases: ['subject'] }),
    scheduled_delivery_timestamp: optional(DeliveryTime),
  },
  response: Empty,
  errors: SENDING_ERRORS,
  example: { scheduled_message_id: SCHEDULED, content: 'Good evening' },
  refusals: [404],
  events: ['scheduled_messages'],
  level: 248,
});

/** endpoints-personal.md#scheduled-messages. */
export const deleteScheduledMessage = endpoint({
  operation: 'delete-scheduled-message',
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  access: 'user',
  summary: 'Delete a scheduled message',
  params: { scheduled_message_id: required(Id) },
  response: Empty,
  errors: [],
  example: { scheduled_message_id: SCHEDULED },
  refusals: [404],
  events: ['scheduled_messages'],
  level: 173,
});
