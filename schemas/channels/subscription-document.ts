import Type, { type Static } from 'typebox';
import { nullable, oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

/**
 * Stored relation of one user to one channel; kept after unsubscribing, so that colour and
 * notification choices return with the user.
 */
export const SubscriptionDocument = Type.Object({
  user_id: Type.Integer(),
  stream_id: Type.Integer(),
  active: Type.Boolean(),
  /**
   * When the user was subscribed, in journal positions: `[from, to]` covers entries with
   * from <= seq < to; `to` is null while subscribed. Who received a message follows from this, so a
   * message to a channel writes nothing per subscriber.
   */
  spans: Type.Array(Type.Tuple([Type.Integer(), nullable(Type.Integer())])),
  color: Type.String(),
  is_muted: Type.Boolean(),
  pin_to_top: Type.Boolean(),
  desktop_notifications: nullable(Type.Boolean()),
  audible_notifications: nullable(Type.Boolean()),
  push_notifications: nullable(Type.Boolean()),
  email_notifications: nullable(Type.Boolean()),
  wildcard_mentions_notify: nullable(Type.Boolean()),
  /**
   * Set on a channel that the user left, once their clients have got `stream` create for it again: these count it as
   * never subscribed. `legacy`: only clients that do not list archived channels have, when it was unarchived.
   */
  introduced_again: Type.Optional(oneOf('all', 'legacy')),
});
export type SubscriptionDocument = Static<typeof SubscriptionDocument>;

/** Personal channel settings of a new subscription. */
export const SUBSCRIPTION_DEFAULTS = {
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
} as const satisfies Partial<SubscriptionDocument>;

/** The stored documents of `subscription`. */
export const subscriptionCollection = collection('subscription', SubscriptionDocument);
