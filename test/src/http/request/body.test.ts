import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { MAX_BODY_BYTES } from '../../../../schemas/limits.js';
import { BodyBudget, collectBody } from '../../../../src/http/request/body.js';
import type { Exchange } from '../../../../src/http/reply/exchange.js';
import type { ApiError } from '../../../../src/errors/index.js';
import { RawConnection } from '../raw-connection.js';
import { answer, basic, startToy } from '../toy-server.js';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const AUTH = `Authorization: ${basic()}`;

void t.test('a body in many chunks arrives whole, also without an announced length', async (t) => {
  const { port } = await startToy(t);
  const connection = await RawConnection.open(port);
  connection.request('POST', '/api/v1/messages', AUTH, FORM, 'Content-Length: 15');
  for (const piece of ['cont', 'ent=', 'a%2', '0b&', 'x']) connection.write(piece);
  const announced = await connection.response();
  t.match(JSON.parse(announced!.body), { params: { content: 'a b' } });

  connection.request('POST', '/api/v1/messages', AUTH, FORM, 'Transfer-Encoding: chunked');
  for (const piece of ['8\r\ncontent=\r\n', '1\r\nz\r\n', '0\r\n\r\n']) connection.write(piece);
  const chunked = await connection.response();
  t.match(JSON.parse(chunked!.body), { params: { content: 'z' } });
  connection.destroy();
});

void t.test('a client that sends very many chunks of a byte at once is cut off', async (t) => {
  const { port } = await startToy(t);
  for (const [path, type] of [
    ['/api/v1/messages', FORM],
    ['/api/v1/upload', 'Content-Type: multipart/form-data; boundary=b'],
  ]) {
    // Together they have more than a round takes, whatever of them the network gives at a time.
    const all = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(port)));
    for (const connection of all) {
      connection.request('POST', path!, AUTH, type!, 'Transfer-Encoding: chunked');
      connection.write('1\r\nx\r\n'.repeat(20_000));
    }
    let closed = 0;
    for (const connection of all) void connection.closed.then(() => (closed += 1));
    // By then everything has arrived; a body that stands still is cut off after ten seconds.
    for (let i = 0; i < 50; i++) await fetch(`http://127.0.0.1:${port}/health`);
    t.ok(closed > 0, `${path}: ${closed} were closed`);
    for (const connection of all) connection.destroy();
  }
});

void t.test('no body, an empty one and one without a type are no parameters', async (t) => {
  const { port } = await startToy(t);
  const connection = await RawConnection.open(port);
  for (const [headers, body] of [
    [[], ''],
    [['Content-Length: 0'], ''],
    [['Content-Length: 0', FORM], ''],
    [['Content-Length: 9'], 'content=a'],
  ] as const) {
    connection.request('POST', '/api/v1/messages', AUTH, ...headers);
    connection.write(body);
    const response = await connection.response();
    t.match(JSON.parse(response!.body), { code: 'REQUEST_VARIABLE_MISSING', var_name: 'content' });
  }
  connection.destroy();
});

void t.test('a GET with a body reads it', async (t) => {
  const { port } = await startToy(t);
  const connection = await RawConnection.open(port);
  connection.request('GET', '/api/v1/messages', AUTH, FORM, 'Content-Length: 8');
  connection.write('anchor=5');
  t.match(JSON.parse((await connection.response())!.body), { params: { anchor: 5 } });
  connection.destroy();
});

void t.test('multipart in both spellings, with a file', async (t) => {
  const { port, api } = await startToy(t);
  const data = new FormData();
  data.set('file', new File(['hello'], 'a.txt', { type: 'text/plain' }));
  data.set('note', 'é');
  t.match(await answer(await api('/upload', { method: 'POST', body: data })), {
    status: 200,
    body: {
      files: [{ field: 'file', name: 'a.txt', mediaType: 'text/plain', data: 'hello' }],
      ignored_parameters_unsupported: ['note'],
    },
  });
  const body = '--X\r\nContent-Disposition: form-data; name="content"\r\n\r\nhi\r\n--X--\r\n';
  const connection = await RawConnection.open(port);
  const type = 'Content-Type: multipart/form-data;boundary=X';
  connection.request('POST', '/api/v1/messages', AUTH, type, `Content-Length: ${body.length}`);
  connection.write(body);
  t.match(JSON.parse((await connection.response())!.body), { params: { content: 'hi' } });
  connection.destroy();
});

const TOO_LARGE = { result: 'error', msg: 'Request entity too large', code: 'BAD_REQUEST' };

void t.test(
  'a body announced larger than anybody would wait for is refused at once, and the connection closed',
  async (t) => {
    const { port } = await startToy(t);
    for (const [path, headers, length] of [
      ['/messages', [AUTH], 4 * 25 * 1024 * 1024 + 1],
      ['/login', [], 4 * 1024 * 1024 + 1],
    ] as const) {
      const connection = await RawConnection.open(port);
      connection.request('POST', `/api/v1${path}`, ...headers, FORM, `Content-Length: ${length}`);
      const response = await connection.response();
      t.equal(response?.status, 413);
      t.equal(response?.headers.get('connection'), 'close');
      t.same(JSON.parse(response!.body), TOO_LARGE);
      await connection.closed;
    }
  },
);

void t.test('a body that grows too large is refused, and the connection closed', async (t) => {
  const { port } = await startToy(t);
  // The one ends where it is too large; the other would go on for ever.
  for (const [pieces, end] of [
    [9, '0\r\n\r\n'],
    [33, ''],
  ] as const) {
    const connection = await RawConnection.open(port);
    connection.request('POST', '/api/v1/login', FORM, 'Transfer-Encoding: chunked');
    const piece = 'a'.repeat(0x20000);
    for (let i = 0; i < pieces; i++) connection.write(`20000\r\n${piece}\r\n`);
    connection.write(end);
    const response = await connection.response();
    t.same([response?.status, JSON.parse(response!.body)], [413, TOO_LARGE]);
    await connection.closed;
  }
});

void t.test('a client that sends all of it before it reads is told why', async (t) => {
  const { api } = await startToy(t);
  const body = new URLSearchParams({ content: 'x'.repeat(26 * 1024 * 1024) });
  const reply = await api('/messages', { method: 'POST', body });
  t.same([reply.status, await reply.json()], [413, TOO_LARGE]);
});

void t.test('a large body within the limit is read', async (t) => {
  const { api } = await startToy(t);
  const body = new URLSearchParams({ content: 'hi', filler: 'x'.repeat(20 * 1024 * 1024) });
  t.equal((await api('/messages', { method: 'POST', body })).status, 200);
});

void t.test('credentials are asked for before a body is read', async (t) => {
  const { port } = await startToy(t);
  const connection = await RawConnection.open(port);
  connection.request('POST', '/api/v1/messages', FORM, 'Content-Length: 1000000');
  t.equal((await connection.response())?.status, 401);
  connection.destroy();
});

const HELD = 'Expect: 100-continue';

void t.test('a body that is held back is not waited for where the head is refused', async (t) => {
  const { port } = await startToy(t);
  for (const [status, path, ...lines] of [
    [413, '/messages', AUTH, `Content-Length: ${MAX_BODY_BYTES + 1}`],
    [415, '/messages', AUTH, 'Content-Length: 9', 'Content-Encoding: gzip'],
    [401, '/messages', 'Content-Length: 9'],
    [404, '/nowhere', AUTH, 'Content-Length: 9'],
  ] as const) {
    const connection = await RawConnection.open(port);
    connection.request('POST', `/api/v1${path}`, FORM, ...lines, HELD);
    t.equal((await connection.response())?.status, 100, 'the native layer says it of every head');
    t.equal((await connection.response())?.status, status);
    if (status >= 413) await connection.closed;
    connection.destroy();
  }
});

void t.test('a body that is held back is read when it comes', async (t) => {
  const { port } = await startToy(t);
  const connection = await RawConnection.open(port);
  for (let i = 0; i < 2; i++) {
    connection.request('POST', '/api/v1/messages', AUTH, FORM, 'Content-Length: 9', HELD);
    t.equal((await connection.response())?.status, 100);
    connection.write('content=a');
    t.match(await connection.response(), { status: 200, body: /"content":"a"/ });
  }
  connection.destroy();
});

void t.test('an aborted upload leaves nothing behind', async (t) => {
  const { port, server, api } = await startToy(t);
  const upload = httpRequest({
    port,
    method: 'POST',
    path: '/api/v1/messages',
    headers: {
      Authorization: basic(),
      'Content-Length': 1000,
      'Content-Type': 'text/plain',
    },
  });
  upload.on('error', () => undefined);
  upload.write('x'.repeat(500));
  // A later request on another connection is served after what was sent here has arrived.
  await once(upload, 'socket');
  while (server.pendingCount === 0) await api('/open');
  upload.destroy();
  while (server.pendingCount > 0) await api('/open');
  t.equal(server.pendingCount, 0);
});

/** The part of an exchange that collecting a body touches. */
class FakeUpload {
  settled = false;
  closing = false;
  contentLength = 0;
  contentCoding = '';
  holdsBody = false;
  abort: () => void = () => undefined;
  data: (chunk: ArrayBuffer, last: boolean) => void = () => undefined;
  readonly outcome: (string | number)[] = [];

  collect(limit: number, budget: BodyBudget): this {
    collectBody(this as unknown as Exchange, limit, budget, {
      complete: (body) => void this.outcome.push(body.toString()),
      refused: (error: ApiError) => {
        this.settled = true;
        this.outcome.push(error.status);
      },
    });
    return this;
  }

  onAbort(listener: () => void): void {
    this.abort = listener;
  }

  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void {
    this.data = listener;
  }

  closeAfterReply(): void {
    this.closing = true;
  }

  /** A chunk whose memory is reused afterwards, as the native layer does. */
  send(text: string, last = false): void {
    const bytes = new TextEncoder().encode(text);
    this.data(bytes.buffer, last);
    bytes.fill(0);
  }
}

void t.test(
  'bodies in flight share a budget, given back at the end, a refusal or an abort',
  async (t) => {
    const budget = new BodyBudget(10);
    const first = new FakeUpload().collect(100, budget);
    first.send('12345678');
    const second = new FakeUpload().collect(100, budget);
    second.send('abc');
    t.same(second.outcome, [503]);
    t.ok(second.closing);
    second.send('late');
    t.same(second.outcome, [503], 'what follows a refusal is dropped');

    first.abort();
    const third = new FakeUpload().collect(100, budget);
    third.send('1234567');
    third.send('890', true);
    t.same(third.outcome, ['1234567890'], 'chunks are copied');

    const fourth = new FakeUpload().collect(5, budget);
    fourth.send('1234');
    fourth.send('56');
    t.same(fourth.outcome, [], 'it is read to its end');
    const beside = new FakeUpload().collect(100, budget);
    beside.send('1234567890', true);
    t.same(beside.outcome, ['1234567890'], 'without being kept');
    fourth.send('7', true);
    t.same(fourth.outcome, [413]);
    const fifth = new FakeUpload().collect(100, budget);
    fifth.send('1234567890', true);
    t.same(fifth.outcome, ['1234567890']);
  },
);

void t.test('a JSON object carries parameters, the client and the method too', async (t) => {
  const { api } = await startToy(t);
  const send = async (method: string, path: string, body: unknown) =>
    answer(
      await api(path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  const posted = { content: 'a "b" é', to: [1, 2], client: 'Robot' };
  t.match(await send('POST', '/messages?content=query', posted), {
    status: 200,
    body: {
      operation: 'POST /messages',
      params: { content: 'a "b" é', to: [1, 2] },
      client: 'Robot',
    },
  });
  t.match(await send('PATCH', '/messages/5', { content: 'x', more: {} }), {
    body: { params: { message_id: 5, content: 'x' }, ignored_parameters_unsupported: ['more'] },
  });
  t.match(await send('POST', '/messages/5', { method: 'DELETE' }), {
    body: { operation: 'DELETE /messages/{message_id}' },
  });
  for (const [body, status, msg] of [
    [{}, 400, "Missing 'content' argument"],
    [{ content: 5 }, 400, 'content is not a string'],
    [{ content: 'a', to: [1, true] }, 400, 'to[1] is not an integer'],
    [{ content: 'a', client: 7 }, 400, 'client is not a string'],
    [{ content: 'a', method: [] }, 400, 'method is not a string'],
    [[], 400, 'body is not a dict'],
    ['{', 400, 'Malformed JSON'],
  ] as const) {
    const { status: replied, body: refusal } = await send('POST', '/messages', body);
    t.same([replied, refusal.msg], [status, msg]);
  }
  const headers = { 'Content-Type': 'text/plain' };
  const text = await answer(await api('/messages', { method: 'POST', headers, body: 'content=a' }));
  t.match(text, { status: 415, body: { msg: 'Unsupported media type: text/plain' } });
});

void t.test('a compressed body is refused as such, after the client has sent it', async (t) => {
  const { port, api } = await startToy(t);
  const gzip = gzipSync('content=a');
  for (const [coding, msg] of [
    ['gzip', 'Unsupported content encoding: gzip'],
    ['identity, BR', 'Unsupported content encoding: br'],
  ] as const) {
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Encoding': coding,
    };
    const response = await api('/messages', { method: 'POST', headers, body: gzip });
    t.equal(response.headers.get('accept-encoding'), 'identity');
    t.match(await answer(response), { status: 415, body: { msg, code: 'BAD_REQUEST' } });
  }
  const connection = await RawConnection.open(port);
  for (const coding of ['identity', '']) {
    const header = `Content-Encoding: ${coding}`;
    connection.request('POST', '/api/v1/messages', AUTH, FORM, header, 'Content-Length: 9');
    connection.write('content=a');
    t.equal((await connection.response())?.status, 200, header);
  }
  connection.request(
    'POST',
    '/api/v1/messages',
    AUTH,
    FORM,
    ...['identity', 'x'].map((name) => `Content-Encoding: ${name}`),
    'Content-Length: 9',
  );
  connection.write('content=a');
  t.equal((await connection.response())?.status, 415, 'a second line counts too');
  await connection.closed;
});
