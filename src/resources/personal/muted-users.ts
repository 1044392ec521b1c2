import * as schemas from '../../../schemas/personal/muted-users.js';
import { takeOnboardingStep as onboardingDescriptor } from '../../../schemas/personal/onboarding.js';
import { muteUser, unmuteUser } from '../../organization/personal/muted-users.js';
import { takeOnboardingStep } from '../../organization/personal/onboarding.js';
import { handle, handleInParts, type AnyHandler } from '../kernel/handler.js';

/** Muted users and onboarding steps (endpoints-users.md#muted-users-and-alert-words and endpoints-users.md#user-administration). */
export function mutedUserHandlers(): AnyHandler[] {
  return [
    handleInParts(schemas.muteUser, function* (change, { user, params }) {
      yield* muteUser(change, user, params.muted_user_id);
      return {};
    }),
    handle(schemas.unmuteUser, (tx, { user, params }) => {
      unmuteUser(tx, user, params.muted_user_id);
      return {};
    }),
    handle(onboardingDescriptor, (tx, { user, params }) => {
      takeOnboardingStep(tx, user, params.onboarding_step);
      return {};
    }),
  ];
}
