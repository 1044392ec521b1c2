import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Somebody's second factor, from when they begin to set it up (endpoints-users.md#two-factor). */
export const TwoFactorDocument = Type.Object({
  user_id: Type.Integer(),
  /** Whether logins by password need it: since a code of the app was right. */
  two_factor: Type.Boolean(),
  /** Random; the secret of the codes is derived from it and a secret outside the store. */
  nonce: Type.String(),
  /** The newest time step whose code was used: none works twice. */
  last_step: Type.Integer(),
  /** Digests of recovery codes that were not used. */
  recovery_codes: Type.Array(Type.String()),
});
export type TwoFactorDocument = Static<typeof TwoFactorDocument>;

/** The stored documents of `two_factor`. */
export const twoFactorCollection = collection('two_factor', TwoFactorDocument);
