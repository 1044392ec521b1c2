import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Time of a user's last request, written about once a day. */
export const UserActivityDocument = Type.Object({
  user_id: Type.Integer(),
  /** UNIX seconds; later requests within a day do not change it. */
  active_at: Type.Integer(),
});
export type UserActivityDocument = Static<typeof UserActivityDocument>;

/** The stored documents of `user_activity`. */
export const userActivityCollection = collection('user_activity', UserActivityDocument);
