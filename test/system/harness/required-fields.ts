import type { Test } from 'tap';
import type { Body } from './client.js';

/** Keys that a client reads without a default must be there, and not null. */
export function has(t: Test, body: Body, keys: string, name: string): void {
  const missing = keys.split(/\s+/).filter((key) => body[key] === undefined || body[key] === null);
  t.same(missing, [], `${name}: nothing is missing`);
}

/** Keys that may be null, but must be there. */
export function mentions(t: Test, body: Body, keys: string, name: string): void {
  t.same(
    keys.split(/\s+/).filter((key) => !(key in body)),
    [],
    `${name}: every key is there`,
  );
}
