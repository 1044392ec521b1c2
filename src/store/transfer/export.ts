import { lineOf, type ContentRecord, type Header, type Tally } from './format.js';
import { SEAL_COLLECTION } from './seal.js';
import { MARK_COLLECTION } from './unfinished.js';
import { DamagedError, type StoreReads } from '../port.js';
import { storableFault, MAX_COMMIT_TEXT, UnstorableError } from '../storable.js';
import { readsOf } from '../scan-apart.js';

/** Journal entries read at a time. */
const ENTRIES = 256;

/**
 * A store as an export file, some lines at a time. It must not change meanwhile: it is a snapshot or a
 * copy, or the caller holds the lease and proves at the end that it still does (`beforeEnd`), or the
 * file stays without its end.
 */
export async function* exportLines(
  store: StoreReads,
  header: Header,
  tally: Tally,
  beforeEnd: () => Promise<void>,
): AsyncGenerator<string> {
  const first = `${JSON.stringify(header)}\n`;
  tally.header(first);
  yield first;
  yield* contentLines(store, tally);
  await beforeEnd();
  yield `${JSON.stringify(tally.trailer())}\n`;
}

/**
 * What a store holds, as long as every other store could keep it: so that a move fails before its source is sealed, not
 * where the file is imported.
 * @throws Error for the first document or entry that another store would refuse
 */
export function movable(store: StoreReads): StoreReads {
  return {
    ...readsOf(store),
    async *scan(collection, options) {
      for await (const batch of store.scan(collection, options)) {
        for (const { id, document } of batch) {
          const fault = storableFault(document);
          if (fault !== null) throw new UnstorableError({ collection, id }, fault);
        }
        yield batch;
      }
    },
    async readJournal(from, to, limit) {
      const entries = await store.readJournal(from, to, limit);
      const large = entries.find(({ text }) => text.length > MAX_COMMIT_TEXT);
      if (large === undefined) return entries;
      throw new Error(`Entry ${large.seq} is larger than a commit of another store may be`);
    },
  };
}

/** The lines between header and trailer, some at a time; `tally` counts them. */
export async function* contentLines(store: StoreReads, tally: Tally): AsyncGenerator<string> {
  for await (const records of contentOf(store)) {
    let text = '';
    for (const record of records) {
      tally.count(record);
      text += lineOf(record);
    }
    tally.lines(text);
    yield text;
  }
}

async function* contentOf(store: StoreReads): AsyncGenerator<readonly ContentRecord[]> {
  for (const collection of await store.collections()) {
    if (collection === MARK_COLLECTION || collection === SEAL_COLLECTION) continue;
    for await (const batch of store.scan(collection, { ahead: true })) {
      yield batch.map(({ id, document }) => ({ collection, id, document }));
    }
  }
  yield* entriesOf(store);
  for (const due of await store.dueIndexes()) {
    for await (const batch of store.scanDue(due)) {
      yield batch.map(({ id, at }) => ({ due, id, at }));
    }
  }
}

async function* entriesOf(store: StoreReads): AsyncGenerator<readonly ContentRecord[]> {
  const last = (await store.lastEntry())?.seq;
  let next = await store.firstSeq();
  while (last !== undefined && next !== null) {
    const batch = await store.readJournal(next, last, ENTRIES);
    const newest = batch.at(-1);
    if (newest === undefined) return;
    const damaged = batch.find((entry) => entry.damaged);
    if (damaged) {
      throw new DamagedError(store.description, `entry ${damaged.seq}`, 'its checksum differs');
    }
    yield batch.map(({ seq, text }) => ({ seq, entry: text }));
    next = newest.seq + 1;
  }
}
