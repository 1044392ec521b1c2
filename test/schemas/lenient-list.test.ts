import t from 'tap';
import { Value } from 'typebox/value';
import { entriesOf, LenientList, namesOf, principalsOf } from '../../schemas/lenient-list.js';

void t.test('lists come as JSON, bare, or comma-joined', async (t) => {
  for (const list of [['x', 'y'], [1, 2], [1, 'x'], 7, 'x,y', 'x', []]) {
    t.ok(Value.Check(LenientList, list), JSON.stringify(list));
  }
  for (const list of [true, null, { x: 1 }, [[1]], [null], [-1], 1.5]) {
    t.notOk(Value.Check(LenientList, list), JSON.stringify(list));
  }
  t.notOk(Value.Check(LenientList, new Array(10_001).fill(1)), 'bounded');
});

void t.test('comma-joined entries are split and trimmed', async (t) => {
  t.same(entriesOf('x, y,,z'), ['x', 'y', 'z']);
  t.same(entriesOf(['a, b', 'c']), ['a, b', 'c'], 'JSON entries are taken as they are');
  t.same(entriesOf(''), []);
});

void t.test('names stay texts and principals become ids', async (t) => {
  t.same(namesOf(2024), ['2024']);
  t.same(namesOf('2024,x'), ['2024', 'x']);
  t.same(principalsOf('7, 8'), [7, 8]);
  t.same(principalsOf(['a@b.c', 9]), ['a@b.c', 9]);
  t.same(principalsOf('99999999999999999999'), ['99999999999999999999']);
});
