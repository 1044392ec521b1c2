/**
 * What every store adapter must do: `storeContract` runs one adapter through the promises of
 * `src/store/port.ts`.
 */
import type { Test } from 'tap';
import { commitTests } from './contract/commits.js';
import { documentTests } from './contract/documents.js';
import { dueTests } from './contract/due.js';
import { followTests, journalTests } from './contract/journal.js';
import { leaseTests } from './contract/lease.js';
import { listingTests } from './contract/listing.js';
import type { OpenStore } from './contract/under-test.js';

/** Registers the contract's tests as one subtest called `name`. */
export function storeContract(t: Test, name: string, open: OpenStore): void {
  void t.test(`${name}: commits`, async (t) => commitTests(t, open));
  void t.test(`${name}: documents`, async (t) => documentTests(t, open));
  void t.test(`${name}: journal`, async (t) => journalTests(t, open));
  void t.test(`${name}: follow`, async (t) => followTests(t, open));
  void t.test(`${name}: due index`, async (t) => dueTests(t, open));
  void t.test(`${name}: listing`, async (t) => listingTests(t, open));
  void t.test(`${name}: lease and closing`, async (t) => leaseTests(t, open));
}
