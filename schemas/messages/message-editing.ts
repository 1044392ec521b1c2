import Type, { type Static } from 'typebox';
import {
  Empty,
  endpoint,
  type Frozen,
  Id,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { events, formOfEvent } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL, MESSAGE, OPHELIA, OWNER, SENT, VERONA } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { MessageText, ShortText } from '../text.js';

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

const TopicLinks = Type.Array(Type.Object({ text: Type.String(), url: Type.String() }, exact));

/** Keys of every `update_message`. */
const ALWAYS = {
  type: Type.Literal('update_message'),
  user_id: nullable(Type.Integer()),
  edit_timestamp: Type.Integer(),
  message_id: Type.Integer(),
  message_ids: Type.Array(Type.Integer(), { minItems: 1 }),
  flags: Type.Array(Type.String()),
  rendering_only: Type.Literal(false),
};

const OF_CHANNEL = { stream_id: Type.Integer(), stream_name: Type.String() };

const CONTENT = {
  orig_content: Type.String(),
  orig_rendered_content: Type.String(),
  content: Type.String(),
  rendered_content: Type.String(),
  is_me_message: Type.Boolean(),
};

const MOVE = {
  orig_subject: Type.String(),
  propagate_mode: oneOf(...PROPAGATE_MODES),
};

const TOPIC = { subject: Type.String(), topic_links: TopicLinks };

/** The content of a direct message was changed. */
export const updateDirectMessage = Type.Object(
  { ...ALWAYS, ...CONTENT },
  formOfEvent('UpdateDirectMessageEvent'),
);

/** The content of a channel message was changed. */
export const updateMessageContent = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...CONTENT },
  formOfEvent('UpdateMessageContentEvent'),
);

/** Messages got another topic in the same channel. */
export const updateMessageTopic = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...MOVE, ...TOPIC },
  formOfEvent('UpdateMessageTopicEvent'),
);

/** Both at once. */
export const updateMessageContentAndTopic = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...CONTENT, ...MOVE, ...TOPIC },
  formOfEvent('UpdateMessageContentAndTopicEvent'),
);

/** Messages went to another channel under the same topic. */
export const updateMessageChannel = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...MOVE, new_stream_id: Type.Integer() },
  formOfEvent('UpdateMessageChannelEvent'),
);

/** Messages went to another topic of another channel. */
export const updateMessageChannelAndTopic = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...MOVE, ...TOPIC, new_stream_id: Type.Integer() },
  formOfEvent('UpdateMessageChannelAndTopicEvent'),
);

/** The HTML of a message changed by the server's own doing: a thumbnail is ready. */
export const updateMessageRendering = Type.Object(
  {
    ...ALWAYS,
    rendering_only: Type.Literal(true),
    stream_id: Type.Optional(Type.Integer()),
    stream_name: Type.Optional(Type.String()),
    content: Type.String(),
    rendered_content: Type.String(),
    is_me_message: Type.Boolean(),
  },
  formOfEvent('UpdateMessageRenderingEvent'),
);

/** Somebody writes, or stopped writing, while editing a message. */
export const typingEditMessage = Type.Object(
  {
    type: Type.Literal('typing_edit_message'),
    op: oneOf('start', 'stop'),
    sender_id: Type.Integer(),
    message_id: Type.Integer(),
    recipient: Type.Union([
      Type.Object(
        {
          type: Type.Literal('channel'),
          channel_id: Type.Integer(),
          topic: Type.String(),
        },
        exact,
      ),
      Type.Object(
        { type: Type.Literal('direct'), user_ids: Type.Array(Type.Integer(), { minItems: 1 }) },
        exact,
      ),
    ]),
  },
  exact,
);

/** events-messages.md#messages. */
export const messageEditingEvents = events(
  updateDirectMessage,
  updateMessageContent,
  updateMessageTopic,
  updateMessageContentAndTopic,
  updateMessageChannel,
  updateMessageChannelAndTopic,
  updateMessageRendering,
  typingEditMessage,
);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'update-message.topic':
    'New topic of the message and, by `propagate_mode`, of others. `✔ ` in front marks a resolved one.',
  'update-message.content':
    'New text in Markdown; only the author may change it, within the organization’s time limit.',
  propagate_mode:
    'Which messages get the new topic or channel: `change_one` this one, `change_later` also those after it, `change_all` the whole topic.',
  send_notification_to_old_thread:
    'Whether a notice in the former topic says where the messages went.',
  send_notification_to_new_thread:
    'Whether a notice in the new topic says where the messages come from.',
  'update-message.stream_id': 'Channel to move the message to, by `propagate_mode` with others.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'MessageVersion.user_id': [
    'Who made this version; null for old ones that did not note it.',
    OWNER,
  ],
  'MessageVersion.timestamp': ['When this version was made, UNIX seconds.', 1_750_000_060],
  'MessageVersion.topic': ['Topic of this version.', 'castle'],
  'MessageVersion.stream': [
    'Channel the message went to, by id; left out where it stayed.',
    VERONA,
  ],
  'MessageVersion.content': ['Text of this version in Markdown.', 'Who’s there?'],
  content_html_diff: [
    'HTML that marks what differs from the version before.',
    '<p>Who<del> i</del>s there?</p>',
  ],
  message_history:
    'Versions of the message, oldest first; the first is the message as it was sent.',
  detached_uploads:
    'Uploaded files of the caller that no message links since the change; they can be deleted with `DELETE /attachments/{attachment_id}`.',
  'update_message.user_id': ['Who made the change; null where the server did.', OWNER],
  edit_timestamp: ['When the change was made, UNIX seconds.', 1_750_000_060],
  'update_message.message_id': [
    'Id of the message that was edited, whose text changed where one did.',
    MESSAGE,
  ],
  'update_message.message_ids': [
    'Ids of all messages the change concerns: those that got another topic or channel too.',
    [MESSAGE],
  ],
  'update_message.flags': ['Flags of the edited message for this user.', ['read']],
  rendering_only: 'Whether only the HTML changed, by a preview that came later.',
  stream_name: ['Name of the channel.', 'general'],
  'update_message.stream_id': ['Channel in which the messages were before the change.', GENERAL],
  new_stream_id: ['Channel to which the messages went.', VERONA],
  orig_content: ['Text in Markdown before the change.', 'Who is there?'],
  orig_rendered_content: ['Text as HTML before the change.', '<p>Who is there?</p>'],
  orig_subject: ['Topic before the change.', 'ramparts'],
  'update_message.subject': ['Topic after the change.', 'castle'],
  'update_message.content': ['Text in Markdown after the change.', 'Who’s there?'],
  'update_message.rendered_content': ['Text as HTML after the change.', '<p>Who’s there?</p>'],
  'update_message.propagate_mode':
    'How many messages the editor chose: `change_one`, `change_later` or `change_all`.',
  'typing_edit_message.sender_id': ['Who is editing, by user id.', OWNER],
  'typing_edit_message.message_id': ['Message that is being edited.', MESSAGE],
  recipient: 'Where the message is.',
  'recipient.type': 'Whether that is a channel or a direct conversation.',
  channel_id: ['Channel of the message.', GENERAL],
  'recipient.topic': ['Topic of the message.', 'castle'],
  'recipient.user_ids': ['Everybody in the conversation, by id.', [OWNER, OPHELIA]],
  'DetachedUpload.id': ['Id of the file.', 1],
  'DetachedUpload.name': ['Name of the file, as it was uploaded.', 'ghost.txt'],
});
