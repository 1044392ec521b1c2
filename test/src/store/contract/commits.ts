import type { Test } from 'tap';
import { entry, one, scanIds, seqs, set, writer, type OpenStore } from './under-test.js';

/** Atomicity, order, and what a rejection means. */
export function commitTests(t: Test, open: OpenStore): void {
  void t.test(
    'documents, entries and due changes are there together after reopening',
    async (t) => {
      const { put, reopen } = await writer(open, t);
      await put({
        entries: [entry(1), entry(2)],
        writes: [set('users', '7', { name: 'Iago' })],
        due: [{ index: 'wake', id: '7', at: 1000 }],
      });
      const store = await reopen();
      t.same(await one(store, 'users', '7'), { name: 'Iago' });
      t.same(await seqs(store), [1, 2]);
      t.same(await store.due('wake', Infinity, 10), [{ id: '7', at: 1000 }]);
    },
  );

  void t.test('a refused commit changes nothing, and refuses those given after it', async (t) => {
    const { store, put } = await writer(open, t);
    const wrong = { entries: [entry(1)], writes: [set('users', '2', {})] };
    const results = await Promise.allSettled([
      put({ entries: [entry(1)], writes: [set('users', '1', {})] }),
      put({ ...wrong, due: [{ index: 'wake', id: '2', at: 5 }] }),
      put({ entries: [entry(2)], writes: [set('users', '3', {})] }),
    ]);
    t.same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    t.same(await scanIds(store, 'users'), ['1']);
    t.same(await seqs(store), [1]);
    t.same(await store.due('wake', Infinity, 10), []);

    await put({ entries: [entry(2)], writes: [set('users', '3', {})] });
    t.same(await seqs(store), [1, 2], 'the store goes on once the caller saw the rejection');
  });

  void t.test('refuses positions that do not increase and keys it cannot keep', async (t) => {
    const { store, put } = await writer(open, t);
    await put({ entries: [entry(5)] });
    await t.rejects(put({ entries: [entry(5)] }));
    await t.rejects(put({ entries: [entry(7), entry(6)] }));
    await t.rejects(put({ entries: [entry(6.5)] }));
    await t.rejects(put({ writes: [set('users', 'x'.repeat(1025), {})] }));
    await t.rejects(put({ writes: [set('users', 'half \ud83d', {})] }));
    await t.rejects(put({ writes: [set('a:b', '1', {})] }));
    await t.rejects(put({ due: [{ index: 'wake', id: '1', at: -1 }] }));
    await put({ entries: [entry(9)] });
    t.same(await seqs(store), [5, 9], 'gaps are allowed');
  });

  void t.test('overlapping commits take effect in call order', async (t) => {
    const { store, put, reopen } = await writer(open, t);
    const finished: number[] = [];
    const commits = Array.from({ length: 500 }, async (_, i) => {
      await put({
        entries: [entry(i + 1)],
        writes: [set('counters', 'shared', { value: i }), set('items', String(i), { value: i })],
      });
      finished.push(i);
    });
    await Promise.all(commits);
    t.same(
      finished,
      Array.from({ length: 500 }, (_, i) => i),
    );
    t.same(await one(store, 'counters', 'shared'), { value: 499 });
    const again = await reopen();
    t.same(await one(again, 'counters', 'shared'), { value: 499 });
    t.equal((await scanIds(again, 'items')).length, 500);
    t.equal((await seqs(again)).length, 500);
  });

  void t.test('an acknowledged commit can be read at once', async (t) => {
    const { store, put } = await writer(open, t);
    for (let seq = 1; seq <= 20; seq++) {
      await put({ entries: [entry(seq)], writes: [set('counters', 'c', { seq })] });
      t.same(await one(store, 'counters', 'c'), { seq });
      t.equal((await store.lastEntry())?.seq, seq);
    }
  });

  void t.test('keeps a document as it was when the commit was given', async (t) => {
    const { store, put } = await writer(open, t);
    const document = { tags: ['a'] };
    const done = put({ writes: [set('users', '1', document)] });
    document.tags.push('b');
    await done;
    t.same(await one(store, 'users', '1'), { tags: ['a'] });
  });
}
