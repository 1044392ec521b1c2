import fc from 'fast-check';
import t from 'tap';
import { PostingList } from '../../../../../src/organization/state/message-index/posting-lists.js';

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 800 }), { maxLength: 600 });

function ascending(some: readonly number[]): number[] {
  return [...some].sort((a, b) => a - b);
}

void t.test('removing many leaves the others, and says which were there', async (t) => {
  fc.assert(
    fc.property(ids, ids, (present, gone) => {
      const list = new PostingList();
      for (const id of present) list.add(id);
      const removed = list.removeAll(ascending(gone));
      const left = ascending(present.filter((id) => !gone.includes(id)));
      t.same(removed, ascending(present.filter((id) => gone.includes(id))));
      t.same(list.toArray(), left);
      t.equal(list.last, left.at(-1));
      // The memory given back is taken again.
      for (const id of removed) list.add(id);
      t.same(list.toArray(), ascending(present));
    }),
    { numRuns: 50 },
  );
});

void t.test('few or many ids are added to a long list, and removed from it', async (t) => {
  const long = Array.from({ length: 3000 }, (_, i) => 2 * i + 1);
  const even = fc.integer({ min: 0, max: 3100 }).map((half) => 2 * half);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uniqueArray(even, { maxLength: 20 }),
        fc.uniqueArray(even, { minLength: 800, maxLength: 1000 }),
      ),
      (some) => {
        const list = PostingList.from(long);
        const added = ascending(some);
        list.addAll(added);
        t.same(list.toArray(), ascending([...long, ...some]));
        t.same(list.removeAll(ascending([...added, 2999, 6201])), ascending([...added, 2999]));
        t.same(
          list.toArray(),
          long.filter((id) => id !== 2999),
        );
      },
    ),
    { numRuns: 50 },
  );
});

void t.test('reaches never misses an id', async (t) => {
  fc.assert(
    fc.property(ids, fc.nat(900), fc.nat(900), (present, a, b) => {
      const list = PostingList.from(ascending(present));
      const [from, to] = ascending([a, b]) as [number, number];
      return list.reaches(from, to) || !present.some((id) => id >= from && id <= to);
    }),
  );
  t.notOk(new PostingList().reaches(0, 9));
  t.notOk(PostingList.from([5, 7]).reaches(8, 9));
  t.notOk(PostingList.from([5, 7]).reaches(1, 4));
});

void t.test('memory of a list that became short is given back', async (t) => {
  const list = PostingList.from(Array.from({ length: 10_000 }, (_, i) => i));
  const before = list.capacity;
  list.removeAll(Array.from({ length: 9_900 }, (_, i) => 100 + i));
  t.equal(list.length, 100);
  t.ok(list.capacity < before / 10);
});
