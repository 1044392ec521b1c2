import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * Stored mark of the secret that API keys are derived from: enough to tell whether a secret is the
 * same one, and of no use to find it.
 */
export const KeySecretDocument = Type.Object({
  /** Random, hexadecimal. */
  salt: Type.String(),
  /** HMAC-SHA256 of the salt under the secret, hexadecimal. */
  fingerprint: Type.String(),
});
export type KeySecretDocument = Static<typeof KeySecretDocument>;

/** The stored documents of `key_secret`. */
export const keySecretCollection = collection('key_secret', KeySecretDocument);
