import Type from 'typebox';
import { exact } from '../exact.js';
import { MutedTopic, UserTopic } from './user-topics.js';
import { events } from '../event.js';

/** events-personal.md#personal-data: somebody's setting of a topic. */
export const userTopic = Type.Object(
  { type: Type.Literal('user_topic'), ...UserTopic.properties },
  exact,
);

/** events-personal.md#personal-data: its legacy twin, the complete list. */
export const mutedTopics = Type.Object(
  { type: Type.Literal('muted_topics'), muted_topics: Type.Array(MutedTopic) },
  exact,
);

/** All events of topics. */
export const topicEvents = events(userTopic, mutedTopics);
