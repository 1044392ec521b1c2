import Type, { type Static } from 'typebox';

/** When somebody last did anything, kept about once a day. */
export const UserActivityDocument = Type.Object({
  user_id: Type.Integer(),
  /** UNIX seconds; what they did within a day after that changes nothing. */
  active_at: Type.Integer(),
});
export type UserActivityDocument = Static<typeof UserActivityDocument>;
