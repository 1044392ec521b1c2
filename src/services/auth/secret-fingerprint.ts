import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomBytes } from '../../platform/randomness.js';

/** Tells a secret from others without holding it. */
export interface SecretFingerprint {
  /** Random, hexadecimal. */
  readonly salt: string;
  /** Hexadecimal. */
  readonly fingerprint: string;
}

/** A fingerprint of a secret, another one each time. */
export function fingerprintOf(secret: Buffer): SecretFingerprint {
  const salt = randomBytes(16).toString('hex');
  return { salt, fingerprint: digest(secret, salt) };
}

/** Whether the fingerprint was made of this secret. */
export function isFingerprintOf(secret: Buffer, known: SecretFingerprint): boolean {
  const right = Buffer.from(digest(secret, known.salt));
  const given = Buffer.from(known.fingerprint);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** The words keep it apart from what else is derived from the secret: it says nothing about a key. */
function digest(secret: Buffer, salt: string): string {
  return createHmac('sha256', secret).update(`fingerprint:${salt}`).digest('hex');
}
