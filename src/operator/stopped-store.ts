import { changesOf } from '../journal/entry-reading.js';
import { openStore } from '../store/open.js';
import type { Store } from '../store/port.js';
import { assertStoreThere } from '../store/transfer/command.js';
import { withLease, type HeldLease } from '../store/transfer/held.js';
import { refuseSealed } from '../store/transfer/seal.js';
import { refuseUnfinishedImport } from '../store/transfer/unfinished.js';

/** Reads a store that no process serves. */
export async function readStopped<Result>(
  url: string,
  read: (store: Store) => Promise<Result>,
): Promise<Result> {
  assertStoreThere(url);
  const store = await openStore(url, { readChanges: changesOf });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/**
 * Runs a command that changes a store which no process serves: opens it, takes the lease, and closes it.
 * @throws Error when there is no store, it is served or sealed, or an import into it was not finished
 */
export async function withStoppedStore<Result>(
  url: string,
  work: (store: Store, held: HeldLease) => Promise<Result>,
): Promise<Result> {
  assertStoreThere(url);
  const store = await openStore(url, { readChanges: changesOf });
  try {
    return await withLease(store, async (held) => {
      await refuseUnfinishedImport(store);
      await refuseSealed(store);
      return work(store, held);
    });
  } finally {
    await store.close();
  }
}
