import type { Test } from 'tap';
import type { Store } from '../../../../src/store/port.js';
import { set, writer, type OpenStore } from './under-test.js';

async function slots(store: Store, index: string, batch?: number) {
  const found: { id: string; at: number }[] = [];
  for await (const some of store.scanDue(index, { batch })) {
    if (batch !== undefined && some.length > batch) throw new Error('A batch is too long');
    found.push(...some);
  }
  return found;
}

/** What there is: collections, due indexes and their slots. */
export function listingTests(t: Test, open: OpenStore): void {
  void t.test('an empty store has no collections and no due indexes', async (t) => {
    const { store } = await writer(open, t);
    t.same(await store.collections(), []);
    t.same(await store.dueIndexes(), []);
    t.same(await slots(store, 'wake'), []);
    t.same(await slots(store, 'no:name'), []);
  });

  void t.test('lists collections that have documents, whatever their ids', async (t) => {
    const { put, reopen } = await writer(open, t);
    const gone = { collection: 'gone', id: '1' };
    await put({
      writes: [
        ...[set('users', '1', {}), set('users', '2', {}), set('users', 'x:y', {})],
        ...[set('user', 'only a name', {}), set('users.', '', {}), set('A-b_9', '0', {})],
        ...[set('gone', '1', {}), set('z', 'é', {})],
      ],
    });
    await put({ writes: [{ op: 'delete', key: gone }] });
    const store = await reopen();
    t.same(await store.collections(), ['A-b_9', 'user', 'users', 'users.', 'z']);
    t.same(await store.dueIndexes(), [], 'documents are no due indexes');
  });

  void t.test('lists due indexes that have slots', async (t) => {
    const { put, reopen } = await writer(open, t);
    const at = (index: string, id: string, time: number | null) => ({ index, id, at: time });
    await put({ due: [at('wake', 'a', 5), at('wakes', 'a', 5), at('wak', '1', 0)] });
    await put({ due: [at('none', 'a', 1), at('wake-', 'b:c', 9)] });
    await put({ due: [at('none', 'a', null)] });
    const store = await reopen();
    t.same(await store.dueIndexes(), ['wak', 'wake', 'wake-', 'wakes']);
    t.same(await store.collections(), [], 'slots are no documents');
  });

  void t.test('scans the slots of an index in batches, equal times by id', async (t) => {
    const { store, put } = await writer(open, t);
    const ids = Array.from({ length: 2500 }, (_, i) => `id ${String(i).padStart(4, '0')}`);
    await put({ due: ids.map((id) => ({ index: 'wake', id, at: 1000 })) });
    await put({
      due: [
        { index: 'wake', id: 'first', at: 0 },
        { index: 'wake', id: 'last é', at: 2 ** 45 },
        { index: 'wakes', id: 'of another index', at: 1000 },
        { index: 'wake', id: ids[7]!, at: null },
      ],
    });
    const expected = [
      { id: 'first', at: 0 },
      ...ids.filter((_, i) => i !== 7).map((id) => ({ id, at: 1000 })),
      { id: 'last é', at: 2 ** 45 },
    ];
    t.same(await slots(store, 'wake'), expected);
    t.same(await slots(store, 'wake', 100), expected);
    t.same(await slots(store, 'wake', 2501), expected, 'exactly one batch');
  });
}
