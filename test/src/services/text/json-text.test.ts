import t from 'tap';
import { parseBounded, parseJson } from '../../../../src/services/text/json-text.js';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

void t.test('JSON text becomes a value in a box, null too', (t) => {
  t.same(parseJson(' {"a":[1,"]"]}'), { value: { a: [1, ']'] } });
  t.same(parseJson('null'), { value: null });
  t.end();
});

void t.test('other text, and nesting below 32 levels, is no value', (t) => {
  for (const text of ['', 'general', '{"a":}', '[1', nested(33)]) {
    t.equal(parseJson(text), undefined, text.slice(0, 20));
  }
  t.ok(parseJson(nested(32)));
  t.ok(parseJson(`"${'['.repeat(100)}"`), 'brackets in a string nest nothing');
  t.end();
});

void t.test('too many lists, objects and members are told apart', (t) => {
  const list = (length: number): string => `[${'[],'.repeat(length)}[]]`;
  t.same((parseBounded(list(49_998)) as { value: unknown[] }).value.length, 49_999);
  t.same(parseBounded(list(50_000)), { excess: 'nodes' });
  t.equal(parseBounded(nested(60_000)), undefined);
  const object = (length: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length }, (_, i) => [`name${i}`, 0])));
  t.ok('value' in parseBounded(object(10_000))!);
  t.same(parseBounded(object(10_001)), { excess: 'members' });
  t.ok('value' in parseJson(list(50_000))!, 'what no client sends has no such bound');
  t.end();
});
