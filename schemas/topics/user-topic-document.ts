import Type, { type Static } from 'typebox';
import { oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

/** Visibility policies of a topic for one user (events-personal.md#personal-data). */
export const VISIBILITY = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

/** `inherit` means that nothing was chosen: the topic is as visible as its channel. */
export type VisibilityPolicy = 0 | 1 | 2 | 3;

/** Stored visibility policy of one user for one topic; absent for `inherit`. */
export const UserTopicDocument = Type.Object({
  user_id: Type.Integer(),
  stream_id: Type.Integer(),
  /** Spelling at the time of the choice; topics compare without case. */
  topic: Type.String(),
  visibility_policy: oneOf(1, 2, 3),
  /** UNIX seconds. */
  last_updated: Type.Integer(),
});
export type UserTopicDocument = Static<typeof UserTopicDocument>;

/** The stored documents of `user_topic`. */
export const userTopicCollection = collection('user_topic', UserTopicDocument);
