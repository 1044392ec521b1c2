import t from 'tap';
import { LARGE_FORM_BYTES, type Form } from '../../../../src/http/request/form.js';
import { formOf } from '../../../../src/http/request/read-body.js';
import { round } from '../../../../src/turns/round.js';

const JSON_TYPE = 'application/json';

/** A body of JSON of a length. */
function json(length: number): Buffer {
  return Buffer.from(`{"a":"${'x'.repeat(length - 8)}"}`);
}

void t.test('a short body is read at once', async (t) => {
  const form = formOf({ contentType: JSON_TYPE, user: 1 }, json(1024)) as Form;
  t.match(form.fields!.get('a'), { value: /^x{1016}$/ });
});

void t.test('large bodies of every type that came together are read in a round each', async (t) => {
  const text = Buffer.from(`a=${'x'.repeat(LARGE_FORM_BYTES)}`);
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
  const parts = Buffer.from(`${part}${'x'.repeat(LARGE_FORM_BYTES)}\r\n--b--`);
  const rounds: number[] = [];
  await Promise.all(
    (
      [
        [JSON_TYPE, json(LARGE_FORM_BYTES + 1)],
        ['application/x-www-form-urlencoded', text],
        ['multipart/form-data; boundary=b', parts],
      ] as const
    ).map(async ([contentType, body]) => {
      const form = formOf({ contentType, user: 1 }, body);
      t.ok(form instanceof Promise, contentType);
      t.equal((await form).fields!.size, 1, contentType);
      rounds.push(round.number);
    }),
  );
  t.equal(new Set(rounds).size, 3);
});

void t.test(
  'the bytes of a body that waits are kept, because the native layer reuses them',
  async (t) => {
    // Bodies below the size that always waits, until the round is long.
    for (let i = 0; i < 10_000; i++) {
      const body = json(60_000);
      const form = formOf({ contentType: JSON_TYPE, user: null }, body);
      body.fill(0);
      if (!(form instanceof Promise)) continue;
      t.match((await form).fields!.get('a'), { value: /^x{59992}$/ });
      return;
    }
    t.fail('ten thousand bodies in one round were read at once');
  },
);
