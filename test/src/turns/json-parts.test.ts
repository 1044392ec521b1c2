import fc from 'fast-check';
import t from 'tap';
import { jsonInParts } from '../../../src/turns/json-parts.js';

void t.test('the parts together are the text of the whole value', async (t) => {
  const list = fc.array(fc.oneof(fc.integer(), fc.string(), fc.record({ a: fc.string() })), {
    maxLength: 250,
  });
  const field = fc.oneof(list, fc.jsonValue(), fc.constant(undefined));
  const value = fc.dictionary(fc.string(), fc.oneof(field, fc.dictionary(fc.string(), field)));
  fc.assert(
    fc.property(value, (one) => [...jsonInParts(one)].join('') === JSON.stringify(one)),
    { numRuns: 300 },
  );
  t.equal([...jsonInParts({ a: undefined, b: {}, c: [] })].join(''), '{"b":{},"c":[]}');
});

void t.test('no part is long, however long the lists are', async (t) => {
  const stream = { name: 'x'.repeat(1000) };
  const event = {
    type: 'stream',
    audience: { to: 'users', users: Array.from({ length: 20_000 }, (_, i) => i) },
    data: { op: 'create', channels: Array.from({ length: 5000 }, () => stream) },
  };
  const parts = [...jsonInParts(event)];
  t.equal(parts.join(''), JSON.stringify(event));
  t.ok(Math.max(...parts.map(({ length }) => length)) < 110_000);
});
