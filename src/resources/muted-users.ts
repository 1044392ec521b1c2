import * as schemas from '../../schemas/muted-users.js';
import { takeOnboardingStep as onboardingDescriptor } from '../../schemas/onboarding.js';
import { muteUser, unmuteUser } from '../organization/muted-users.js';
import { takeOnboardingStep } from '../organization/onboarding.js';
import { handle, handleInParts, type AnyHandler } from './handler.js';

/** Muted users and onboarding steps (endpoints.md sections C.5 and C.3). */
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
