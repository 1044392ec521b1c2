import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored mute of one user by another. */
export const MutedUserDocument = Type.Object({
  user_id: Type.Integer(),
  muted_user_id: Type.Integer(),
  /** UNIX seconds. */
  timestamp: Type.Integer(),
});
export type MutedUserDocument = Static<typeof MutedUserDocument>;

/** The stored documents of `muted_user`. */
export const mutedUserCollection = collection('muted_user', MutedUserDocument);
