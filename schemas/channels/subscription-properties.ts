import Type from 'typebox';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { MAX_LIST_ITEMS } from '../limits.js';
import { checkedText, ShortText } from '../text.js';
import { GENERAL } from '../example-values.js';

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
