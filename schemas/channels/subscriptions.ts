import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, nullable, oneOf, required } from '../endpoint.js';
import { GENERAL } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_LIST_ITEMS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText } from '../text.js';

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

/** What a subscriber can set per channel (specification-resources.md#subscription-properties). */
export const SUBSCRIPTION_PROPERTIES = [
  'color',
  'is_muted',
  'in_home_view',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
] as const;
/** One of {@link SUBSCRIPTION_PROPERTIES}. */
export type SubscriptionProperty = (typeof SUBSCRIPTION_PROPERTIES)[number];

/** Whether a subscription has a property of this name. */
export function isSubscriptionProperty(name: string): name is SubscriptionProperty {
  return (SUBSCRIPTION_PROPERTIES as readonly string[]).includes(name);
}

/** The handler refuses others with a text of its own. */
const Property = checkedText({ enum: SUBSCRIPTION_PROPERTIES });

/** Text for `color`, boolean for all others; which one is the handler's to check. */
const Value = Type.Union([Type.Boolean(), ShortText]);

/** specification-endpoints.md#update-subscriptions. */
export const updateSubscriptionProperties = endpoint({
  operation: 'update-subscription-properties',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  access: 'user',
  summary: 'Change settings of several of your subscriptions',
  params: {
    subscription_data: required(
      Type.Array(
        // Any property name: the handler refuses with `Unknown subscription property: {p}`.
        Type.Object({ stream_id: Id, property: Property, value: Value }),
        { maxItems: MAX_LIST_ITEMS },
      ),
    ),
  },
  response: Empty,
  errors: [],
  example: {
    subscription_data: [{ stream_id: GENERAL, property: 'color', value: '#76ce90' }],
  },
  events: ['subscription'],
  level: 139,
});

/** specification-endpoints.md#update-subscription. */
export const updateSubscriptionProperty = endpoint({
  operation: 'update-subscription-property',
  method: 'PATCH',
  path: '/users/me/subscriptions/{stream_id}',
  access: 'user',
  summary: 'Change a setting of one of your subscriptions',
  params: {
    stream_id: required(Id),
    property: required(Property),
    value: required(Value, { wire: 'lenient' }),
  },
  response: Empty,
  errors: [],
  example: { stream_id: GENERAL, property: 'pin_to_top', value: true },
  events: ['subscription'],
  level: 139,
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  subscription_data:
    'Changes, as objects with `stream_id`, `property` and `value`; all of them happen, or none.',
  property:
    'What changes: `color`, `is_muted`, `in_home_view` (its opposite), `pin_to_top`, or one of the notification properties.',
  value: 'New value: a color such as `#c2c2c2`, or a boolean.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'subscription_data.stream_id': ['Channel the caller is subscribed to.', GENERAL],
  'subscription_data.property': [
    'What changes, as in `PATCH /users/me/subscriptions/{stream_id}`.',
    'color',
  ],
  'subscription_data.value': ['New value: a color, or a boolean.', '#76ce90'],
});
