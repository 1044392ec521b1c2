import { randomFillSync } from 'node:crypto';

/** Random bytes that no token has yet: the system is asked once for some 200 tokens, which takes 15 µs each time. */
const unused = Buffer.alloc(4096);
let next = unused.length;

/** A random name for URLs and documents; from 12 bytes on unguessable, and with 18 also good as a password. */
export function newToken(bytes = 18): string {
  if (next + bytes > unused.length) {
    randomFillSync(unused);
    next = 0;
  }
  const end = next + bytes;
  const token = unused.toString('base64url', next, end);
  // A token is not readable in memory for longer than its holders keep it.
  unused.fill(0, next, end);
  next = end;
  return token;
}
