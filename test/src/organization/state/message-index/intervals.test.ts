import fc from 'fast-check';
import t from 'tap';
import {
  addIds,
  contains,
  removeIds,
  subtract,
  type Intervals,
} from '../../../../../src/organization/state/message-index/intervals.js';
import { PostingList } from '../../../../../src/organization/state/message-index/posting-lists.js';

const SPACE = 40;
const idSet = fc.uniqueArray(fc.integer({ min: 1, max: SPACE })).map((ids) => ids.sort(ascending));

function ascending(a: number, b: number): number {
  return a - b;
}

function isCanonical(intervals: Intervals): boolean {
  return intervals.every(([from, to], i) => from <= to && (i === 0 || intervals[i - 1]![1] < from));
}

void t.test('reading and unreading messages is what sets of ids would give', async (t) => {
  fc.assert(
    fc.property(idSet, fc.array(fc.tuple(fc.boolean(), idSet), { maxLength: 8 }), (all, steps) => {
      const list = PostingList.from(all);
      const model = new Set<number>();
      let ranges: [number, number][] = [];
      for (const [add, some] of steps) {
        const ids = some.filter((id) => list.has(id));
        ranges = add ? addIds(ranges, ids, list) : removeIds(ranges, ids, list);
        for (const id of ids) {
          if (add) model.add(id);
          else model.delete(id);
        }
        if (!isCanonical(ranges)) return false;
        if (!all.every((id) => contains(ranges, id) === model.has(id))) return false;
      }
      return true;
    }),
  );
  t.pass('held for all sequences');
});

void t.test('whoever reads a conversation in order keeps one range', async (t) => {
  const list = PostingList.from([3, 7, 8, 20, 31]);
  let ranges: [number, number][] = [];
  for (const id of list.toArray()) ranges = addIds(ranges, [id], list);
  t.same(ranges, [[3, 31]], 'ids of other conversations in between do not matter');
});

void t.test('a gap closes when the message in it is read', async (t) => {
  const list = PostingList.from([1, 2, 3]);
  const ends = addIds([], [1, 3], list);
  t.same(ends, [
    [1, 1],
    [3, 3],
  ]);
  t.same(addIds(ends, [2], list), [[1, 3]]);
});

void t.test('subtracting leaves what is only on the left', async (t) => {
  t.same(
    subtract(
      [[1, 10]],
      [
        [3, 4],
        [6, 6],
      ],
    ),
    [
      [1, 2],
      [5, 5],
      [7, 10],
    ],
  );
  t.same(
    subtract(
      [
        [1, 3],
        [5, 9],
      ],
      [[2, 6]],
    ),
    [
      [1, 1],
      [7, 9],
    ],
  );
  t.same(subtract([[2, 3]], [[1, 9]]), []);
});
