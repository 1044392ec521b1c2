import Type from 'typebox';
import { exact } from '../exact.js';
import { MutedUser } from '../muted-users.js';
import { OnboardingStep } from '../onboarding.js';
import { MutedTopic, UserTopic } from '../user-topics.js';

/** events.md section 10: somebody's setting of a topic. */
export const userTopic = Type.Object(
  { type: Type.Literal('user_topic'), ...UserTopic.properties },
  exact,
);

/** events.md section 10: its legacy twin, the complete list. */
export const mutedTopics = Type.Object(
  { type: Type.Literal('muted_topics'), muted_topics: Type.Array(MutedTopic) },
  exact,
);

/** events.md section 10: the complete list. */
export const mutedUsers = Type.Object(
  { type: Type.Literal('muted_users'), muted_users: Type.Array(MutedUser) },
  exact,
);

/** events.md section 10: the steps that are left. */
export const onboardingSteps = Type.Object(
  { type: Type.Literal('onboarding_steps'), onboarding_steps: Type.Array(OnboardingStep) },
  exact,
);

/** All events of topics, muted people and onboarding. */
export const topicEvents = [userTopic, mutedTopics, mutedUsers, onboardingSteps] as const;
