import Type from 'typebox';
import { Empty, endpoint, oneOf, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { checkedText } from '../text.js';

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
