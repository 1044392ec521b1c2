import {
  updateSubscriptionProperties,
  updateSubscriptionProperty,
} from '../../../schemas/channels/subscription-properties.js';
import { changeSubscription } from '../../organization/channels/subscription-change.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/**
 * Personal settings per channel (specification-endpoints.md#update-subscriptions and
 * specification-endpoints.md#update-subscription). Several changes apply all or not at all.
 */
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
