import Type from 'typebox';
import { exact } from '../exact.js';
import { OnboardingStep } from './onboarding.js';
import { events } from '../event.js';

/** events-personal.md#personal-data: the steps that are left. */
export const onboardingSteps = Type.Object(
  { type: Type.Literal('onboarding_steps'), onboarding_steps: Type.Array(OnboardingStep) },
  exact,
);

/** All events of onboarding. */
export const onboardingEvents = events(onboardingSteps);
