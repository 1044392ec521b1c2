import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** When somebody last did anything, kept about once a day. */
export const UserActivityDocument = Type.Object({
  user_id: Type.Integer(),
  /** UNIX seconds; what they did within a day after that changes nothing. */
  active_at: Type.Integer(),
});
export type UserActivityDocument = Static<typeof UserActivityDocument>;

/** The stored documents of `user_activity`. */
export const userActivityCollection = collection('user_activity', UserActivityDocument);
