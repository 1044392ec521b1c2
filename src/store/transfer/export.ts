import { lineOf, type ContentRecord, type Header, type Tally } from './format.js';
import { SEAL_COLLECTION } from './seal.js';
import { MARK_COLLECTION } from './unfinished.js';
import { DamagedError, type StoreReads } from '../port.js';

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
