import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { type Frozen, nullable, oneOf } from '../endpoint.js';
import { events } from '../event.js';
import { TRIGGERS } from '../notifications/missed-messages-document.js';
import { exact } from '../exact.js';

/** One reaction as stored and shown (endpoints-messages.md#message-object). */
export const ReactionDocument = Type.Object({
  emoji_name: Type.String(),
  emoji_code: Type.String(),
  reaction_type: Type.Unsafe<'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji'>(Type.String()),
  user_id: Type.Integer(),
});

/** Content of a widget, or an action on it (endpoints-flags.md#submessages). */
export const SubmessageDocument = Type.Object({
  id: Type.Integer(),
  sender_id: Type.Integer(),
  /** JSON, as it was sent. */
  content: Type.String(),
});
export type SubmessageDocument = Static<typeof SubmessageDocument>;

/**
 * One edit of a message (endpoints-messages.md#message-object, `edit_history`), as stored and, except for the names
 * of the empty topic, as shown. Each pair of keys is present only if that property was changed.
 */
export const MessageEditDocument = Type.Object({
  /** Editor; null only for edits of earlier versions, which did not record it. */
  user_id: nullable(Type.Integer()),
  /** UNIX seconds. */
  timestamp: Type.Integer(),
  prev_topic: Type.Optional(Type.String()),
  topic: Type.Optional(Type.String()),
  prev_stream: Type.Optional(Type.Integer()),
  stream: Type.Optional(Type.Integer()),
  /** The new content is `prev_content` of the next newer edit, or the present content. */
  prev_content: Type.Optional(Type.String()),
  prev_rendered_content: Type.Optional(Type.String()),
});
export type MessageEditDocument = Static<typeof MessageEditDocument>;

/**
 * Channels of a message that was moved. With the spans of subscriptions it decides who received the message:
 * users subscribed to the first channel when it was sent, and to each further one when it arrived there.
 */
export const MessageRoute = Type.Object({
  /** Channel to which it was sent. */
  from: Type.Integer(),
  /** Channels to which it was moved, each with the journal position of the move; the last is the present one. */
  hops: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
});
export type MessageRoute = Static<typeof MessageRoute>;

/** Stored message. Kept in the store, not in memory; the message index has a few numbers of it. */
export const MessageDocument = Type.Object({
  id: Type.Integer(),
  /** Journal position of the entry that sent it; decides who received it. */
  seq: Type.Integer(),
  sender_id: Type.Integer(),
  /** Conversation id: a channel's, or that of a set of users. */
  recipient_id: Type.Integer(),
  /** Channel, or null for a direct message. */
  stream_id: nullable(Type.Integer()),
  topic: Type.String(),
  content: Type.String(),
  rendered_content: Type.String(),
  /** UNIX seconds. */
  timestamp: Type.Integer(),
  client: Type.String(),
  /** Users mentioned by name or through a group, ascending. */
  mentioned: Type.Array(Type.Integer()),
  channel_wildcard: Type.Boolean(),
  /** Users whom a topic wildcard reached, ascending. */
  topic_wildcard: Type.Array(Type.Integer()),
  /** Users with an alert word in the message, ascending. */
  alerted: Type.Array(Type.Integer()),
  has_link: Type.Boolean(),
  has_image: Type.Boolean(),
  has_attachment: Type.Boolean(),
  topic_links: Type.Array(Type.Object({ text: Type.String(), url: Type.String() })),
  reactions: Type.Array(ReactionDocument),
  /** The widget and the actions on it, oldest first; absent if the message has none. */
  submessages: Type.Optional(Type.Array(SubmessageDocument)),
  last_edit_timestamp: nullable(Type.Integer()),
  last_moved_timestamp: nullable(Type.Integer()),
  /** Newest first; absent if it was never changed. */
  edit_history: Type.Optional(Type.Array(MessageEditDocument)),
  /** Absent if it was never moved to another channel. */
  route: Type.Optional(MessageRoute),
});
export type MessageDocument = Static<typeof MessageDocument>;

/** Participants of direct messages, the sender included. */
export const ConversationDocument = Type.Object({
  recipient_id: Type.Integer(),
  /** Ascending, without duplicates. */
  user_ids: Type.Array(Type.Integer()),
});
export type ConversationDocument = Static<typeof ConversationDocument>;

/**
 * Read state of one user in one conversation: ranges of message ids, inclusive, ascending, disjoint. A range
 * may contain ids of other conversations, which do not count, so reading in order stays one range.
 */
export const ReadStateDocument = Type.Object({
  user_id: Type.Integer(),
  recipient_id: Type.Integer(),
  read: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
  /** Messages that the user never received and marked as unread, ascending. They are received while they are unread. */
  recalled: Type.Optional(Type.Array(Type.Integer())),
});
export type ReadStateDocument = Static<typeof ReadStateDocument>;

/** Personal flags of one message: starred or collapsed. */
export const MessageFlagsDocument = Type.Object({
  user_id: Type.Integer(),
  message_id: Type.Integer(),
  starred: Type.Boolean(),
  collapsed: Type.Boolean(),
});
export type MessageFlagsDocument = Static<typeof MessageFlagsDocument>;

/** The stored documents of `conversation`. */
export const conversationCollection = collection('conversation', ConversationDocument);

/** The stored documents of `mark`. */
export const markCollection = collection('mark', MessageFlagsDocument);

/** The stored documents of `message`. */
export const messageCollection = collection('message', MessageDocument);

/** The stored documents of `reading`. */
export const readingCollection = collection('reading', ReadStateDocument);

const Text = Type.String();
const Int = Type.Integer();

/** Link in a topic. */
export const TopicLink = Type.Object({ text: Text, url: Text }, { ...exact, title: 'TopicLink' });

/** Kinds of emoji. */
export const REACTION_TYPES = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;

/** A reaction as messages and events show it (endpoints-messages.md#message-object). */
export const ReactionObject = Type.Object(
  {
    emoji_name: Text,
    emoji_code: Text,
    reaction_type: oneOf(...REACTION_TYPES),
    user_id: Int,
    user: Type.Optional(Type.Object({ user_id: Int, email: Text, full_name: Text }, exact)),
  },
  { ...exact, title: 'Reaction' },
);

/** A widget, or what somebody did with it, as messages show it (endpoints-messages.md#message-object). */
export const SubmessageObject = Type.Object(
  { id: Int, message_id: Int, sender_id: Int, msg_type: Type.Literal('widget'), content: Text },
  { ...exact, title: 'Submessage' },
);
export type SubmessageObject = Frozen<Static<typeof SubmessageObject>>;

/** Somebody in a direct conversation. */
const Participant = Type.Object(
  { id: Int, email: Text, full_name: Text, is_mirror_dummy: Type.Literal(false) },
  { ...exact, title: 'Participant' },
);

/** A change of a message (endpoints-messages.md#message-object, edit_history). */
export const EditHistoryEntry = Type.Object(
  {
    user_id: nullable(Int),
    timestamp: Int,
    prev_topic: Type.Optional(Text),
    topic: Type.Optional(Text),
    prev_stream: Type.Optional(Int),
    stream: Type.Optional(Int),
    prev_content: Type.Optional(Text),
    prev_rendered_content: Type.Optional(Text),
  },
  { ...exact, title: 'MessageEdit' },
);

const FIELDS = {
  id: Int,
  sender_id: Int,
  sender_email: Text,
  sender_full_name: Text,
  sender_realm_str: Text,
  type: oneOf('stream', 'private'),
  stream_id: Type.Optional(Int),
  display_recipient: Type.Union([Text, Type.Array(Participant)]),
  subject: Text,
  recipient_id: Int,
  content: Text,
  content_type: oneOf('text/html', 'text/x-markdown'),
  timestamp: Int,
  client: Text,
  avatar_url: nullable(Text),
  reactions: Type.Array(ReactionObject),
  is_me_message: Type.Boolean(),
  topic_links: Type.Array(TopicLink),
  submessages: Type.Array(SubmessageObject),
  last_edit_timestamp: Type.Optional(Int),
  last_moved_timestamp: Type.Optional(Int),
};

/** A message inside an event (endpoints-messages.md#message-object). */
export const EventMessage = Type.Object(FIELDS, { ...exact, title: 'EventMessage' });
export type EventMessage = Frozen<Static<typeof EventMessage>>;

/** A message that was fetched (endpoints-messages.md#message-object). */
export const MessageObject = Type.Object(
  {
    ...FIELDS,
    flags: Type.Array(Text),
    edit_history: Type.Optional(Type.Array(EditHistoryEntry)),
    match_content: Type.Optional(Text),
    match_subject: Type.Optional(Text),
  },
  { ...exact, title: 'Message' },
);
export type MessageObject = Frozen<Static<typeof MessageObject>>;

const Ids = Type.Array(Type.Integer());

/** events-messages.md#messages: a new message. */
export const message = Type.Object(
  {
    type: Type.Literal('message'),
    message: EventMessage,
    flags: Type.Array(Type.String()),
    local_message_id: Type.Optional(Type.String()),
    notice: Type.Optional(oneOf(...TRIGGERS)),
  },
  exact,
);

/** A message that is unread again. */
const Details = Type.Union([
  Type.Object(
    {
      type: Type.Literal('private'),
      mentioned: Type.Optional(Type.Literal(true)),
      user_ids: Ids,
    },
    exact,
  ),
  Type.Object(
    {
      type: Type.Literal('stream'),
      mentioned: Type.Optional(Type.Literal(true)),
      stream_id: Type.Integer(),
      topic: Type.String(),
      unmuted_stream_msg: Type.Boolean(),
    },
    exact,
  ),
]);

/** events-messages.md#messages: own flags of messages changed. */
export const updateMessageFlags = Type.Object(
  {
    type: Type.Literal('update_message_flags'),
    op: oneOf('add', 'remove'),
    operation: oneOf('add', 'remove'),
    flag: Type.String(),
    messages: Ids,
    all: Type.Boolean(),
    message_details: Type.Optional(Type.Record(Type.String(), Details)),
  },
  exact,
);

/** All events of messages and their flags. */
export const messageEvents = events(message, updateMessageFlags);
