import {
  updateSubscriptionProperties,
  updateSubscriptionProperty,
} from '../../schemas/subscription-properties.js';
import { changeSubscription } from '../organization/subscription-change.js';
import { handle, type AnyHandler } from './handler.js';

/** Personal settings per channel: seed, endpoints 3 and 4. Several changes happen all or not at all. */
export function subscriptionPropertyHandlers(): AnyHandler[] {
  return [
    handle(updateSubscriptionProperties, (tx, { user, params }) => {
      for (const change of params.subscription_data) changeSubscription(tx, user, change);
      return {};
    }),
    handle(updateSubscriptionProperty, (tx, { user, params }) => {
      changeSubscription(tx, user, params);
      return {};
    }),
  ];
}
