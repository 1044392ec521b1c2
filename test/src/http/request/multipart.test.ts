import t from 'tap';
import fc from 'fast-check';
import { multipartSteps } from '../../../../src/http/request/multipart.js';
import { readForm, readInTurns } from '../../../../src/http/request/form.js';
import { answer, echo, ROUTES, startToy } from '../toy-server.js';

const MIB = 1024 * 1024;

/** Reads a body whole; how many steps that took, and what came out. */
function steps(boundary: string, body: Buffer): { count: number; outcome: unknown } {
  const reading = multipartSteps(`; boundary=${boundary}`, body);
  for (let count = 1; ; count++) {
    try {
      const step = reading.next();
      if (step.done) return { count, outcome: step.value };
    } catch (error) {
      return { count, outcome: (error as Error).message };
    }
  }
}

void t.test(
  'no step searches more than half a mebibyte, whatever the body is made of',
  async (t) => {
    const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
    const bodies: Readonly<Record<string, [string, Buffer]>> = {
      'dashes, and a boundary of dashes': [`${'-'.repeat(69)}x`, Buffer.alloc(16 * MIB, '-')],
      'ends of lines': ['b', Buffer.alloc(16 * MIB, '\r\n')],
      'delimiters that are nearly right': ['bbb', Buffer.alloc(16 * MIB, '\r\n--bb')],
      'a file that never ends': ['b', Buffer.concat([Buffer.from(file), Buffer.alloc(16 * MIB)])],
    };
    for (const [name, [boundary, body]] of Object.entries(bodies)) {
      const { count, outcome } = steps(boundary, body);
      t.equal(outcome, 'Malformed payload', name);
      t.ok(count >= 32, `${name}: ${count} steps`);
    }
  },
);

void t.test('the texts of a body are decoded as far as all parameters may be long', async (t) => {
  const text = (name: string, length: number): Buffer =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
      Buffer.alloc(length, 'x'),
      Buffer.from('\r\n'),
    ]);
  const of = (...parts: readonly Buffer[]) =>
    steps('b', Buffer.concat([...parts, Buffer.from('--b--')])).outcome;
  const { fields } = of(text('a', 20 * MIB), text('b', 1)) as { fields: Map<string, string> };
  t.equal(fields.get('a')!.length, 3 * MIB + 3, 'more than a parameter may have, and not all');
  t.equal(fields.get('b'), 'x');
  t.equal(
    of(...['a', 'b', 'c'].map((name) => text(name, 3 * MIB))),
    'Parameters are too long together (limit: 1048576 characters)',
  );
});

void t.test('what stands before the first part and behind the last one is no part', async (t) => {
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  const read = (body: string) => {
    const form = readForm('multipart/form-data; boundary=b', Buffer.from(body));
    return Object.fromEntries(form.fields!);
  };
  t.strictSame(read(`${part}--b--`), { a: '1' });
  t.strictSame(read(`preamble\r\n${part}--b--\r\n${part.replaceAll('a', 'c')}`), { a: '1' });
  t.strictSame(
    read(part.replace('1', 'a --b b') + '--b--'),
    { a: 'a --b b' },
    'no line of its own',
  );
  for (const bad of ['--bx', '--b --', '--b\r\n--b--', `${part}--bb--`]) {
    t.throws(() => read(bad), { message: 'Malformed payload' }, JSON.stringify(bad));
  }
});

void t.test('a body that is read in turns gives the same form or refusal', async (t) => {
  const token = fc.constantFrom(
    ...['--b', '--', '\r\n', '\r\n\r\n', 'x', '--b--', 'a: b', ': '],
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n',
    '--b\r\nContent-Disposition: form-data; name="f"; filename="é"\r\nContent-Type: t\r\n\r\n\0\r\n',
  );
  const type = 'multipart/form-data; boundary=b';
  const body = fc.array(token, { maxLength: 12 }).map((all) => Buffer.from(all.join('')));
  await fc.assert(
    fc.asyncProperty(body, async (bytes) => {
      let expected: unknown;
      try {
        expected = readForm(type, bytes);
      } catch (error) {
        expected = (error as Error).message;
      }
      const read = await readInTurns(type, bytes, 1).catch((error: Error) => error.message);
      t.strictSame(bytes.length === 0 ? expected : read, expected, bytes.toString());
    }),
    { numRuns: 200 },
  );
});

void t.test(
  'a multipart body of 4 MiB is refused where no file is taken, before it is read',
  async (t) => {
    const withFile = echo({ method: 'POST', path: '/file', file: 'required' });
    const { api } = await startToy(t, { routes: [...ROUTES, withFile] });
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const post = async (path: string, bytes: number) =>
      answer(await api(path, { method: 'POST', headers, body: Buffer.alloc(bytes, '-') }));
    t.match(await post('/messages', 4 * MIB), { status: 400, body: { msg: 'Malformed payload' } });
    t.match(await post('/messages', 4 * MIB + 1), {
      status: 413,
      body: { msg: 'Request entity too large' },
    });
    t.match(await post('/file', 4 * MIB + 1), { status: 400, body: { msg: 'Malformed payload' } });
  },
);
