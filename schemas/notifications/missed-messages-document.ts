import Type, { type Static } from 'typebox';
import { oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

/**
 * Why a message notifies somebody, the strongest reason first: of several the first one counts
 * (notifications.md#who).
 */
export const TRIGGERS = [
  'direct_message',
  'mention',
  'followed_topic_wildcard',
  'wildcard',
  'alert_word',
  'followed_topic',
  'channel',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

/**
 * Messages of which a user is told by mail when their time has come, if they are still unread then. Written in the
 * transaction of the message, deleted in the one that queues the mails.
 */
export const MissedMessagesDocument = Type.Object({
  user_id: Type.Integer(),
  /** When the first of them was sent, milliseconds since 1970: the user's batching period counts from then. */
  since: Type.Integer(),
  /** In the order of their arrival. */
  messages: Type.Array(Type.Object({ id: Type.Integer(), trigger: oneOf(...TRIGGERS) })),
  /** Further messages, which found no room. */
  more: Type.Integer(),
});
export type MissedMessagesDocument = Static<typeof MissedMessagesDocument>;

/** The stored documents of `missed_messages`. */
export const missedMessagesCollection = collection('missed_messages', MissedMessagesDocument);

/**
 * A message that may notify so many that its own transaction doesn't decide it for each: a sweep does, some receivers
 * in each transaction.
 */
export const NotificationSweepDocument = Type.Object({
  message_id: Type.Integer(),
  /** When it was sent, milliseconds since 1970. */
  at: Type.Integer(),
  /** Receivers up to this id were asked. */
  after: Type.Integer(),
});
export type NotificationSweepDocument = Static<typeof NotificationSweepDocument>;

/** The stored documents of `notification_sweep`. */
export const notificationSweepCollection = collection(
  'notification_sweep',
  NotificationSweepDocument,
);

/**
 * Receivers of a message whose clients took messages when it was sent, and who would have been told of it otherwise: they
 * are asked again if their clients have vanished, as a closed lid makes them. Written in the transaction of the message.
 */
export const NotificationWatchDocument = Type.Object({
  message_id: Type.Integer(),
  /** The first of them in the beginning: the receivers of a large channel are in several lists. */
  first: Type.Integer(),
  /** When they were asked, milliseconds since 1970. */
  at: Type.Integer(),
  /** Ascending, not empty. */
  users: Type.Array(Type.Integer()),
  /** Those of them who got a push at once. */
  pushed: Type.Array(Type.Integer()),
});
export type NotificationWatchDocument = Static<typeof NotificationWatchDocument>;

/** The stored documents of `notification_watch`. */
export const notificationWatchCollection = collection(
  'notification_watch',
  NotificationWatchDocument,
);
