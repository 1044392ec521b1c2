/** The store under test and how tests talk about it. */
import type { Test } from 'tap';
import type { Commit, Document, Store, StoredEntry, Write } from '../../../../src/store/port.js';

/** One empty store to test with. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and opens what it left. */
  readonly reopen: () => Promise<Store>;
  /** Opens the same data a second time, beside the first. */
  readonly second: () => Promise<Store>;
}

export type OpenStore = (t: Test) => Promise<StoreUnderTest>;

export const TTL_MS = 60_000;

/** A commit with the parts given. */
export function commitOf(parts: Partial<Commit>): Commit {
  return { entries: [], writes: [], due: [], ...parts };
}

export function entry(seq: number, text = `{"seq":${seq}}`): StoredEntry {
  return { seq, text };
}

export function set(collection: string, id: string, document: Document): Write {
  return { op: 'set', key: { collection, id }, document };
}

export async function writer(open: OpenStore, t: Test) {
  const under = await open(t);
  const lease = await under.store.acquireLease('writer', TTL_MS);
  if (lease === null) throw new Error('A fresh store gives its lease');
  const put = (parts: Partial<Commit>): Promise<void> => under.store.commit(lease, commitOf(parts));
  return { ...under, lease, put };
}

export async function one(
  store: Store,
  collection: string,
  id: string,
): Promise<Document | undefined> {
  const [document] = await store.getMany([{ collection, id }]);
  return document;
}

export async function scanIds(
  store: Store,
  collection: string,
  options?: { after?: string; batch?: number; ahead?: boolean },
): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of store.scan(collection, options)) {
    for (const { id } of batch) ids.push(id);
  }
  return ids;
}

export async function seqs(
  store: Store,
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
): Promise<number[]> {
  return (await store.readJournal(from, to, 1_000_000)).map(({ seq }) => seq);
}
