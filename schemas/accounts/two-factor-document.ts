import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** A user's second factor, from the beginning of its set-up (endpoints-users.md#two-factor). */
export const TwoFactorDocument = Type.Object({
  user_id: Type.Integer(),
  /** Whether password logins need it: true once a code of the app was correct. */
  two_factor: Type.Boolean(),
  /** Random; the secret of the codes is derived from it and a secret outside the store. */
  nonce: Type.String(),
  /** The newest time step whose code was used: a code works once. */
  last_step: Type.Integer(),
  /** Digests of recovery codes that were not used. */
  recovery_codes: Type.Array(Type.String()),
});
export type TwoFactorDocument = Static<typeof TwoFactorDocument>;

/** The stored documents of `two_factor`. */
export const twoFactorCollection = collection('two_factor', TwoFactorDocument);
