import fc from 'fast-check';
import t from 'tap';
import {
  contains,
  type Intervals,
} from '../../../../../src/organization/state/message-index/intervals.js';
import { PostingList } from '../../../../../src/organization/state/message-index/posting-lists.js';
import {
  MadeSource,
  MergedCursor,
  type Source,
} from '../../../../../src/organization/state/message-index/merged-cursor.js';

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });

function intervalsOf(points: readonly number[]): Intervals {
  const sorted = [...points].sort((a, b) => a - b);
  const intervals: [number, number][] = [];
  for (let i = 0; i + 1 < sorted.length; i += 2) intervals.push([sorted[i]!, sorted[i + 1]!]);
  return intervals;
}

function walked(sources: readonly Source[], direction: 'up' | 'down', start: number): number[] {
  const walk = new MergedCursor(sources, direction, start);
  const found: number[] = [];
  for (let id = walk.next(); id !== undefined; id = walk.next()) found.push(id);
  return found;
}

void t.test('a walk gives each id of its sources once, in order, from the start', async (t) => {
  const source = fc.tuple(ids, ids).map(([list, points]): Source => {
    const sorted = [...list].sort((a, b) => a - b);
    return { list: PostingList.from(sorted), within: intervalsOf(points) };
  });
  fc.assert(
    fc.property(
      fc.array(source, { maxLength: 6 }),
      fc.integer({ min: 0, max: 61 }),
      (all, start) => {
        const present = new Set<number>();
        for (const { list, within } of all) {
          for (let i = 0; i < list.length; i++) {
            if (contains(within, list.at(i)!)) present.add(list.at(i)!);
          }
        }
        const sorted = [...present].sort((a, b) => a - b);
        const up = sorted.filter((id) => id >= start);
        const down = sorted.filter((id) => id <= start).reverse();
        return (
          walked(all, 'up', start).join() === up.join() &&
          walked(all, 'down', start).join() === down.join()
        );
      },
    ),
  );
  t.pass('held for all sources');
});

void t.test('a source is opened when its turn comes, and not before', async (t) => {
  const opened: number[] = [];
  const sources = [
    [1, 2],
    [3, 40],
    [5, 41],
    [6, 42],
  ].map(
    (list, i) =>
      new MadeSource(PostingList.from(list), () => {
        opened.push(i);
        return [[0, 41]];
      }),
  );
  const walk = new MergedCursor(sources, 'down', 100);
  t.equal(walk.next(), 41);
  t.same(opened, [3, 2], 'the newest ids are those of the last two');
  t.equal(walk.next(), 40);
  t.same(opened, [3, 2, 1]);
});

void t.test('a list keeps its order whatever order ids come in', async (t) => {
  fc.assert(
    fc.property(ids, ids, (added, removed) => {
      const list = new PostingList();
      for (const id of added) list.add(id);
      for (const id of removed) list.remove(id);
      const expected = added.filter((id) => !removed.includes(id)).sort((a, b) => a - b);
      return list.toArray().join() === expected.join();
    }),
  );
  const list = PostingList.from([2, 4]);
  t.notOk(list.add(4), 'an id is there once');
  t.equal(list.first, 2);
  t.equal(list.last, 4);
  t.ok(list.hasBetween(1, 3));
  t.notOk(list.hasBetween(2, 4));
});
