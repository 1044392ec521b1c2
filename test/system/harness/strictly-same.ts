import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';

/**
 * Asserts `t.strictSame`, without its cost where it holds: that assertion prints both sides before it judges
 * them, 15 ms for a snapshot, and these tests compare thousands. The differences are printed as ever.
 */
export function strictlySame(t: Test, found: unknown, wanted: unknown, message: string): void {
  if (isDeepStrictEqual(found, wanted)) t.pass(message);
  else t.strictSame(found, wanted, message);
}
