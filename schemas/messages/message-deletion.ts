import Type from 'typebox';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { events, formOfEvent } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL, MESSAGE } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { LongText } from '../text.js';

/** endpoints-messages.md#one-message. */
export const deleteMessage = endpoint({
  operation: 'delete-message',
  method: 'DELETE',
  path: '/messages/{message_id}',
  access: 'user',
  summary: 'Delete a message',
  params: { message_id: required(Id) },
  response: Empty,
  errors: [],
  example: { message_id: MESSAGE },
  events: ['delete_message', 'stream', 'attachment', 'update_message_flags'],
});

/** specification-endpoints.md#delete-topic. */
export const deleteTopic = endpoint({
  operation: 'delete-topic',
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  access: 'administrator',
  summary: 'Delete a topic and all its messages',
  params: {
    stream_id: required(Id),
    // Too long a name is cut, as it is when a message is sent there.
    topic_name: required(LongText),
  },
  response: Type.Object(
    {
      complete: Type.Boolean({
        description:
          'Whether all messages are deleted; where not, the time was too short for all: call again.',
      }),
    },
    exact,
  ),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { stream_id: GENERAL, topic_name: 'castle' },
  events: ['delete_message', 'stream', 'attachment', 'update_message_flags'],
  level: 211,
});

const type = Type.Literal('delete_message');

/** What an event about messages of a channel has beside their ids. */
const CHANNEL = {
  type,
  message_type: Type.Literal('stream'),
  stream_id: Type.Integer(),
  /** As it was; the organization's name for the empty one where the queue cannot show that. */
  topic: Type.String(),
};
/** The same of direct messages. */
const DIRECT = { type, message_type: Type.Literal('private') };
/** Ascending. */
const MANY = { message_ids: Type.Array(Type.Integer(), { minItems: 1 }) };
const ONE = { message_id: Type.Integer() };

/** Messages of a channel are gone; queues with `bulk_message_deletion`. */
export const channelMessagesDeleted = Type.Object(
  { ...CHANNEL, ...MANY },
  formOfEvent('DeleteChannelMessagesEvent'),
);

/** A message of a channel is gone; other queues. */
export const channelMessageDeleted = Type.Object(
  { ...CHANNEL, ...ONE },
  formOfEvent('DeleteChannelMessageEvent'),
);

/** Direct messages are gone; queues with `bulk_message_deletion`. */
export const directMessagesDeleted = Type.Object(
  { ...DIRECT, ...MANY },
  formOfEvent('DeleteDirectMessagesEvent'),
);

/** A direct message is gone; other queues. */
export const directMessageDeleted = Type.Object(
  { ...DIRECT, ...ONE },
  formOfEvent('DeleteDirectMessageEvent'),
);

/** events-messages.md#messages, to whoever could see the messages. */
export const deleteMessageEvents = events(
  channelMessagesDeleted,
  channelMessageDeleted,
  directMessagesDeleted,
  directMessageDeleted,
);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'delete_message.message_ids': ['Ids of the deleted messages, ascending.', [MESSAGE]],
  'delete_message.message_id': ['Id of the deleted message.', MESSAGE],
  'delete_message.stream_id': ['Channel of the deleted messages.', GENERAL],
  'delete_message.topic': ['Topic the messages had.', 'castle'],
});
