import t, { type Test } from 'tap';
import { MAX_FILE_UPLOAD_SIZE_MIB } from '../../../../schemas/limits.js';
import { createRequestLimiter } from '../../../../src/http/limits/rate-limit.js';
import { ROUTES, basic, echo, toyEndpoint } from '../toy-server.js';
import { RawConnection } from '../raw-connection.js';
import type { DecodedRequest } from '../../../../src/resources/kernel/route.js';
import { startNodes } from './nodes.js';

const AUTH = `Authorization: ${basic()}`;
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const MIB = 1024 * 1024;

const OWN_IDS = new Set(['x-request-id', 'x-error-id']);

/** The reply to some bytes as it stood on the wire, but for the date. */
async function replyTo(port: number, bytes: string | Buffer, from?: string) {
  const connection = await RawConnection.open(port, from);
  connection.write(bytes);
  const reply = await connection.response();
  connection.destroy();
  // Each node gives ids of its own.
  const headers = [...(reply?.headers ?? [])].map(
    ([name, value]) => [name, OWN_IDS.has(name) ? 'its own' : value] as const,
  );
  return reply && { ...reply, headers: headers.filter(([name]) => name !== 'date') };
}

function request(method: string, path: string, body: string, ...headers: string[]): string {
  const lines = [`${method} /api/v1${path} HTTP/1.1`, 'Host: chat.example.org', ...headers];
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

function upload(size: number, ...headers: string[]): string {
  const part = `--B\r\nContent-Disposition: form-data; name="a"; filename="ä"\r\n\r\n${'x'.repeat(size)}\r\n`;
  const type = 'Content-Type: multipart/form-data; boundary=B';
  return request('POST', '/upload', `${part}--B--\r\n`, type, ...headers);
}

const SIZE = {
  endpoint: toyEndpoint({ method: 'POST', path: '/large', params: {} }),
  call: () => ({ list: Array.from({ length: 40_000 }, (_, i) => `${i} ${'x'.repeat(100)}`) }),
};

const SERVICE = {
  routes: [
    ...ROUTES.filter(({ endpoint }) => endpoint.path !== '/upload'),
    echo({ method: 'POST', path: '/upload', file: 'required' }),
    echo({ method: 'DELETE', path: '/open', access: 'anonymous' }),
    {
      endpoint: toyEndpoint({ method: 'POST', path: '/fault' }),
      call: () => {
        throw new TypeError('secret detail');
      },
    },
    SIZE,
    {
      endpoint: toyEndpoint({
        method: 'POST',
        path: '/hook',
        rawBody: { maxBytes: 1000, headers: ['x-event'] },
      }),
      call: (one: DecodedRequest) => ({ event: one.header!('x-event') }),
    },
  ],
  position: () => 7,
};

const CASES: Readonly<Record<string, string | Buffer>> = {
  'a form': request('POST', '/messages', 'content=hi&zz=1', AUTH, FORM),
  'a body in chunks': `${request('POST', '/messages', '', AUTH, FORM, 'Transfer-Encoding: chunked')}7\r\ncontent\r\n3\r\n=hi\r\n0\r\n\r\n`,
  'an empty body in chunks': `${request('POST', '/messages', '', AUTH, FORM, 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  'no body': request('POST', '/messages?content=%C3%A9&client=a', '', AUTH),
  JSON: request('POST', '/messages', '{"content":"ü"}', AUTH, 'Content-Type: application/json'),
  'JSON that is none': request('POST', '/messages', '{', AUTH, 'Content-Type: application/json'),
  'an unsupported body': request('POST', '/messages', 'x', AUTH, 'Content-Type: text/xml'),
  'bytes that are no text': Buffer.from(request('POST', '/mess\xe9ges?\xff', '', AUTH), 'latin1'),
  'bytes of a header that are no text': Buffer.from(
    request('POST', '/messages?content=a', '', AUTH, 'User-Agent: Z\xfclip/1'),
    'latin1',
  ),
  'a name of a client beyond ASCII': request(
    'POST',
    '/messages',
    'content=1',
    AUTH,
    FORM,
    'User-Agent: Zülip/1',
  ),
  'a header of a webhook beyond ASCII': request('POST', '/hook', '{}', AUTH, 'X-Event: Zoë à 9'),
  'a header of a webhook that is no text': Buffer.from(
    request('POST', '/hook', '{}', AUTH, 'X-Event: Z\xfclip'),
    'latin1',
  ),
  'a missing parameter': request('POST', '/messages', 'to=[1]', AUTH, FORM),
  'a parameter that is wrong': request('PATCH', '/messages/3', 'content=12345678901', AUTH, FORM),
  'a path parameter': request('DELETE', '/messages/3', '', AUTH),
  'another method in the form': request(
    'POST',
    '/messages/3',
    'method=PATCH&content=a',
    AUTH,
    FORM,
  ),
  'a reading method in the form': request('POST', '/messages', 'method=GET&anchor=3', AUTH, FORM),
  'a method in the form that does not exist': request(
    'POST',
    '/messages/3',
    'method=PUT',
    AUTH,
    FORM,
  ),
  'no credentials': request('POST', '/messages', 'content=hi', FORM),
  'wrong credentials': request(
    'DELETE',
    '/messages/3',
    '',
    `Authorization: ${basic('iago@example.com', 'x'.repeat(32))}`,
  ),
  'a browser without credentials': request('DELETE', '/messages/3', '', 'Accept: text/html'),
  'a page of this site': request(
    'DELETE',
    '/messages/3',
    '',
    AUTH,
    'Origin: http://chat.example.org',
  ),
  'a page of another site': request(
    'DELETE',
    '/messages/3',
    '',
    AUTH,
    'Origin: http://evil.example',
  ),
  'a cross-site request': request('DELETE', '/messages/3', '', AUTH, 'Sec-Fetch-Site: cross-site'),
  'a login': request('POST', '/login', 'username=iago', FORM),
  'an open endpoint that writes': request('DELETE', '/open', ''),
  'a file': upload(1000, AUTH),
  'a fault': request('POST', '/fault', '', AUTH),
  'a method that does not exist': request('PUT', '/messages', '', AUTH),
  'a path that does not exist': request('POST', '/nowhere', 'a=b', AUTH, FORM),
  'a method of nobody': request('FOO', '/messages', '', AUTH),
  OPTIONS: request('OPTIONS', '/messages', ''),
  'two lengths': request('POST', '/messages', '', AUTH, 'Content-Length: 3', 'Content-Length: 5'),
  'a form that is too long for a login': request(
    'POST',
    '/login',
    `username=${'x'.repeat(70_000)}`,
    FORM,
  ),
  'a form that is too long for a stranger': request('DELETE', '/open', 'x'.repeat(MIB + 1), FORM),
  'a long form of a stranger': request('POST', '/messages', 'x'.repeat(2 * MIB), FORM),
  'a long reply': request('POST', '/large', '', AUTH),
};

void t.test('a node that follows replies as the leader does, byte for byte', async (t) => {
  const { leader, follower } = await startNodes(t, SERVICE);
  for (const [name, bytes] of Object.entries(CASES)) {
    const direct = await replyTo(leader.port, bytes);
    t.ok(direct, name);
    t.same(await replyTo(follower.port, bytes), direct, name);
  }
  const { body } = (await replyTo(follower.port, CASES['a form']!))!;
  t.match(JSON.parse(body), { params: { content: 'hi' }, user_id: 1, address: '127.0.0.1' });
});

void t.test('reads stay at the node', async (t) => {
  const { follower } = await startNodes(t, SERVICE);
  follower.leadership.passTo(null);
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    t.ok((await follower.api('/messages', { method })).ok, method);
  }
});

void t.test('compressed replies pass as they are', async (t) => {
  const { follower } = await startNodes(t, SERVICE);
  const reply = await follower.api('/large', {
    method: 'POST',
    headers: { 'Accept-Encoding': 'gzip' },
  });
  t.equal(reply.headers.get('content-encoding'), 'gzip');
  t.equal(((await reply.json()) as { list: string[] }).list.length, 40_000);
});

void t.test('uploads up to the largest, and none beyond', async (t) => {
  const { leader, follower } = await startNodes(t, SERVICE);
  const largest = MAX_FILE_UPLOAD_SIZE_MIB * MIB;
  const { status, body } = (await replyTo(follower.port, upload(largest, AUTH)))!;
  t.equal(status, 200);
  t.equal((JSON.parse(body) as { files: { data: string }[] }).files[0]!.data.length, largest);
  const refused = await replyTo(follower.port, upload(largest + 100_000, AUTH));
  t.same(refused, await replyTo(leader.port, upload(largest + 100_000, AUTH)));
  t.match(refused, { status: 400, body: /limit of 25 MiB/ });
});

void t.test('a stranger sends nothing large, wherever it asks', async (t) => {
  const { leader, follower } = await startNodes(t, SERVICE);
  const wrong = `Authorization: ${basic('iago@example.com', 'x'.repeat(32))}`;
  const bytes = upload(2 * MIB, wrong);
  t.same(await replyTo(follower.port, bytes), await replyTo(leader.port, bytes));
  follower.leadership.passTo(null);
  t.equal((await replyTo(follower.port, bytes))?.status, 401, 'decided by the node itself');
});

void t.test('limits count the address of the client, at the leader', async (t) => {
  const limiter = () => createRequestLimiter({ addresses: [{ max: 2, seconds: 60 }] });
  const { leader, follower } = await startNodes(
    t,
    { ...SERVICE, limiter: limiter() },
    { ...SERVICE, limiter: limiter() },
  );
  const one = request('DELETE', '/open', '');
  const left = async (port: number, from: string) => {
    const reply = await replyTo(port, one, from);
    return [reply!.status, new Map(reply!.headers).get('x-ratelimit-remaining')];
  };
  t.same(await left(follower.port, '127.0.0.1'), [200, '1']);
  t.same(await left(leader.port, '127.0.0.1'), [200, '0'], 'one budget at both nodes');
  t.same(await left(follower.port, '127.0.0.1'), [429, '0']);
  t.same(await left(follower.port, '127.0.0.2'), [200, '1'], 'one for each client');
  const { headers } = (await replyTo(follower.port, one))!;
  t.ok(Number(new Map(headers).get('retry-after')) > 0);
});

void t.test('the client behind a trusted proxy of the node counts', async (t) => {
  const { follower } = await startNodes(t, SERVICE, { ...SERVICE, trustedProxies: ['127.0.0.1'] });
  const address = async (...headers: string[]) => {
    const { body } = (await replyTo(follower.port, request('DELETE', '/open', '', ...headers)))!;
    return (JSON.parse(body) as { address: string }).address;
  };
  t.equal(await address('X-Forwarded-For: 203.0.113.5'), '203.0.113.5');
  t.equal(
    await address('Parley-Client: 203.0.113.5 https'),
    '127.0.0.1',
    'nobody else is believed',
  );
  const https = ['X-Forwarded-For: 203.0.113.5', 'X-Forwarded-Proto: https', AUTH];
  const status = async (origin: string) =>
    (await replyTo(
      follower.port,
      request('DELETE', '/messages/3', '', ...https, `Origin: ${origin}`),
    ))!.status;
  t.equal(await status('https://chat.example.org'), 200);
  t.equal(await status('http://chat.example.org'), 403);
});

void t.test(
  'what a node serves itself is not forwarded, in whatever form it comes',
  async (t: Test) => {
    const routes = [
      echo({ method: 'POST', path: '/register' }),
      echo({ method: 'DELETE', path: '/events' }),
    ];
    const keeps = new Set(['POST /register']);
    const { leader, follower } = await startNodes(t, { routes }, { routes, keeps });
    const post = (path: string, fields: Record<string, string>) =>
      follower.api(path, { method: 'POST', body: new URLSearchParams(fields) });
    t.equal((await post('/events?queue_id=1', { method: 'DELETE' })).status, 200, 'forwarded');
    const polled = post('/events', { method: 'GET', queue_id: 'q' });
    await follower.poll.until(() => follower.poll.held.length === 1);
    t.equal(leader.poll.held.length, 0);
    follower.poll.held[0]!.replyText200('{}');
    t.equal((await polled).status, 200);
    follower.leadership.passTo(null);
    t.equal((await post('/register', { a: 'b' })).status, 200);
    t.equal((await follower.api('/register', { method: 'POST' })).status, 200);
  },
);
