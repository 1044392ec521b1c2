import Type from 'typebox';
import { Empty, endpoint, Id, nullable, required, withDefault } from '../endpoint.js';
import { GENERAL, MESSAGE, SENT } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, MessageText, text } from '../text.js';
import { EDITABLE_FLAGS, FLAG_OPERATIONS } from './messages.js';
import { MessageCount, Narrow } from './narrow.js';

const Flag = Type.Boolean();

/** endpoints-flags.md#flags. */
export const updateMessageFlagsForNarrow = endpoint({
  operation: 'update-message-flags-for-narrow',
  method: 'POST',
  path: '/messages/flags/narrow',
  access: 'user',
  summary: 'Add or remove a personal flag of the messages of a narrow',
  params: {
    // A number or a word, as when reading messages: the handler reads it.
    anchor: required(text(100)),
    include_anchor: withDefault(Flag, true),
    num_before: required(MessageCount),
    num_after: required(MessageCount),
    // As the peer has it: null is every message.
    narrow: required(nullable(Narrow)),
    // Any text: the handler refuses with `Invalid message flag operation: '{op}'`, `Invalid flag: '{f}'`.
    op: required(checkedText({ enum: FLAG_OPERATIONS })),
    flag: required(checkedText({ enum: EDITABLE_FLAGS })),
  },
  response: Type.Object({
    processed_count: Type.Integer(),
    updated_count: Type.Integer(),
    first_processed_id: nullable(Type.Integer()),
    last_processed_id: nullable(Type.Integer()),
    found_oldest: Flag,
    found_newest: Flag,
    ignored_because_not_subscribed_channels: Type.Optional(Type.Array(Type.Integer())),
  }),
  errors: ['BAD_NARROW'],
  example: {
    anchor: 'newest',
    num_before: 20,
    num_after: 0,
    narrow: [{ operator: 'channel', operand: GENERAL }],
    op: 'add',
    flag: 'read',
  },
  events: ['update_message_flags'],
  level: 155,
});

/** endpoints-flags.md#flags. */
export const markAllAsRead = endpoint({
  operation: 'mark-all-as-read',
  method: 'POST',
  path: '/mark_all_as_read',
  access: 'user',
  summary: 'Mark all messages as read',
  params: {},
  response: Type.Object({
    complete: Type.Boolean({ description: 'Whether all are marked; where not, call again.' }),
  }),
  errors: [],
  events: ['update_message_flags'],
  level: 211,
});

/** endpoints-flags.md#flags. */
export const markStreamAsRead = endpoint({
  operation: 'mark-stream-as-read',
  method: 'POST',
  path: '/mark_stream_as_read',
  access: 'user',
  summary: 'Mark the messages of a channel as read',
  params: { stream_id: required(Id) },
  response: Empty,
  errors: [],
  example: { stream_id: GENERAL },
  events: ['update_message_flags'],
});

/** endpoints-flags.md#flags. */
export const markTopicAsRead = endpoint({
  operation: 'mark-topic-as-read',
  method: 'POST',
  path: '/mark_topic_as_read',
  access: 'user',
  summary: 'Mark the messages of a topic as read',
  params: { stream_id: required(Id), topic_name: required(MessageText) },
  response: Empty,
  errors: [],
  example: { stream_id: GENERAL, topic_name: 'greetings' },
  events: ['update_message_flags'],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'update-message-flags-for-narrow.num_before':
    'Messages before the anchor to be looked at, at most 5000.',
  'update-message-flags-for-narrow.num_after':
    'Messages after the anchor to be looked at, at most 5000.',
  'update-message-flags-for-narrow.op': '`add` sets the flag, `remove` takes it away.',
  'mark-stream-as-read.stream_id': 'Id of the channel whose messages are read from now on.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  processed_count: ['Messages that were looked at.', 20],
  updated_count: ['Messages whose flag changed.', 3],
  first_processed_id: [
    'Id of the oldest message that was looked at, null without any; the anchor of a next step backwards.',
    MESSAGE,
  ],
  last_processed_id: [
    'Id of the newest message that was looked at, null without any; the anchor of a next step forwards.',
    SENT,
  ],
});
