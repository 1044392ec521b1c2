import {
  updateSubscriptionProperties,
  updateSubscriptionProperty,
} from '../../../schemas/channels/subscriptions.js';
import {
  changeSubscription,
  requireChangeable,
} from '../../organization/channels/subscription-change.js';
import { handle, handleInParts, type AnyHandler } from '../kernel/handler.js';

/**
 * Personal settings per channel (specification-endpoints.md#update-subscriptions and
 * specification-endpoints.md#update-subscription). All changes are checked before the first applies.
 */
export function subscriptionPropertyHandlers(): AnyHandler[] {
  return [
    handleInParts(updateSubscriptionProperties, function* (change, { user, params }) {
      for (const one of params.subscription_data) requireChangeable(change.org, user, one);
      for (const one of params.subscription_data) {
        if (change.isOver) yield* change.nextPart();
        // Another request may have ended the subscription between two parts.
        if (!change.org.subscriptions.isSubscribed(user.user_id, one.stream_id)) continue;
        changeSubscription(change.tx, user, one);
      }
      return {};
    }),
    handle(updateSubscriptionProperty, (tx, { user, params }) => {
      changeSubscription(tx, user, params);
      return {};
    }),
  ];
}
