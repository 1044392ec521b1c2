import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** One reaction as stored and shown (endpoints-messages.md#message-object). */
export const ReactionDocument = Type.Object({
  emoji_name: Type.String(),
  emoji_code: Type.String(),
  reaction_type: Type.Unsafe<'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji'>(Type.String()),
  user_id: Type.Integer(),
});

/**
 * One change of a message (endpoints-messages.md#message-object, `edit_history`), as stored and, but for the names of
 * the empty topic, as shown. Each pair of keys is there only if that was changed.
 */
export const MessageEditDocument = Type.Object({
  /** Who changed it; null only for changes older than such records. */
  user_id: nullable(Type.Integer()),
  /** UNIX seconds. */
  timestamp: Type.Integer(),
  prev_topic: Type.Optional(Type.String()),
  topic: Type.Optional(Type.String()),
  prev_stream: Type.Optional(Type.Integer()),
  stream: Type.Optional(Type.Integer()),
  /** What followed it is the previous content of the next newer change, or the present one. */
  prev_content: Type.Optional(Type.String()),
  prev_rendered_content: Type.Optional(Type.String()),
});
export type MessageEditDocument = Static<typeof MessageEditDocument>;

/**
 * The way of a message that changed its channel. Who received it follows from this and the spans of
 * subscriptions: whoever was subscribed to the first channel when it was sent, and to each further one
 * when it arrived there.
 */
export const MessageRoute = Type.Object({
  /** Channel it was sent to. */
  from: Type.Integer(),
  /** Channels it was moved to, each with the journal position of the move; the last is where it is. */
  hops: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
});
export type MessageRoute = Static<typeof MessageRoute>;

/** Stored message. Kept in the store, not in memory; the index keeps a few numbers of it. */
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
  /** Users one of whose alert words it contains, ascending. */
  alerted: Type.Array(Type.Integer()),
  has_link: Type.Boolean(),
  has_image: Type.Boolean(),
  has_attachment: Type.Boolean(),
  topic_links: Type.Array(Type.Object({ text: Type.String(), url: Type.String() })),
  reactions: Type.Array(ReactionDocument),
  last_edit_timestamp: nullable(Type.Integer()),
  last_moved_timestamp: nullable(Type.Integer()),
  /** Newest first; absent if it was never changed. */
  edit_history: Type.Optional(Type.Array(MessageEditDocument)),
  /** Absent if it is in the channel it was sent to, and always was. */
  route: Type.Optional(MessageRoute),
});
export type MessageDocument = Static<typeof MessageDocument>;

/** A set of people who write to each other directly, the sender included. */
export const ConversationDocument = Type.Object({
  recipient_id: Type.Integer(),
  /** Ascending, without duplicates. */
  user_ids: Type.Array(Type.Integer()),
});
export type ConversationDocument = Static<typeof ConversationDocument>;

/**
 * What one user has read in one conversation: ranges of message ids, inclusive, ascending, disjoint.
 * Ids of other conversations inside a range mean nothing, so reading in order stays one range.
 */
export const ReadStateDocument = Type.Object({
  user_id: Type.Integer(),
  recipient_id: Type.Integer(),
  read: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
});
export type ReadStateDocument = Static<typeof ReadStateDocument>;

/** Personal marks on single messages: the few that were starred or collapsed. */
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
