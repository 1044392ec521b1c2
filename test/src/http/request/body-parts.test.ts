import t from 'tap';
import { BodyParts } from '../../../../src/http/request/body-parts.js';

const MOST = 1024 * 1024;

/** Takes everything. */
function all(parts: BodyParts, most: number): Buffer[] {
  const found: Buffer[] = [];
  while (!parts.isEmpty) found.push(parts.take(most));
  return found;
}

void t.test('parts of any length come back in order', (t) => {
  const parts = new BodyParts();
  const sent: Buffer[] = [];
  for (let i = 0; i < 300; i++) {
    const part = Buffer.alloc((i * 37) % 5000, i);
    sent.push(Buffer.from(part));
    parts.push(part);
    // The native layer takes it back.
    part.fill(0);
  }
  const taken = all(parts, 700);
  t.ok(taken.every(({ length }) => length <= 700));
  t.ok(Buffer.concat(taken).equals(Buffer.concat(sent)));
  t.equal(parts.take(5).length, 0);
  t.end();
});

void t.test('a hundred thousand parts of a byte are kept in few pieces', (t) => {
  const parts = new BodyParts();
  for (let i = 0; i < 100_000; i++) parts.push(Buffer.from('x'));
  const taken = all(parts, MOST);
  t.equal(Buffer.concat(taken).toString(), 'x'.repeat(100_000));
  t.equal(taken.length, Math.ceil(100_000 / 4096));
  t.end();
});

void t.test('what is cleared is gone', (t) => {
  const parts = new BodyParts();
  parts.push(Buffer.alloc(3000));
  parts.push(Buffer.from('x'));
  parts.clear();
  t.ok(parts.isEmpty);
  parts.push(Buffer.from('y'));
  t.equal(parts.take(10).toString(), 'y');
  t.end();
});
