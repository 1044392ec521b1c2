import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored status of a user who set one; `away` follows from the setting `presence_enabled`. */
export const UserStatusDocument = Type.Object({
  user_id: Type.Integer(),
  status_text: Type.String(),
  /** The three are all empty, or all set. */
  emoji_name: Type.String(),
  emoji_code: Type.String(),
  reaction_type: Type.String(),
});
export type UserStatusDocument = Static<typeof UserStatusDocument>;

/** The stored documents of `user_status`. */
export const userStatusCollection = collection('user_status', UserStatusDocument);
