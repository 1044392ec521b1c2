import { join } from 'node:path';
import { changesOf } from '../../../src/journal/entry-reading.js';
import { loadCollections, messageSource } from '../../../src/organization/state/load.js';
import { Organization } from '../../../src/organization/state/organization.js';
import { IndexFile } from '../../../src/organization/state/message-index/index-file.js';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/port.js';
import { difference } from '../../fixtures/following/difference.js';

const SITE = { url: '', botDomain: '', generation: 0 };
/** The kept index of messages, in the folder of a store. */
const INDEX = 'message-index.bin';
/** Entries read at a time. */
const BATCH = 1000;

/**
 * Checks that the entries of an embedded store, folded from the first one on, make the organization that the
 * next start would load: a node that follows has what the leader has written. Where there is an index of messages
 * that fits, an organization with it is the same, too. Call when the server has ended.
 * @returns whether there was such an index
 * @throws Error where they do not
 */
export async function assertJournalTellsAll(folder: string): Promise<boolean> {
  const store = await openStore(`embedded:${folder}`);
  try {
    const { loaded, folded } = await assertStoreTellsAll(store);
    const kept = new Organization(SITE, messageSource(store), Date.now);
    const fail = (error: unknown): never => {
      throw error;
    };
    const file = new IndexFile(join(folder, INDEX), store, fail);
    if ((await loadCollections(store, kept, file)) === null) return false;
    kept.watchers.recordAll(folded.watchers);
    const other = difference(kept, loaded);
    if (other !== null) throw new Error(`The index that was kept is another: ${other}`);
    return true;
  } finally {
    await store.close();
  }
}

/** As {@link assertJournalTellsAll}, of an open store of any kind, without an index. @returns the two organizations */
export async function assertStoreTellsAll(
  store: Store,
): Promise<{ readonly loaded: Organization; readonly folded: Organization }> {
  const loaded = new Organization(SITE, messageSource(store), Date.now);
  const folded = new Organization(SITE, messageSource(store), Date.now);
  await loadCollections(store, loaded);
  await foldJournal(store, folded);
  loaded.watchers.recordAll(folded.watchers);
  const found = difference(folded, loaded);
  if (found !== null) throw new Error(`The journal does not tell what the store has: ${found}`);
  return { loaded, folded };
}

async function foldJournal(store: Store, org: Organization): Promise<void> {
  for (let from = 0; ;) {
    const entries = await store.readJournal(from, Infinity, BATCH);
    for (const entry of entries) org.fold(changesOf(entry).changes, entry.seq);
    const last = entries.at(-1);
    if (!last) return;
    from = last.seq + 1;
  }
}
