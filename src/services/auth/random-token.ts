import { randomBytes } from 'node:crypto';

/** An unguessable name; also good as a password. */
export function newToken(): string {
  return randomBytes(18).toString('base64url');
}
