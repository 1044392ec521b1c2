import fc from 'fast-check';
import t from 'tap';
import { fromValueText, toValueText, valueFault } from '../../../../src/store/redis/documents.js';

void t.test('lone surrogates are escaped in the text of a value', async (t) => {
  t.equal(toValueText('{"a":"plain"}'), '{"a":"plain"}');
  t.equal(toValueText(JSON.stringify({ a: '\ud800' })), '{"a":"\uffffd800"}');
  t.equal(toValueText(JSON.stringify({ a: '\uffff' })), '{"a":"\uffffffff"}');
  const escapedBackslash = JSON.stringify({ a: '\\ud800' });
  t.equal(toValueText(escapedBackslash), escapedBackslash, 'no escape but a backslash and letters');
});

void t.test('any text comes back from the store as it was', async () => {
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

void t.test('a document that nests more deeply than the server takes is refused', async (t) => {
  t.equal(valueFault({ a: 1 }, 1), null);
  t.match(valueFault({ a: {} }, 1), /nests more than/);
  t.equal(valueFault({ a: [{}] }, 3), null);
  t.match(valueFault({ a: [{}] }, 2), /nests more than/);
});

void t.test('numbers that JSON commands may read as others', async (t) => {
  for (const n of [0, -1, 4.35, 1795348170.12345, 2 ** 53 - 1, -(2 ** 53) + 1, 1e-6]) {
    t.equal(valueFault({ a: [n] }), null, String(n));
  }
  for (const n of [0.42633530310615275, 989680186.5073401, 2 ** 63, 1e22, 5e-324]) {
    t.equal(valueFault({ a: [n] }), `has the number ${n}`);
  }
});
