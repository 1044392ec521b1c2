import { randomBytes } from '../../platform/randomness.js';

/** A random name for URLs and documents; from 12 bytes on unguessable, and with 18 also good as a password. */
export function newToken(bytes = 18): string {
  return randomBytes(bytes).toString('base64url');
}
