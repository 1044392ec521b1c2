import t from 'tap';
import { LARGE_FORM_BYTES, readLargeForm } from '../../../../src/http/request/large-form.js';
import { MAX_PARAMETER_LENGTH } from '../../../../schemas/limits.js';
import { readUrlEncoded } from '../../../../src/http/request/parameters.js';

const read = (text: string) => readLargeForm(Buffer.from(text));

void t.test('a large form reads as a small one does', async (t) => {
  const filler = 'x'.repeat(LARGE_FORM_BYTES);
  const texts = [
    `a=1&b=2&c=${filler}`,
    `c=${filler}+%41%e2%82%ac%F0%9f%98%80&&a=&=b&d`,
    `${filler}=1&c=${encodeURIComponent('ü€😀 &='.repeat(20_000))}`,
    `c=1&c=${filler}&c=2`,
  ];
  for (const text of texts) t.same(await read(text), readUrlEncoded(text));
});

void t.test('what no form has is refused, wherever it is', async (t) => {
  const filler = 'x'.repeat(LARGE_FORM_BYTES);
  for (const bad of ['%', '%4', '%zz', '%ff', '%e2%82', '%ed%a0%80']) {
    await t.rejects(read(`c=${filler}${bad}`), { message: 'Malformed payload' }, bad);
    await t.rejects(read(`c=${filler}&d=${bad}`), { message: 'Malformed payload' }, bad);
  }
  await t.rejects(readLargeForm(Buffer.alloc(LARGE_FORM_BYTES, 0xff)), {
    message: 'Malformed payload',
  });
  const many = `${'a=b&'.repeat(1001)}c=${filler}`;
  await t.rejects(read(many), { message: 'Too many form fields (limit: 1000)' });
});

void t.test('a text that no parameter can have is cut, and still too long', async (t) => {
  for (const unit of ['x', '%41', '%c3%bc', '%e2%82%ac', '%f0%9f%98%80', '€']) {
    const fields = await read(`c=${unit.repeat(3 * MAX_PARAMETER_LENGTH)}`);
    const { length } = fields.get('c')!;
    t.ok(length > MAX_PARAMETER_LENGTH, `${unit}: ${length}`);
    t.ok(length <= 3 * (MAX_PARAMETER_LENGTH + 1));
  }
});

void t.test('others are served while a form of the largest size is read', async (t) => {
  // As much as five of the longest texts hold: 25 ms of work on the fastest machines, three stretches.
  const text = '%41'.repeat(3 * MAX_PARAMETER_LENGTH);
  const body = Buffer.from(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}=${text}`).join('&'));
  let [rounds, done] = [0, false];
  const count = (): void => {
    rounds += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await readLargeForm(body);
  done = true;
  t.ok(rounds > 2, `${rounds} rounds of the event loop`);
});
