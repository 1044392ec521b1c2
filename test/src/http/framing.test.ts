import t, { type Test } from 'tap';
import { badRequest } from '../../../src/errors/index.js';
import type { PublicFile } from '../../../src/http/files/public-file.js';
import type { WebPageRequest } from '../../../src/resources/pages/page.js';
import { html } from '../../../src/services/text/html.js';
import { RawConnection, type RawResponse } from './raw-connection.js';
import { basic, ROUTES, startToy, toyEndpoint } from './toy-server.js';

const AUTH = `Authorization: ${basic()}`;
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const AMBIGUOUS = { msg: 'Ambiguous request head', code: 'BAD_REQUEST' };
/** The native layer of newer releases refuses two `Host` lines itself (http-limits.md#two-builds). */
const REFUSES_HOSTS = !process.versions.node.startsWith('20.');

/** A server that notes which writes it carried out, each waiting a while as for a store. */
async function start(t: Test) {
  const done: string[] = [];
  const note = (method: 'POST' | 'DELETE' | 'PATCH', path: string) => ({
    endpoint: toyEndpoint({ method, path }),
    call: async () => {
      done.push(`${method} ${path}`);
      await new Promise((resolve) => setImmediate(resolve));
      return {};
    },
  });
  const routes = [...ROUTES, note('POST', '/write'), note('DELETE', '/write'), note('PATCH', '/w')];
  return { done, ...(await startToy(t, { routes })) };
}

function request(method: string, path: string, body: string, ...headers: string[]): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  const lines = [`${method} /api/v1${path} HTTP/1.1`, 'Host: x', AUTH, FORM, ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

void t.test('of writes in one segment none is carried out that is not answered', async (t) => {
  const { port, done } = await start(t);
  const read = request('GET', '/messages', '');
  for (const [name, requests] of Object.entries({
    'three forms': [1, 2, 3].map((n) => request('POST', '/write', `n=${n}`)),
    'without bodies': [request('DELETE', '/write', ''), request('DELETE', '/write', '')],
    'a write and a read': [request('PATCH', '/w', 'a=1'), read],
    'a chunked one': [
      request('POST', '/write', '', 'Transfer-Encoding: chunked') + '3\r\na=1\r\n0\r\n\r\n',
      read,
    ],
    'a hidden one': [request('POST', '/write', 'method=DELETE'), read],
  })) {
    const connection = await RawConnection.open(port);
    connection.write(requests.join(''));
    t.equal(await connection.response(), null, `${name}: the connection closes`);
    t.same(done, [], `${name}: nothing was carried out`);
  }
  let connection: RawConnection;
  let replies: (RawResponse | null)[];
  do {
    // Where another process takes the processor for 8 ms the round counts as long, and a read waits as a write does.
    connection = await RawConnection.open(port);
    connection.write(read + read + request('POST', '/write', 'n=1'));
    replies = [];
    for (let i = 0; i < 3; i++) replies.push(await connection.response());
    if (replies.includes(null)) t.same(done, [], 'nothing was carried out');
  } while (replies.includes(null));
  t.same(
    replies.map((reply) => reply?.status),
    [200, 200, 200],
  );
  t.same(done, ['POST /write'], 'reads before it are answered at once');
  connection.write(request('POST', '/write', 'n=1'));
  t.equal((await connection.response())?.status, 200, 'one after the other is no harm');
  connection.destroy();
});

void t.test('a head that says two things about its body is refused', async (t) => {
  const { port, done } = await start(t);
  for (const [name, headers, body] of [
    ['lengths', ['Content-Length: 3', 'Content-Length: 5'], 'a=1zz'],
    ['equal lengths', ['Content-Length: 3', 'Content-Length: 3'], 'a=1'],
    ['an empty length', ['Content-Length:'], ''],
    ['another coding', ['Transfer-Encoding: gzip, chunked'], '3\r\na=1\r\n0\r\n\r\n'],
    ['no coding', ['Transfer-Encoding: identity'], 'a=1'],
    ['codings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['hosts', ['Host: y', 'Content-Length: 3'], 'a=1'],
  ] as const) {
    const connection = await RawConnection.open(port);
    connection.write(request('POST', '/write', '', ...headers) + body);
    const refused = await connection.response();
    t.equal(refused?.status, 400, name);
    if (name === 'hosts' && REFUSES_HOSTS) t.match(refused?.body, /^<h1>Bad Request/, name);
    else t.match(JSON.parse(refused?.body ?? '{}'), AMBIGUOUS, name);
    await connection.closed;
  }
  t.same(done, []);
});

void t.test('what may follow a head that says two things is not carried out', async (t) => {
  const { port, done } = await start(t);
  const next = request('POST', '/write', 'n=1');
  for (const [name, first] of Object.entries({
    'another coding':
      request('POST', '/write', '', 'Transfer-Encoding: gzip, chunked') + '0\r\n\r\n',
    'no coding': request('POST', '/write', '', 'Transfer-Encoding: identity') + '0\r\n\r\n',
    lengths: request('POST', '/write', '', 'Content-Length: 3', 'Content-Length: 5') + 'a=1',
    'lengths of a read': request('GET', '/open', '', 'Content-Length: 0', 'Content-Length: 5'),
    hosts: request('POST', '/write', 'a=1', 'Host: y'),
  })) {
    const connection = await RawConnection.open(port);
    connection.write(first + next);
    // Refused by the native layer, both are not read: it answers.
    const status = name === 'hosts' && REFUSES_HOSTS ? 400 : undefined;
    t.equal((await connection.response())?.status, status, `${name}: without effect`);
    await connection.closed;
    t.same(done.splice(0), [], name);
  }
});

void t.test(
  'every reply says that it is not to be taken for another type, and a file not to be framed',
  async (t) => {
    const file = { body: '<p>', contentType: 'text/html' };
    const { port } = await startToy(t, { files: (path) => (path === '/f' ? file : undefined) });
    for (const [method, target] of [
      ['GET', '/api/v1/messages'],
      ['GET', '/api/v1/open'],
      ['GET', '/api/v1/nothing'],
      ['GET', '/api/v1/fault'],
      ['PUT', '/api/v1/messages'],
      ['GET', '/health'],
      ['GET', '/f'],
      ['GET', '/nothing'],
    ] as const) {
      const connection = await RawConnection.open(port);
      connection.request(method, target, ...(target.endsWith('/fault') ? [AUTH] : []));
      const { headers } = (await connection.response())!;
      connection.destroy();
      t.equal(headers.get('x-content-type-options'), 'nosniff', target);
      const framing = target === '/f' ? "frame-ancestors 'none'" : undefined;
      t.equal(headers.get('content-security-policy'), framing, target);
      t.equal(headers.has('uwebsockets'), false, target);
      t.equal(headers.has('referrer-policy'), target === '/f', target);
    }
  },
);

void t.test('everything shown as a page shares no window, and asks for no device', async (t) => {
  const files: Record<string, PublicFile> = {
    '/f': { body: '<p>', contentType: 'text/html; charset=utf-8' },
    '/large': { body: Buffer.alloc(300_000), contentType: 'text/html' },
    '/s': { body: 'a', contentType: 'text/javascript' },
  };
  const call = async ({ query }: WebPageRequest) => {
    if (query === 'refused') throw badRequest('No.');
    return { page: html`<p></p>`, data: {} };
  };
  const errorPage = (error: Error) => html`<main>${error.message}</main>`;
  const pages = { all: [{ method: 'GET' as const, path: '/page', call }], errorPage };
  const { port } = await startToy(t, { files: (path) => files[path], pages });
  for (const [target, isPage] of [
    ['/f', true],
    ['/large', true],
    ['/page', true],
    ['/page?refused', true],
    ['/s', false],
    ['/api/v1/open', false],
  ] as const) {
    const response = await fetch(`http://127.0.0.1:${port}${target}`);
    const policy = response.headers.get('permissions-policy');
    const opener = response.headers.get('cross-origin-opener-policy');
    t.equal(opener, isPage ? 'same-origin' : null, target);
    if (!isPage) t.equal(policy, null, target);
    for (const device of isPage ? ['camera', 'microphone', 'geolocation'] : []) {
      t.ok(policy?.split(', ').includes(`${device}=()`), `${target}: ${device}`);
    }
  }
});

void t.test('a chunked body with extensions or trailers is not carried out', async (t) => {
  const { port, done } = await start(t);
  const head = request('POST', '/write', '', 'Transfer-Encoding: chunked');
  for (const [name, body] of [
    ['an extension', '3;a=b\r\na=1\r\n0\r\n\r\n'],
    ['a trailer', '3\r\na=1\r\n0\r\nX-Sum: 1\r\n\r\n'],
  ] as const) {
    const connection = await RawConnection.open(port);
    connection.write(head + body);
    // An answer to another request: the server has read all of this one by then.
    const next = await RawConnection.open(port);
    next.write(request('GET', '/messages', ''));
    t.equal((await next.response())?.status, 200);
    t.same(done, [], name);
    connection.destroy();
    next.destroy();
  }
});
