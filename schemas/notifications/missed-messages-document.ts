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
