import Type, { type Static } from 'typebox';
import { snapshot } from '../actor-snapshot.js';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, nullable, oneOf, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL, LATER, SCHEDULED } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MESSAGE_TYPES } from '../messages/messages.js';
import { parameterTexts } from '../parameter-texts.js';
import { MessageText } from '../text.js';

/** States of a scheduled message or reminder (`actors/scheduled-message.ts`); the last two are its end. */
export const SCHEDULED_STATES = ['pending', 'delivering', 'failed', 'sent', 'cancelled'] as const;
export type ScheduledState = (typeof SCHEDULED_STATES)[number];

/** A scheduled message. Kept in the store, not in memory. */
export const ScheduledMessageDocument = snapshot(
  'scheduled-message',
  2,
  SCHEDULED_STATES,
  Type.Object({
    id: Type.Integer(),
    /** The author. */
    user_id: Type.Integer(),
    type: oneOf('stream', 'private'),
    /** Channel id; or the ids of the recipients, ascending, the author only when writing to themselves. */
    to: Type.Union([Type.Integer(), Type.Array(Type.Integer())]),
    /** Empty for a direct message. */
    topic: Type.String(),
    content: Type.String(),
    rendered_content: Type.String(),
    /** UNIX seconds. */
    deliver_at: Type.Integer(),
    /** Why it could not be sent. */
    failure: nullable(Type.String()),
    /** Name of the program that scheduled or last edited it. */
    client: Type.String(),
    read_by_sender: Type.Boolean(),
  }),
);
export type ScheduledMessageDocument = Static<typeof ScheduledMessageDocument>;

/** A reminder of a message: an actor of the same machine. Kept in the store, not in memory. */
export const ReminderDocument = snapshot(
  'scheduled-message',
  2,
  SCHEDULED_STATES,
  Type.Object({
    id: Type.Integer(),
    /** Its creator and recipient. */
    user_id: Type.Integer(),
    /** The message it is about. */
    message_id: Type.Integer(),
    /** May be empty. */
    note: Type.String(),
    /** What would be sent now. */
    content: Type.String(),
    rendered_content: Type.String(),
    /** UNIX seconds. */
    deliver_at: Type.Integer(),
    /** Why it could not be sent. */
    failure: nullable(Type.String()),
  }),
);
export type ReminderDocument = Static<typeof ReminderDocument>;

/** The stored documents of `reminder`. */
export const reminderCollection = collection('reminder', ReminderDocument);

/** The stored documents of `scheduled_message`. */
export const scheduledMessageCollection = collection('scheduled_message', ScheduledMessageDocument);

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

const type = Type.Literal('scheduled_messages');

/** A message was scheduled; the list has one entry. */
export const scheduledMessagesAdd = Type.Object(
  {
    type,
    op: Type.Literal('add'),
    scheduled_messages: Type.Array(ScheduledMessage, { minItems: 1, maxItems: 1 }),
  },
  exact,
);

/** A scheduled message was edited, or could not be sent at its time. */
export const scheduledMessagesUpdate = Type.Object(
  { type, op: Type.Literal('update'), scheduled_message: ScheduledMessage },
  exact,
);

/** A scheduled message was deleted, or sent. */
export const scheduledMessagesRemove = Type.Object(
  { type, op: Type.Literal('remove'), scheduled_message_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data, to the author only. */
export const scheduledMessageEvents = events(
  scheduledMessagesAdd,
  scheduledMessagesUpdate,
  scheduledMessagesRemove,
);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'create-scheduled-message.to':
    'Channel messages: the id of the channel. Direct messages: a list of user ids.',
  'update-scheduled-message.to':
    'New recipient, as in creating: the id of a channel or a list of user ids; required when `type` changes.',
  scheduled_message_id:
    'Id of a scheduled message of the caller; no message ever has the same one.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  scheduled_message_id: ['Id of the scheduled message.', SCHEDULED],
  'ScheduledMessage.type': '`stream` for a message in a channel, `private` for a direct one.',
  'ScheduledMessage.to': [
    'Id of the channel, or ids of the recipients without the author.',
    GENERAL,
  ],
  'ScheduledMessage.topic': ['Topic of a channel message; left out for direct ones.', 'castle'],
  'ScheduledMessage.content': ['Text of the message in Markdown.', 'Good morning'],
  'ScheduledMessage.rendered_content': ['The text as HTML.', '<p>Good morning</p>'],
  split_group_id: [
    'Common id of the parts of a split message; always null, because this server splits none.',
    null,
  ],
  'get-scheduled-messages.scheduled_messages':
    'Scheduled messages of the caller that were not sent, by delivery time.',
  'scheduled_messages.scheduled_messages': 'The new scheduled message, in a list of its own.',
  scheduled_message: 'The scheduled message as it is now.',
});
