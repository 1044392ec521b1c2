import fc from 'fast-check';
import t from 'tap';
import { RawConnection } from './raw-connection.js';
import { answer, basic, ROUTES, startToy, toyEndpoint } from './toy-server.js';

const AUTH = `Authorization: ${basic()}`;

void t.test('oversized and malformed heads are answered or cut off', async (t) => {
  const { port } = await startToy(t);
  const long = 'a'.repeat(100_000);
  for (const [name, bytes] of Object.entries({
    'a long path': `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'a long query': `GET /api/v1/open?${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'a long header': `GET /api/v1/open HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`,
    'an old version': 'GET /api/v1/open HTTP/1.0\r\n\r\n',
    'no HTTP': '\x16\x03\x01\r\n\r\n',
    'a bad length': 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
  })) {
    const connection = await RawConnection.open(port);
    connection.write(bytes);
    const response = await connection.response();
    t.ok(response === null || response.status < 500 || response.status === 505, name);
    connection.destroy();
  }
  t.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
});

const path = fc.oneof(
  fc.constantFrom('/open', '/messages', '/messages/5', '/login', '/upload', '/owner'),
  fc.string({ maxLength: 20 }).map((text) => `/${text.replace(/[\s#]/g, '')}`),
);
const name = fc.constantFrom('content', 'anchor', 'n', 'username', 'method', 'to', 'x', '%', '');
const value = fc.oneof(fc.json(), fc.string(), fc.constantFrom('%ff', '%00', 'DELETE', '[1,2]'));
const pairs = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((all) => all.map(([key, text]) => `${key}=${text.replace(/[\s#]/g, '+')}`).join('&'));
const body = fc.oneof(
  pairs.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const type = fc.constantFrom(
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=X',
  'multipart/form-data',
  'application/json',
  '',
);
const authorization = fc.oneof(
  fc.constant(AUTH),
  fc.base64String().map((text) => `Authorization: Basic ${text}`),
);
const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'BREW');

void t.test('no request, however odd, is a fault', async (t) => {
  const { port, logged } = await startToy(t);
  const requests = fc.record({ method, path, query: pairs, type, authorization, body });
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const connection = await RawConnection.open(port);
      const target = Buffer.from(`/api/v1${request.path}?${request.query}`).toString('latin1');
      const head = [
        `${request.method} ${target} HTTP/1.1`,
        'Host: x',
        request.authorization,
        `Content-Type: ${request.type}`,
        `Content-Length: ${request.body.length}`,
        '',
        '',
      ].join('\r\n');
      connection.write(Buffer.concat([Buffer.from(head, 'latin1'), request.body]));
      const response = await connection.response();
      connection.destroy();
      return response === null || response.status < 500 || response.status === 505;
    }),
    { numRuns: 300 },
  );
  t.same(logged, []);
});

/** Whatever is answered at once, with and without a body: of each so many that they arrive together. */
const ANSWERED_AT_ONCE: Readonly<Record<string, string>> = {
  'no such path': 'GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n',
  'no such path, with a body':
    'POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx',
  'no such method': 'PUT /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n',
  'no credentials': 'GET /api/v1/messages HTTP/1.1\r\nHost: x\r\n\r\n',
  'no credentials, with a body':
    'POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx',
  'wrong credentials': `GET /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('iago@example.com', 'x'.repeat(32))}\r\n\r\n`,
  'no right': `GET /api/v1/owner HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('guest@example.com')}\r\n\r\n`,
  'a wrong parameter': `GET /api/v1/messages?anchor=x HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n\r\n`,
  'a read': `GET /api/v1/messages HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n\r\n`,
  HEAD: `HEAD /api/v1/messages HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n\r\n`,
  OPTIONS: 'OPTIONS /api/v1/messages HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS with a body':
    'OPTIONS /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx',
  health: 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'health with a body': 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx',
};

void t.test('thousands of requests in one segment are not all answered in one round', async (t) => {
  const { port } = await startToy(t);
  for (const [name, bytes] of Object.entries(ANSWERED_AT_ONCE)) {
    const connection = await RawConnection.open(port);
    const count = 5000;
    connection.write(bytes.repeat(count));
    await connection.closed;
    const answers = connection.unread.toString('latin1').split('HTTP/1.1 ').length - 1;
    t.ok(answers < count, `${name}: closed after ${answers} answers`);
  }
});

void t.test('random bytes do no harm', async (t) => {
  const { port, logged, server } = await startToy(t);
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(noise, async (bytes) => {
      const connection = await RawConnection.open(port);
      connection.write(Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')]));
      // Answered in the order of arrival: once this is served, so is the noise.
      const check = await RawConnection.open(port);
      check.request('GET', '/health');
      const status = (await check.response())?.status;
      connection.destroy();
      check.destroy();
      return status === 200;
    }),
    { numRuns: 200 },
  );
  t.same(logged, []);
  t.equal(server.pendingCount, 0);
});

void t.test('a disk that is full refuses for now, and the operator is told why', async (t) => {
  const upload = {
    endpoint: toyEndpoint({ method: 'GET', path: '/upload' }),
    call: async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
  };
  const { api, logged } = await startToy(t, { routes: [...ROUTES, upload] });
  const reply = await api('/upload');
  t.equal(reply.headers.get('retry-after'), '1');
  t.match(await answer(reply), {
    status: 503,
    body: { msg: 'Uploaded files are not available', code: 'SERVICE_UNAVAILABLE' },
  });
  t.match(logged, [{ err: { code: 'ENOSPC' }, error_id: 'fault-1', user: 1 }]);
});

void t.test('a limit of processes refuses for now, and the operator is told why', async (t) => {
  const faults: Record<string, object> = {
    again: { code: 'EAGAIN', syscall: 'spawn /usr/bin/node' },
    files: { code: 'EMFILE', syscall: 'spawn /usr/bin/node' },
    thread: { code: 'ERR_WORKER_INIT_FAILED' },
    memory: { code: 'ENOMEM' },
  };
  const routes = Object.entries(faults).map(([name, fields]) => ({
    endpoint: toyEndpoint({ method: 'GET', path: `/${name}` }),
    call: async () => {
      throw Object.assign(new Error('not started'), fields);
    },
  }));
  const { api, logged } = await startToy(t, { routes });
  for (const [name, fields] of Object.entries(faults)) {
    const reply = await api(`/${name}`);
    t.equal(reply.headers.get('retry-after'), '1');
    t.match(await answer(reply), {
      status: 503,
      body: { msg: 'The server cannot start another process', code: 'SERVICE_UNAVAILABLE' },
    });
    t.match(logged.pop(), { err: fields, user: 1 });
  }
});
