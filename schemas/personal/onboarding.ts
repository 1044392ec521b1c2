import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, oneOf, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText } from '../text.js';

/** Stored onboarding steps that a user has completed; absent for users who completed none. */
export const OnboardingDocument = Type.Object({
  user_id: Type.Integer(),
  /** Names, in the order of completion. */
  taken: Type.Array(Type.String()),
});
export type OnboardingDocument = Static<typeof OnboardingDocument>;

/** The stored documents of `onboarding`. */
export const onboardingCollection = collection('onboarding', OnboardingDocument);

/**
 * The steps there are, in the order in which clients have always listed them: hints that are shown
 * once.
 */
export const ONBOARDING_STEPS = [
  'visibility_policy_banner',
  'intro_inbox_view_modal',
  'intro_recent_view_modal',
  'first_stream_created_banner',
  'jump_to_conversation_banner',
  'non_interleaved_view_messages_fading',
  'interleaved_view_messages_fading',
  'intro_resolve_topic',
] as const;

/** A step that is left (events-personal.md#personal-data). */
export const OnboardingStep = Type.Object(
  { type: Type.Literal('one_time_notice'), name: oneOf(...ONBOARDING_STEPS) },
  { ...exact, title: 'OnboardingStep' },
);

/** endpoints-users.md#user-administration. */
export const takeOnboardingStep = endpoint({
  operation: 'mark-onboarding-step-as-read',
  method: 'POST',
  path: '/users/me/onboarding_steps',
  access: 'user',
  summary: 'Mark an onboarding step as done',
  params: { onboarding_step: required(checkedText({ enum: ONBOARDING_STEPS })) },
  response: Empty,
  errors: [],
  example: { onboarding_step: 'intro_resolve_topic' },
  events: ['onboarding_steps'],
  level: 233,
});

/** events-personal.md#personal-data: the steps that are left. */
export const onboardingSteps = Type.Object(
  { type: Type.Literal('onboarding_steps'), onboarding_steps: Type.Array(OnboardingStep) },
  exact,
);

/** All events of onboarding. */
export const onboardingEvents = events(onboardingSteps);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  onboarding_step: 'Name of a step from `onboarding_steps`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'OnboardingStep.type': 'Kind of the hint: one that is shown once.',
  'OnboardingStep.name': 'Which hint it is.',
  'onboarding_steps.onboarding_steps': 'Hints the user has not dismissed yet.',
});
