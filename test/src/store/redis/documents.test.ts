import fc from 'fast-check';
import t from 'tap';
import type { Connection } from '../../../../src/store/redis/connection.js';
import {
  fetchDocuments,
  fromValueText,
  toValueText,
} from '../../../../src/store/redis/documents.js';
import { KeySpace } from '../../../../src/store/redis/keys.js';

void t.test('documents that are not there take few commands at once', async (t) => {
  let [waiting, most, types] = [0, 0, 0];
  const send = async ([name, ...keys]: readonly string[]): Promise<unknown> => {
    most = Math.max(most, ++waiting);
    await new Promise(setImmediate);
    waiting -= 1;
    if (name === 'MGET') return keys.map(() => null);
    types += 1;
    return keys[0] === 'parley:{main}:user:999' ? 'hash' : 'none';
  };
  const source = {
    ...{ connection: { send } as unknown as Connection, format: 'text' as const },
    ...{ keys: new KeySpace('main'), description: 'the store' },
  };
  const keys = Array.from({ length: 1000 }, (_, id) => ({ collection: 'user', id: String(id) }));
  t.strictSame(await fetchDocuments(source, keys.slice(0, 990)), new Array(990).fill(null));
  t.strictSame([most, types], [32, 990]);
  await t.rejects(fetchDocuments(source, keys), { message: /user:999/ });
});

void t.test('lone surrogates are escaped in the text of a value', async (t) => {
  t.equal(toValueText({ a: 'plain' }), '{"a":"plain"}');
  t.equal(toValueText({ a: '\ud800' }), '{"a":"\uffffd800"}');
  t.equal(toValueText({ a: '\uffff' }), '{"a":"\uffffffff"}');
  t.equal(
    toValueText({ a: '\\ud800' }),
    '{"a":"\\\\ud800"}',
    'no escape but a backslash and letters',
  );
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
      const value = toValueText(document);
      return (
        fromValueText(value) === JSON.stringify(document) &&
        !/(?<!\\)(\\\\)*\\ud[89a-f]/.test(value)
      );
    }),
  );
});

void t.test('numbers that JSON commands may read as others are texts', async (t) => {
  const exact = [0, -1, 4.35, 1795348170.12345, 2 ** 53 - 1, -(2 ** 53) + 1, 1e-6];
  t.equal(toValueText(exact), JSON.stringify(exact));
  t.equal(
    toValueText({ at: 1790000000000.125, list: [2 ** 63, '1e22', 'a"0.42633530310615275', 1e22] }),
    '{"at":"\uffff#1790000000000.125","list":["\uffff#9223372036854776000","1e22",' +
      '"a\\"0.42633530310615275","\uffff#1e+22"]}',
  );
});

void t.test('any number comes back from the store as it was, beside any text', async () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom('"', '\\', '\uffff#1.5', '"\uffff#1.5', '-0.42633530310615275', '\uffff'),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b"', '9.123456789012345678'), fc.array(value)),
      (document) => {
        const text = toValueText(document);
        return fromValueText(text) === JSON.stringify(document);
      },
    ),
  );
});
