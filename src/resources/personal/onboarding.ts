import * as descriptors from '../../../schemas/personal/onboarding.js';
import { takeOnboardingStep } from '../../organization/personal/onboarding.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Onboarding steps (endpoints-users.md#user-administration). */
export const onboardingHandler: AnyHandler = handle(
  descriptors.takeOnboardingStep,
  (tx, { user, params }) => {
    takeOnboardingStep(tx, user, params.onboarding_step);
    return {};
  },
);
