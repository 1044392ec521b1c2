import type { Test } from 'tap';
import { TrimmedError, type StoredEntry } from '../../../../src/store/port.js';
import {
  commitOf,
  entry,
  scanIds,
  seqs,
  set,
  TTL_MS,
  writer,
  type OpenStore,
} from './under-test.js';

/** Reading and trimming. */
export function journalTests(t: Test, open: OpenStore): void {
  void t.test('reads ranges, the first and the last', async (t) => {
    const { store, put, reopen } = await writer(open, t);
    t.equal(await store.lastEntry(), null);
    t.equal(await store.firstSeq(), null);
    t.same(await seqs(store), []);
    await put({ entries: [entry(1), entry(2), entry(256), entry(1000), entry(2 ** 33)] });
    t.same(await seqs(store), [1, 2, 256, 1000, 2 ** 33]);
    t.same(await seqs(store, 2, 1000), [2, 256, 1000], 'both ends included');
    t.same(await seqs(store, 3, 255), []);
    t.same(await store.readJournal(0, 5000, 2), [entry(1), entry(2)]);
    const again = await reopen();
    t.same(await again.lastEntry(), entry(2 ** 33));
    t.equal(await again.firstSeq(), 1);
  });

  void t.test('trims up to a position and keeps the newest entry', async (t) => {
    const { store, put, reopen } = await writer(open, t);
    await store.trimJournal(10);
    const all = Array.from({ length: 2000 }, (_, i) => entry(i + 1));
    await put({ entries: all, writes: [set('users', '1', {})] });
    await store.trimJournal(1500);
    t.equal(await store.firstSeq(), 1500);
    t.equal((await seqs(store)).length, 501);
    await store.trimJournal(3);
    t.equal(await store.firstSeq(), 1500, 'trimming again to an older position changes nothing');
    await store.trimJournal(1_000_000);
    t.same(await seqs(store), [2000]);
    const again = await reopen();
    t.same(await seqs(again), [2000]);
    const lease = await again.acquireLease('writer', TTL_MS);
    await again.commit(lease!, commitOf({ entries: [entry(2001)] }));
    t.same(await seqs(again), [2000, 2001]);
    t.same(await scanIds(again, 'users'), ['1'], 'documents are not touched');
  });

  void t.test('trims while entries are committed', async (t) => {
    const { store, put } = await writer(open, t);
    await put({ entries: Array.from({ length: 3000 }, (_, i) => entry(i + 1)) });
    const trimmed = store.trimJournal(2901);
    const commits = Array.from({ length: 50 }, (_, i) => put({ entries: [entry(3001 + i)] }));
    await Promise.all([trimmed, ...commits]);
    t.same(
      await seqs(store),
      Array.from({ length: 150 }, (_, i) => 2901 + i),
    );
  });
}

/** Reads from a follower until it has `count` entries. */
async function take(
  entries: AsyncIterator<readonly StoredEntry[]>,
  count: number,
): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const next = await entries.next();
    if (next.done === true) break;
    for (const { seq } of next.value) found.push(seq);
  }
  return found;
}

/** Followers, which see what is committed and never a silent gap. */
export function followTests(t: Test, open: OpenStore): void {
  void t.test('catches up, then yields entries as they are committed, until aborted', async (t) => {
    const { store, put } = await writer(open, t);
    const end = new AbortController();
    await put({ entries: Array.from({ length: 1200 }, (_, i) => entry(i + 1)) });
    const follower = store.follow(100, end.signal)[Symbol.asyncIterator]();
    t.same(
      await take(follower, 1100),
      Array.from({ length: 1100 }, (_, i) => 101 + i),
    );
    const waiting = take(follower, 2);
    await put({ entries: [entry(1300)] });
    await put({ writes: [set('users', '1', {})] });
    await put({ entries: [entry(1301)] });
    t.same(await waiting, [1300, 1301]);
    const last = follower.next();
    end.abort();
    t.equal((await last).done, true);
    t.equal((await store.follow(0, end.signal)[Symbol.asyncIterator]().next()).done, true);
  });

  void t.test('fails where the journal was trimmed before it', async (t) => {
    const { store, put } = await writer(open, t);
    const end = new AbortController();
    await put({ entries: [entry(10), entry(11), entry(12)] });
    const early = store.follow(9, end.signal)[Symbol.asyncIterator]();
    t.same(await take(early, 3), [10, 11, 12], 'a journal may start anywhere');
    await store.trimJournal(12);
    const late = store.follow(10, end.signal)[Symbol.asyncIterator]();
    await t.rejects(late.next(), TrimmedError);
    const inTime = store.follow(11, end.signal)[Symbol.asyncIterator]();
    t.same(await take(inTime, 1), [12]);
    end.abort();
  });

  void t.test('ends when the store is closed', async (t) => {
    const { store } = await writer(open, t);
    const follower = store.follow(0, new AbortController().signal)[Symbol.asyncIterator]();
    const next = follower.next();
    await store.close();
    t.equal((await next).done, true);
  });

  void t.test('goes on at another instance while the lease changes hands', async (t) => {
    const { store, lease, put, second } = await writer(open, t);
    const [reader, other] = [await second(), await second()];
    const end = new AbortController();
    await put({ entries: [entry(1)] });
    const follower = reader.follow(0, end.signal)[Symbol.asyncIterator]();
    t.same(await take(follower, 1), [1]);
    for (const seq of [2, 3, 4]) {
      const next = take(follower, 1);
      await put({ entries: [entry(seq)] });
      t.same(await next, [seq], 'whoever waits is woken');
    }
    await store.releaseLease(lease);
    const newer = await other.acquireLease('other', TTL_MS);
    const rest = take(follower, 3);
    for (const seq of [5, 6, 7]) await other.commit(newer!, commitOf({ entries: [entry(seq)] }));
    t.same(await rest, [5, 6, 7]);
    const own = other.follow(3, end.signal)[Symbol.asyncIterator]();
    t.same(await take(own, 4), [4, 5, 6, 7], 'the leader can follow itself');
    const former = store.follow(0, end.signal)[Symbol.asyncIterator]();
    t.same(await take(former, 7), [1, 2, 3, 4, 5, 6, 7], 'as can who led before');
    end.abort();
  });

  void t.test('several follow at once, each from its place', async (t) => {
    const { put, second } = await writer(open, t);
    const end = new AbortController();
    await put({ entries: Array.from({ length: 600 }, (_, i) => entry(i + 1)) });
    const readers = await Promise.all([second(), second()]);
    const followers = readers.flatMap((reader) =>
      [0, 300, 600].map((after) => reader.follow(after, end.signal)[Symbol.asyncIterator]()),
    );
    const taken = Promise.all(
      followers.map((follower, i) => take(follower, [601, 301, 1][i % 3]!)),
    );
    await put({ entries: [entry(601)] });
    t.same(
      (await taken).map((found) => [found[0], found.at(-1), found.length]),
      [0, 1].flatMap(() => [
        [1, 601, 601],
        [301, 601, 301],
        [601, 601, 1],
      ]),
    );
    end.abort();
  });
}
