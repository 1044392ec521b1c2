import Type, { type Static } from 'typebox';
import {
  Empty,
  endpoint,
  Id,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
  type Frozen,
} from '../endpoint.js';
import { exact } from '../exact.js';
import { MessageText, ShortText } from '../text.js';
import { SENT, MESSAGE } from '../example-values.js';

const Flag = Type.Boolean();

/** Values of `propagate_mode`. */
export const PROPAGATE_MODES = ['change_one', 'change_later', 'change_all'] as const;

/** An uploaded file as its owner sees it (endpoints-files.md#files). */
export const DetachedUpload = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    path_id: Type.String(),
    size: Type.Integer(),
    create_time: Type.Integer(),
  },
  { title: 'DetachedUpload' },
);
export type DetachedUpload = Frozen<Static<typeof DetachedUpload>>;

/** endpoints-messages.md#one-message. */
export const updateMessage = endpoint({
  operation: 'update-message',
  method: 'PATCH',
  path: '/messages/{message_id}',
  access: 'user',
  summary: 'Change the content, topic or channel of a message',
  params: {
    message_id: required(Id),
    content: optional(MessageText),
    topic: optional(MessageText, { aliases: ['subject'] }),
    stream_id: optional(Id),
    propagate_mode: withDefault(oneOf(...PROPAGATE_MODES), 'change_one'),
    send_notification_to_old_thread: withDefault(Flag, false),
    send_notification_to_new_thread: withDefault(Flag, true),
    prev_content_sha256: optional(ShortText, {
      example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
      description: 'Hexadecimal SHA-256 of the content the client believes to be there',
    }),
  },
  response: Type.Object({ detached_uploads: Type.Array(DetachedUpload) }, exact),
  errors: [
    'EXPECTATION_MISMATCH',
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  example: { message_id: SENT, content: 'Nay, answer me' },
  events: [
    'update_message',
    'delete_message',
    'stream',
    'user_topic',
    'muted_topics',
    'update_message_flags',
    'message',
    'attachment',
  ],
  level: 423,
});

/** One version of a message (specification-resources.md#message-edit-history-snapshot). */
export const HistorySnapshot = Type.Object(
  {
    topic: Type.String(),
    content: Type.String(),
    rendered_content: Type.String(),
    timestamp: Type.Integer(),
    user_id: nullable(Type.Integer()),
    prev_topic: Type.Optional(Type.String()),
    stream: Type.Optional(Type.Integer()),
    prev_stream: Type.Optional(Type.Integer()),
    prev_content: Type.Optional(Type.String()),
    prev_rendered_content: Type.Optional(Type.String()),
    content_html_diff: Type.Optional(Type.String()),
  },
  { ...exact, title: 'MessageVersion' },
);
export type HistorySnapshot = Frozen<Static<typeof HistorySnapshot>>;

/** specification-endpoints.md#get-message-history. */
export const getMessageHistory = endpoint({
  operation: 'get-message-history',
  method: 'GET',
  path: '/messages/{message_id}/history',
  access: 'user',
  summary: 'Get the versions of a message, oldest first',
  params: {
    message_id: required(Id),
    allow_empty_topic_name: withDefault(Flag, false),
  },
  response: Type.Object({ message_history: Type.Array(HistorySnapshot, { minItems: 1 }) }, exact),
  errors: [],
  example: { message_id: MESSAGE },
  events: [],
  level: 334,
});

/** specification-endpoints.md#edit-typing. */
export const setTypingStatusForEdit = endpoint({
  operation: 'set-typing-status-for-message-edit',
  method: 'POST',
  path: '/messages/{message_id}/typing',
  access: 'user',
  summary: 'Set your typing status while editing a message',
  params: {
    message_id: required(Id),
    op: required(oneOf('start', 'stop')),
  },
  response: Empty,
  errors: [],
  example: { message_id: SENT, op: 'start' },
  events: ['typing_edit_message'],
  level: 361,
});
