import Type from 'typebox';
import { endpoint, Id, IdList, optional, required, withDefault } from '../endpoint.js';
import { MESSAGE, SENT } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import {
  MAX_MESSAGES_PER_FETCH,
  MAX_NARROW_PAIRS,
  MAX_SUBMESSAGE_LENGTH,
  REMEMBERED_LOCAL_IDS,
} from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, MessageText, text, Token } from '../text.js';
import { MessageObject } from './message.js';
import { MessageCount, Narrow } from './narrow.js';

const Flag = Type.Boolean();

/** Values of `type` when sending; the first two mean direct, the others a channel. */
export const MESSAGE_TYPES = ['direct', 'private', 'stream', 'channel'] as const;

/** What can be done with a flag. */
export const FLAG_OPERATIONS = ['add', 'remove'] as const;
/** Flags that people change; others only the server sets. */
export const EDITABLE_FLAGS = ['read', 'starred', 'collapsed'] as const;

/** endpoints-messages.md#send-message. */
export const sendMessage = endpoint({
  operation: 'send-message',
  method: 'POST',
  path: '/messages',
  access: 'user',
  summary: 'Send a message',
  params: {
    // Any text: the handler refuses others with `Invalid message type`.
    type: required(checkedText({ enum: MESSAGE_TYPES })),
    // A name, an id, addresses, or a list of one kind of them; what is allowed, and the wording of
    // each refusal, depends on `type`, so the handler checks the shape.
    // Only bots with a default channel may leave it out, which the handler checks too.
    to: optional(Type.Unknown(), { wire: 'lenient' }),
    // Too long a topic or text is cut, not refused.
    topic: optional(MessageText, { aliases: ['subject'] }),
    content: required(MessageText),
    queue_id: optional(Token, {
      description:
        'Event queue of the sending client: its `message` event shows `local_id`, and the queue remembers what it sent.',
    }),
    local_id: optional(Token, {
      example: '1750000000.01',
      description:
        'The client’s own name for the message, different for each message of a queue. The same request sent again ' +
        'with the same `queue_id` and `local_id`, after a 503 or a broken connection, gets the first answer and makes ' +
        `no second message; that holds for the newest ${REMEMBERED_LOCAL_IDS} messages of a queue, while the queue ` +
        'lives. For another message the name is refused.',
    }),
    read_by_sender: optional(Flag),
    widget_content: optional(text(MAX_SUBMESSAGE_LENGTH)),
  },
  response: Type.Object({
    id: Type.Integer(),
    automatic_new_visibility_policy: Type.Optional(Type.Integer()),
  }),
  errors: [
    'STREAM_DOES_NOT_EXIST',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  example: { type: 'channel', to: 'general', topic: 'castle', content: 'Who’s there?' },
  events: ['message', 'user_topic', 'muted_topics', 'attachment'],
  level: 370,
});

/** endpoints-messages.md#read-messages. */
export const getMessages = endpoint({
  operation: 'get-messages',
  method: 'GET',
  path: '/messages',
  access: 'user',
  summary: 'Get messages around an anchor, or by id',
  params: {
    // A number, which may exceed 2^53 and then means newest, or a word: the handler reads it.
    anchor: optional(text(100)),
    anchor_date: optional(text(100)),
    use_first_unread_anchor: withDefault(Flag, false),
    num_before: withDefault(MessageCount, 0),
    num_after: withDefault(MessageCount, 0),
    include_anchor: withDefault(Flag, true),
    narrow: withDefault(Narrow, [], { nullMeansAbsent: true }),
    message_ids: optional(Type.Array(Id, { maxItems: MAX_MESSAGES_PER_FETCH })),
    client_gravatar: withDefault(Flag, true),
    apply_markdown: withDefault(Flag, true),
    allow_empty_topic_name: withDefault(Flag, false),
  },
  pairs: [{ of: ['message_ids', 'narrow'], max: MAX_NARROW_PAIRS }],
  response: Type.Object({
    messages: Type.Array(MessageObject),
    anchor: Type.Optional(Type.Integer()),
    found_anchor: Type.Optional(Flag),
    found_oldest: Type.Optional(Flag),
    found_newest: Type.Optional(Flag),
    history_limited: Type.Optional(Flag),
  }),
  errors: ['BAD_NARROW', 'INCOMPATIBLE_PARAMETERS'],
  example: { anchor: 'newest', num_before: 20, num_after: 0 },
  events: [],
  level: 334,
});

/** endpoints-messages.md#one-message. */
export const getMessage = endpoint({
  operation: 'get-message',
  method: 'GET',
  path: '/messages/{message_id}',
  access: 'user',
  summary: 'Get one message',
  params: {
    message_id: required(Id),
    apply_markdown: withDefault(Flag, true),
    allow_empty_topic_name: withDefault(Flag, false),
  },
  response: Type.Object({ message: MessageObject, raw_content: Type.String() }),
  errors: [],
  example: { message_id: MESSAGE },
  events: [],
  level: 334,
});

/** endpoints-flags.md#flags. */
export const updateMessageFlags = endpoint({
  operation: 'update-message-flags',
  method: 'POST',
  path: '/messages/flags',
  access: 'user',
  summary: 'Add or remove a personal flag of messages',
  params: {
    messages: required(IdList),
    // Any text: the handler refuses with `Invalid message flag operation: '{op}'`, `Invalid flag: '{f}'`.
    op: required(checkedText({ enum: FLAG_OPERATIONS })),
    flag: required(checkedText({ enum: EDITABLE_FLAGS })),
  },
  response: Type.Object({
    messages: Type.Array(Type.Integer()),
    ignored_because_not_subscribed_channels: Type.Optional(Type.Array(Type.Integer())),
  }),
  errors: [],
  example: { messages: [MESSAGE], op: 'add', flag: 'starred' },
  events: ['update_message_flags'],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  read_by_sender:
    'Whether the sender has read the message by sending it. Without it, that holds for clients with a person in front of them.',
  widget_content: [
    'A widget that clients show in place of the text, as JSON: `widget_type` (`poll`, `todo` or `zform`) and `extra_data`. Texts that begin with `/poll` or `/todo` make theirs themselves.',
    '{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["Soup","Salad"]}}',
  ],
  anchor_date: ['Time to read around, ISO 8601, with `anchor` `date`.', '2026-01-31T09:00:00Z'],
  use_first_unread_anchor: 'Older form of `anchor` `first_unread`, which wins over an id.',
  apply_markdown: 'Whether texts come as HTML (true) or as the Markdown that was written (false).',
  client_gravatar:
    'Whether the client makes up pictures of gravatar.com from the e-mail address itself; `avatar_url` is null for them.',
  'update-message-flags.op': '`add` sets the flag, `remove` takes it away.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'send-message.id': ['Id of the new message.', SENT],
  raw_content: [
    'Text of the message in Markdown, whatever `apply_markdown` says. Older clients read only this.',
    'Who’s **there**?',
  ],
  'get-message.message': 'The message.',
  'get-messages.messages': 'Messages of the page, oldest first.',
  'update-message-flags.messages': [
    'Ids of the messages that were asked for and that the caller received.',
    [MESSAGE],
  ],
  'get-messages.anchor': [
    'Id the page lies around: that of the anchor, or of the message it stands for.',
    MESSAGE,
  ],
  found_anchor: 'Whether the message at the anchor is in the page.',
  history_limited: 'Whether a plan hides older messages; always false.',
  automatic_new_visibility_policy: [
    'New policy of the topic for the sender: 2 unmuted, 3 followed. Left out if sending did not change it.',
    3,
  ],
});
