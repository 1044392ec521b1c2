import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * Stored fingerprint of the secret from which API keys are derived: it identifies the secret without
 * revealing it.
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
