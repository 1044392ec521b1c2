import t from 'tap';
import fc from 'fast-check';
import { ApiError } from '../../../../src/errors/index.js';
import { readPayload } from '../../../../src/resources/hooks/external.js';
import {
  JsonField,
  LARGE_FORM_BYTES,
  readForm,
  readLargeForm,
  readUrlEncoded,
} from '../../../../src/http/request/form.js';
import { MAX_PARAMETER_LENGTH } from '../../../../schemas/limits.js';
import { RawConnection } from '../raw-connection.js';
import { answer, basic, startToy } from '../toy-server.js';

const MULTIPART = 'multipart/form-data; boundary=XX';

function part(head: string, data: string): string {
  return `--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n${data}\r\n`;
}

function read(contentType: string, body: string | Buffer) {
  const { fields, files } = readForm(contentType, Buffer.from(body));
  return { fields: fields && Object.fromEntries(fields), files };
}

function refusal(contentType: string, body: string | Buffer) {
  try {
    return read(contentType, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.code} ${error.message}`;
  }
}

const GOOD = part('name="a"', 'é') + part('name="b"', '') + '--XX--\r\n';

/** Texts of forms, and what `QueryDict` of Django 5.2 makes of them (`urllib.parse.parse_qsl`). */
const LENIENT: readonly (readonly [text: string, value: string])[] = [
  ['50%', '50%'],
  ['50%+done', '50% done'],
  ['%4', '%4'],
  ['%zz', '%zz'],
  ['%%41', '%A'],
  ['21+%b0C', '21 \ufffdC'],
  ['%ff', '\ufffd'],
  ['%e2%82', '\ufffd'],
  ['%e2%82%ac%', '€%'],
  ['%ed%a0%80', '\ufffd\ufffd\ufffd'],
];

void t.test('the spellings of a multipart type', async (t) => {
  for (const type of [
    MULTIPART,
    'multipart/form-data;boundary=XX',
    'multipart/form-data; boundary="XX"',
    'Multipart/Form-Data; charset=utf-8; Boundary=XX',
    'multipart/form-data; boundary=XX; charset=utf-8',
  ]) {
    t.same(read(type, GOOD), { fields: { a: 'é', b: '' }, files: [] }, type);
  }
});

void t.test('parts with a file name are files, not parameters', async (t) => {
  const data = Buffer.from([0, 255, 10]);
  const body = Buffer.concat([
    Buffer.from(
      '--XX\r\nContent-Disposition: form-data; name="/home/me/a.bin"; filename="a.bin"\r\n',
    ),
    Buffer.from('Content-Type: application/x-thing\r\n\r\n'),
    data,
    Buffer.from('\r\n' + part('name="b"', '1') + '--XX--\r\n'),
  ]);
  const form = read(MULTIPART, body);
  body.fill(0);
  t.same(form, {
    fields: { b: '1' },
    files: [{ field: '/home/me/a.bin', name: 'a.bin', mediaType: 'application/x-thing', data }],
  });
});

void t.test('a malformed multipart body is refused', async (t) => {
  const malformed = '400 BAD_REQUEST Malformed payload';
  const cases: Readonly<Record<string, [string, string]>> = {
    'no boundary': ['multipart/form-data', GOOD],
    'another boundary': ['multipart/form-data; boundary=YY', GOOD],
    'no delimiter': [MULTIPART, 'hello'],
    'a cut end': [MULTIPART, GOOD.slice(0, -6)],
    'a part without a name': [MULTIPART, '--XX\r\nA: b\r\n\r\nx\r\n--XX--\r\n'],
    'a part without a head': [MULTIPART, '--XX\r\n\r\nx\r\n--XX--\r\n'],
    'line feeds only': [MULTIPART, GOOD.replaceAll('\r', '')],
    'too many part headers': [MULTIPART, GOOD.replace('\r\n', `\r\n${'A: b\r\n'.repeat(50)}`)],
  };
  for (const [name, [type, body]] of Object.entries(cases))
    t.equal(refusal(type, body), malformed, name);
});

void t.test('a form of more than 1000 parts is refused', async (t) => {
  const parts = (n: number) => part('name="a"', 'x').repeat(n) + '--XX--\r\n';
  t.same(read(MULTIPART, parts(1000)).fields, { a: 'x' });
  t.match(refusal(MULTIPART, parts(1001)), /^400 BAD_REQUEST Too many form fields/);
});

void t.test(
  'a urlencoded body is UTF-8; what is malformed is read as Django reads it',
  async (t) => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    t.same(read(type, 'a=%C3%A9&b=é').fields, { a: 'é', b: 'é' });
    const latin = Buffer.from('a=21 \xb0C&b=%C3%A9&c=50% done', 'latin1');
    t.same(read(type, latin).fields, { a: '21 °C', b: 'é', c: '50% done' });
    for (const [text, value] of LENIENT) t.same(read(type, `a=${text}`).fields, { a: value }, text);
    const labelled = (charset: string, body: string | Buffer) =>
      refusal(`application/x-www-form-urlencoded; charset=${charset}`, body);
    for (const charset of [
      ...['utf-16', '"UTF-16LE"', 'utf-7', 'utf32', 'utf_16', 'ucs-2', 'unicode', 'csUnicode'],
      ...['ibm037', 'cp500', 'iso-2022-jp', 'hz-gb-2312'],
    ]) {
      const label = charset.replaceAll('"', '');
      t.equal(labelled(charset, 'a=1'), `415 BAD_REQUEST Unsupported charset: ${label}`);
    }
    for (const charset of ['koi8-r', 'kz1048', 'ptcp154', 'cp720', 'IBM00858', 'iso-8859-15']) {
      const refused = `415 BAD_REQUEST Unsupported charset: ${charset}`;
      t.match(labelled(charset, 'a=50%&b=x+y'), { fields: { a: '50%', b: 'x y' } }, charset);
      t.equal(labelled(charset, Buffer.from('a=\xa4', 'latin1')), refused);
      t.equal(labelled(charset, 'a=%A4'), refused);
    }
    for (const charset of ['utf8', 'ISO-8859-1', 'us-ascii', 'x-none']) {
      t.match(labelled(charset, Buffer.from('a=\xe9', 'latin1')), { fields: { a: 'é' } }, charset);
    }
  },
);

void t.test('the form of a webhook is read as any other', async (t) => {
  const type = 'application/x-www-form-urlencoded';
  const payloadOf = (form: string): unknown =>
    readPayload(type, Buffer.from(form, 'latin1'))?.get('text').textOr('');
  t.equal(payloadOf('text=21 \xb0C&user=a'), '21 °C');
  t.equal(payloadOf('payload={"text":"21 \xb0C, 5 \x80"}'), '21 °C, 5 €');
  t.equal(payloadOf('text=50% done %C3%A9'), '50% done é');
  t.equal(readPayload('application/json', Buffer.from('{"text":"\xb0"}', 'latin1')), undefined);
  t.throws(() => readPayload(`${type}; charset=koi8-r`, Buffer.from('text=\xc4', 'latin1')), {
    status: 415,
    message: 'Unsupported charset: koi8-r',
  });
});

void t.test('a JSON object is a source of parameters', async (t) => {
  const field = (value: unknown) => ({ value });
  const { fields, files } = read('application/json; charset=utf-8', '{"a":1,"b":[{"c":"é"}]}');
  t.strictSame(
    { ...fields, files },
    {
      ...{ a: new JsonField(1), b: new JsonField([{ c: 'é' }]) },
      files: [],
    },
  );
  t.match(read('application/json', '{"a":"x","a":null}').fields, { a: field(null) }, 'last wins');
  t.same(Object.keys(read('application/json', '{"__proto__":1}').fields!), ['__proto__']);
  const many = (n: number) => `{${Array.from({ length: n }, (_, i) => `"${i}":0`).join()}}`;
  t.equal(Object.keys(read('application/json', many(1000)).fields!).length, 1000);
  for (const [body, expected] of [
    ['{a}', '400 INVALID_JSON Malformed JSON'],
    ['['.repeat(1e6), '400 INVALID_JSON Malformed JSON'],
    ['[1]', '400 BAD_REQUEST body is not a dict'],
    ['"a=1"', '400 BAD_REQUEST body is not a dict'],
    ['null', '400 BAD_REQUEST body is not a dict'],
    [many(1001), '400 BAD_REQUEST Too many form fields (limit: 1000)'],
    [`"${'a'.repeat(5e6)}"`, '413 BAD_REQUEST Request entity too large'],
  ] as const) {
    t.equal(refusal('application/json', body), expected, body.slice(0, 30));
  }
});

void t.test('an empty body and no type are no parameters, another type is refused', async (t) => {
  for (const [type, body] of [
    [MULTIPART, ''],
    ['text/plain', ''],
    ['', 'a=1'],
  ] as const) {
    t.same(read(type, body), { fields: null, files: [] });
  }
  for (const type of ['text/plain', 'application/xml; charset=utf-8', 'application/jsonp', 'x']) {
    const [name] = type.split(';');
    t.equal(refusal(type, 'a=1'), `415 BAD_REQUEST Unsupported media type: ${name}`);
  }
});

void t.test('any bytes give a form or a refusal', async () => {
  const token = fc.constantFrom(
    '--XX',
    '--',
    '\r\n',
    '\r\n\r\n',
    'name="a"',
    part('name="a"', 'x'),
    GOOD,
  );
  const noise = fc
    .uint8Array({ maxLength: 20 })
    .map((bytes) => Buffer.from(bytes).toString('latin1'));
  const body = fc.array(fc.oneof(token, noise), { maxLength: 12 }).map((all) => all.join(''));
  const type = fc.constantFrom(MULTIPART, 'application/x-www-form-urlencoded', 'application/json');
  fc.assert(
    fc.property(type, body, (contentType, text) => {
      refusal(contentType, Buffer.from(text, 'latin1'));
    }),
    { numRuns: 500 },
  );
});

void t.test('a large file is the bytes between its head and the next delimiter', async (t) => {
  const large = Buffer.alloc(1024 * 1024 + 7, 'a\r\n--x\r\n');
  const head = (name: string) =>
    `Content-Disposition: form-data; name="${name}"; filename="${name}.bin"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`--b\r\n${head('small')}tiny\r\n--b\r\nX-Other: 1\r\n${head('large')}`),
    large,
    Buffer.from(`\r\n--b\r\n${head('last')}end\r\n--b--\r\n`),
  ]);
  const { files } = readForm('multipart/form-data; boundary=b', body);
  t.strictSame(
    files.map(({ field, name }) => [field, name]),
    [
      ['small', 'small.bin'],
      ['large', 'large.bin'],
      ['last', 'last.bin'],
    ],
  );
  t.ok(files[1]!.data.equals(large));
  t.equal(files[2]!.data.toString(), 'end');
});

const readLargeText = (text: string) => readLargeForm(Buffer.from(text));

void t.test('a large form reads as a small one does', async (t) => {
  const filler = 'x'.repeat(LARGE_FORM_BYTES);
  const texts = [
    `a=1&b=2&c=${filler}`,
    `c=${filler}+%41%e2%82%ac%F0%9f%98%80&&a=&=b&d`,
    `${filler}=1&c=${encodeURIComponent('ü€😀 &='.repeat(20_000))}`,
    `c=1&c=${filler}&c=2`,
  ];
  for (const text of texts) t.same(await readLargeText(text), readUrlEncoded(text));
});

void t.test('what is malformed reads alike in large forms and small ones', async (t) => {
  const filler = 'x'.repeat(LARGE_FORM_BYTES);
  for (const [bad, value] of LENIENT) {
    t.equal((await readLargeText(`c=${filler}${bad}`)).get('c'), `${filler}${value}`, bad);
    t.equal((await readLargeText(`c=${filler}&d=${bad}`)).get('d'), value, bad);
  }
  const latin = await readLargeForm(Buffer.from(`c=${filler}\xb0\x80&d=\xb0`, 'latin1'));
  t.same(Object.fromEntries(latin), { c: `${filler}°€`, d: '°' });
  const many = `${'a=b&'.repeat(1001)}c=${filler}`;
  await t.rejects(readLargeText(many), { message: 'Too many form fields (limit: 1000)' });
});

void t.test('a text that no parameter can have is cut, and still too long', async (t) => {
  for (const unit of ['x', '%41', '%c3%bc', '%e2%82%ac', '%f0%9f%98%80', '€']) {
    const fields = await readLargeText(`c=${unit.repeat(3 * MAX_PARAMETER_LENGTH)}`);
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

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

void t.test(
  'a form is decoded with escapes and plus signs, and the last of equal names wins',
  async (t) => {
    const read = (text: string) => Object.fromEntries(readUrlEncoded(text));
    t.same(read('a=1+2&b=%C3%A9%2B&c&d=x=y&&=z&a=3'), { a: '3', b: 'é+', c: '', d: 'x=y' });
    t.same(read(''), {});
    for (const [bad, value] of LENIENT) t.same(read(`a=${bad}`), { a: value }, bad);
    t.same(read('%ff=1'), { '\ufffd': '1' });
  },
);

void t.test('a form of more than 1000 fields is refused', async (t) => {
  const fields = Array.from({ length: 1001 }, (_, i) => `f${i}=`);
  t.equal(readUrlEncoded(fields.slice(1).join('&')).size, 1000);
  t.throws(() => readUrlEncoded(fields.join('&')), { status: 400, code: 'BAD_REQUEST' });
});

void t.test('raw bytes of a query that are not UTF-8 are refused, not changed', async (t) => {
  const { port } = await startToy(t);
  const ask = async (target: string): Promise<string> => {
    const connection = await RawConnection.open(port);
    const head = `DELETE /api/v1${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\n\r\n`;
    connection.write(Buffer.from(head, 'latin1'));
    const { status, body } = (await connection.response())!;
    connection.destroy();
    return `${status} ${body.trim()}`;
  };
  t.equal(
    await ask('/messages/5?x=21\xb0'),
    '400 {"result":"error","msg":"Malformed query: bytes that are not UTF-8 must be escaped","code":"BAD_REQUEST"}',
  );
  t.match(await ask('/messages/5?\xc3\xa9=1'), /^200 .*"ignored_parameters_unsupported":\["é"\]/);
  t.match(await ask('/messages/5?%b0=1'), /^200 .*"\ufffd"/, 'escaped ones as before');
  t.match(await ask('/messages\xb0'), /^404 /);
});

// [c:query-and-body]
void t.test('query and body count for every method; the body wins', async (t) => {
  const { api } = await startToy(t);
  const call = (method: string, query: string, body?: string) =>
    api(`/messages/5?${query}`, { method, headers: body === undefined ? {} : FORM, body }).then(
      answer,
    );

  t.match(await call('PATCH', 'content=query'), { body: { params: { content: 'query' } } });
  t.match(await call('PATCH', '', 'content=body'), { body: { params: { content: 'body' } } });
  t.match(await call('PATCH', 'content=query', 'content=body'), {
    body: { params: { content: 'body' } },
  });
  t.match(await call('DELETE', 'other=1'), {
    body: { ignored_parameters_unsupported: ['other'] },
  });
  t.match(await call('DELETE', 'x=1', 'message_id=9&a=1&x=2'), {
    status: 200,
    body: {
      params: { message_id: 5 },
      ignored_parameters_unsupported: ['a', 'message_id', 'x'],
    },
  });
});

void t.test('ignored names are told on success only', async (t) => {
  const { api } = await startToy(t);
  const fine = await answer(await api('/messages?client=x&method=y'));
  t.notOk('ignored_parameters_unsupported' in fine.body);
  const refused = await answer(await api('/messages?anchor=x&other=1'));
  t.same(refused, {
    status: 400,
    body: { result: 'error', msg: 'anchor is not valid JSON', code: 'BAD_REQUEST' },
  });
});

void t.test('a malformed query is read as Django reads it', async (t) => {
  const { api } = await startToy(t);
  t.match(await answer(await api('/messages/5?content=50%+done', { method: 'PATCH' })), {
    status: 200,
    body: { params: { content: '50% done' } },
  });
  t.match(await answer(await api('/messages?anchor=%ff')), {
    status: 400,
    body: { msg: 'anchor is not valid JSON' },
  });
});
