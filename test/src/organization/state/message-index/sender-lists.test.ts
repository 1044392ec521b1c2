import t from 'tap';
import { SenderLists } from '../../../../../src/organization/state/message-index/sender-lists.js';

/** Ids `from` to `to`, inclusive, in steps. */
function ids(from: number, to: number, step: number): number[] {
  return Array.from({ length: (to - from) / step + 1 }, (_, i) => from + i * step);
}

void t.test('who sent few or many messages has their list, and those that come', async (t) => {
  const sent = [
    [9, ids(3, 30, 3)],
    [4_000_000_000, ids(1, 1000, 1)],
    [2, ids(5, 5, 1)],
    [7, ids(2, 66, 2)],
    [1, ids(40, 71, 1)],
  ] as const;
  let end = 0;
  const grouped = {
    keys: sent.map(([sender]) => sender),
    ids: Uint32Array.from(sent.flatMap(([, own]) => own)),
    ends: Uint32Array.from(sent.map(([, own]) => (end += own.length))),
  };
  const lists = new SenderLists(grouped);
  const expected = new Map<number, number[]>(sent.map(([sender, own]) => [sender, [...own]]));
  const assertAll = (): void => {
    for (const [sender, own] of expected) t.strictSame(lists.get(sender)?.toArray(), own);
  };
  t.equal(lists.get(3), undefined);
  // Changes of one list, none of its neighbours.
  lists.of(2).add(1001);
  lists.of(9).remove(6);
  lists.of(9).add(4);
  lists.of(3).add(1002);
  expected
    .set(2, [5, 1001])
    .set(9, [3, 4, ...ids(9, 30, 3)])
    .set(3, [1002]);
  assertAll();
  lists.get(1)!.removeAll(ids(40, 70, 1));
  expected.set(1, [71]);
  assertAll();
  t.equal(lists.get(1), lists.of(1));
});
