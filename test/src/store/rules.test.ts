import fc from 'fast-check';
import t from 'tap';
import { compareIds, isStorableId, numericId } from '../../../src/store/rules.js';

void t.test('an id is numeric exactly when it is how its number is written', async () => {
  const id = fc.oneof(
    fc.maxSafeNat().map(String),
    fc.stringMatching(/^[0-9]{0,18}$/),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(id, (id) => {
      const number = Number(id);
      const canonical = Number.isSafeInteger(number) && number >= 0 && String(number) === id;
      return numericId(id) === (canonical ? number : -1);
    }),
  );
});

void t.test('ids have one order', async (t) => {
  t.same(['10', 'b', '2', '', '02', 'a'].sort(compareIds), ['2', '10', '', '02', 'a', 'b']);
  t.ok(compareIds('\uffff', '\u{10000}') < 0, 'by code point, not by UTF-16 unit');
});

void t.test('an id is well-formed and at most 1024 bytes', async (t) => {
  t.ok(isStorableId('é'.repeat(512)));
  t.notOk(isStorableId('é'.repeat(513)));
  t.ok(isStorableId('x'.repeat(1024)));
  t.ok(isStorableId('\u{1f600}'));
  t.notOk(isStorableId('\ude00\ud83d'));
});
