import t from 'tap';
import { lruOfBytes, RecentlyUsed } from '../../../src/platform/lru.js';

void t.test('the most recently used values are kept, at most twice as many as promised', (t) => {
  const values = new RecentlyUsed<{ n: number }>(2);
  for (let n = 0; n < 4; n++) values.set(`k${n}`, { n });
  t.same(values.get('k0'), { n: 0 }, 'not promised, but still there');
  values.set('k4', { n: 4 });
  t.equal(values.get('k1'), undefined, 'unused for longest');
  t.same(values.get('k0'), { n: 0 }, 'used since');
  t.same(values.get('k4'), { n: 4 });
  t.end();
});

void t.test('what was deleted is gone, however long ago it was used', (t) => {
  const values = new RecentlyUsed<{ n: number }>(1);
  values.set('old', { n: 1 });
  values.set('young', { n: 2 });
  values.delete('old');
  values.delete('young');
  t.equal(values.get('old'), undefined);
  t.equal(values.get('young'), undefined);
  t.end();
});

void t.test('a cache is bounded in entries and in bytes', (t) => {
  const cache = lruOfBytes<number, Buffer>({ entries: 4, bytes: 100 }, ({ length }) => length);
  for (let n = 0; n < 5; n++) cache.set(n, Buffer.alloc(1));
  t.same([...cache.keys()], [4, 3, 2, 1], 'small values: the entries count');
  cache.set(5, Buffer.alloc(50));
  t.same([...cache.keys()], [5, 4, 3], 'a large one takes the place of two');
  t.end();
});
