import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored onboarding steps that a user has completed; absent for users who completed none. */
export const OnboardingDocument = Type.Object({
  user_id: Type.Integer(),
  /** Names, in the order of completion. */
  taken: Type.Array(Type.String()),
});
export type OnboardingDocument = Static<typeof OnboardingDocument>;

/** The stored documents of `onboarding`. */
export const onboardingCollection = collection('onboarding', OnboardingDocument);
