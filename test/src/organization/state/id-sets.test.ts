import t from 'tap';
import { IdSets } from '../../../../src/organization/state/id-sets.js';

void t.test('ids are kept by key, one or many, each once', async (t) => {
  const sets = new IdSets<string>();
  const shown = (): [number, number[]][] =>
    ['a', 'b'].map((key) => [sets.countOf(key), [...sets.of(key)]]);
  t.strictSame(shown(), [
    [0, []],
    [0, []],
  ]);
  for (const id of [0, 0]) sets.add('a', id);
  for (const id of [7, 3, 7, 5]) sets.add('b', id);
  t.strictSame(shown(), [
    [1, [0]],
    [3, [7, 3, 5]],
  ]);
  // One that is not there, then all but one, then the last.
  for (const id of [9, 7, 5]) for (const key of ['a', 'b']) sets.remove(key, id);
  t.strictSame(shown(), [
    [1, [0]],
    [1, [3]],
  ]);
  sets.add('b', 4);
  sets.remove('a', 0);
  t.strictSame(shown(), [
    [0, []],
    [2, [3, 4]],
  ]);
});
