import fc from 'fast-check';
import t from 'tap';
import {
  fromValueText,
  isNestedWithin,
  toValueText,
} from '../../../../src/store/redis/documents.js';

void t.test('text of JSON values', async (t) => {
  t.equal(toValueText('{"a":"plain"}'), '{"a":"plain"}');
  t.equal(toValueText(JSON.stringify({ a: '\ud800' })), '{"a":"\uffffd800"}');
  t.equal(toValueText(JSON.stringify({ a: '\uffff' })), '{"a":"\uffffffff"}');
  const escapedBackslash = JSON.stringify({ a: '\\ud800' });
  t.equal(toValueText(escapedBackslash), escapedBackslash, 'no escape but a backslash and letters');
});

void t.test('any text comes back', async () => {
  const unit = fc.constantFrom(
    '\ud800',
    '\udfff',
    '\uffff',
    '\\',
    'u',
    'd',
    '8',
    '0',
    '"',
    '\n',
    'é',
  );
  const text = fc.array(unit).map((units) => units.join(''));
  fc.assert(
    fc.property(fc.dictionary(text, text), (document) => {
      const json = JSON.stringify(document);
      const value = toValueText(json);
      return fromValueText(value) === json && !/(?<!\\)(\\\\)*\\ud[89a-f]/.test(value);
    }),
  );
});

void t.test('nesting', async (t) => {
  t.ok(isNestedWithin({ a: 1 }, 1));
  t.notOk(isNestedWithin({ a: {} }, 1));
  t.ok(isNestedWithin({ a: [{}] }, 3));
  t.notOk(isNestedWithin({ a: [{}] }, 2));
});
