import type { Test } from 'tap';
import type { DueChange } from '../../../../src/store/port.js';
import { writer, type OpenStore } from './under-test.js';

/** The due index. */
export function dueTests(t: Test, open: OpenStore): void {
  const change = (id: string, at: number | null, index = 'wake'): DueChange => ({ index, id, at });

  void t.test('lists ids in due order', async (t) => {
    const { store, put, reopen } = await writer(open, t);
    t.same(await store.due('wake', Infinity, 1), []);
    const far = 2 ** 45;
    await put({ due: [change('b', 300), change('a', far), change('9', 20), change('c:1 é', 300)] });
    await put({ due: [change('z', 1, 'other'), change('y', 0, 'wakes')] });
    t.same(await store.due('wake', 299, 10), [{ id: '9', at: 20 }]);
    t.same(await store.due('wake', 300, 10), [
      { id: '9', at: 20 },
      { id: 'b', at: 300 },
      { id: 'c:1 é', at: 300 },
    ]);
    t.same(await store.due('wake', far, 2), [
      { id: '9', at: 20 },
      { id: 'b', at: 300 },
    ]);
    t.same(await store.due('wake', -1, 10), []);
    const again = await reopen();
    t.same(await again.due('wake', Infinity, 1), [{ id: '9', at: 20 }]);
    t.equal((await again.due('wake', Infinity, 10)).length, 4);
    t.same(await again.due('other', Infinity, 10), [{ id: 'z', at: 1 }]);
  });

  void t.test('made anew, an id leaves the time that it should not have', async (t) => {
    const { store, put } = await writer(open, t);
    await put({ due: [change('a', 300), change('b', 200)] });
    await put({
      due: [
        { ...change('a', 400), was: 300 },
        { ...change('b', null), was: 200 },
      ],
    });
    t.same(await store.due('wake', Infinity, 10), [{ id: 'a', at: 400 }]);
  });

  void t.test('an id has one slot, the newest', async (t) => {
    const { store, put } = await writer(open, t);
    await put({ due: [change('a', 100), change('a', 50), change('b', 70)] });
    t.same(await store.due('wake', Infinity, 10), [
      { id: 'a', at: 50 },
      { id: 'b', at: 70 },
    ]);
    await Promise.all([
      put({ due: [change('a', 80)] }),
      put({ due: [change('a', 90)] }),
      put({ due: [change('b', null), change('nobody', null)] }),
      put({ due: [change('b', 10)] }),
      put({ due: [change('b', null)] }),
    ]);
    t.same(await store.due('wake', Infinity, 10), [{ id: 'a', at: 90 }]);
    await put({ due: [change('a', 90)] });
    t.same(await store.due('wake', Infinity, 10), [{ id: 'a', at: 90 }], 'to the same time');
    await put({ due: [change('a', null)] });
    t.same(await store.due('wake', Infinity, 10), []);
  });
}
