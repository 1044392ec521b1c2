import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { badRequest } from '../../../../src/errors/index.js';
import type { HttpServerOptions, Service, SiteOptions } from '../../../../src/http/server.js';
import { createRequestLimiter } from '../../../../src/http/limits/rate-limit.js';
import { introduced, NODE_KEY as KEY, proven } from './nodes.js';
import { RawConnection } from '../raw-connection.js';
import { answer, basic, echo, ROUTES, startToy } from '../toy-server.js';

/** Replaced by a proof where a request is made. */
const WITH_KEY = 'with the key';
const AUTH = `Authorization: ${basic()}`;
const FROM_AFAR = 'Parley-Client: 203.0.113.9 https';

async function start(t: Test, options: Partial<HttpServerOptions & SiteOptions & Service> = {}) {
  const routes = [...ROUTES, echo({ method: 'GET', path: '/address', access: 'anonymous' })];
  const toy = await startToy(t, { routes, ...options });
  const { port } = await toy.server.listenInternal(toy.site, '127.0.0.1', 0, KEY);
  const at = async (place: number, method: string, target: string, ...headers: string[]) => {
    const connection = await RawConnection.open(place);
    t.teardown(() => connection.destroy());
    const sent = headers.map(async (one) => (one === WITH_KEY ? proven(port) : one));
    connection.request(method, target, ...(await Promise.all(sent)));
    return { connection, reply: (await connection.response())! };
  };
  return { ...toy, internalPort: port, at };
}

void t.test('who says hello again before the answer is cut off', async (t) => {
  const { internalPort } = await start(t);
  const hello = `GET /internal/hello HTTP/1.1\r\nHost: x\r\nParley-Node-Challenge: ${'a'.repeat(22)}\r\n\r\n`;
  const heard = async (times: number): Promise<number> => {
    const socket = connect(internalPort, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (times === 1) socket.end();
    });
    socket.on('error', () => undefined);
    const over = new Promise((resolve) => socket.on('close', resolve));
    socket.write(hello.repeat(times));
    await over;
    return text.split('HTTP/1.1 200 OK').length - 1;
  };
  t.equal(await heard(1), 1);
  t.equal(await heard(1000), 0, 'and keeps the node from nothing');
});

void t.test('whoever lacks the key of the nodes learns nothing', async (t) => {
  const { at, internalPort, site } = await start(t);
  site.internal('/internal/echo', (body) => body);
  const proof = await introduced(internalPort);
  const used = proof.next().trim();
  t.equal((await at(internalPort, 'GET', '/api/v1/messages', AUTH, used)).reply.status, 200);
  // Of a connection that has the right numbers, without the key.
  const [own, theirs] = used.split(' ').slice(1);
  const forged = createHmac('sha256', 'another key').update(`request\n2\n${own}\n${theirs}`);
  for (const headers of [
    [],
    [`Parley-Node-Key: ${KEY}`],
    [used],
    [`Parley-Node-Proof: ${own} ${theirs} 2 ${forged.digest('base64url')}`],
    [used.replace(' 1 ', ' 2 ')],
    [`Parley-Node-Proof: ${own} ${theirs} 2`],
    ['Parley-Node-Challenge: short'],
  ]) {
    for (const path of [
      '/api/v1/messages',
      '/internal/echo',
      '/internal/hello',
      '/health',
      '/nowhere',
    ]) {
      const { connection, reply } = await at(internalPort, 'GET', path, AUTH, ...headers);
      t.equal(reply.status, 403, path);
      t.equal(reply.body, '');
      t.same([...reply.headers.keys()].sort(), ['connection', 'content-length', 'date']);
      await connection.closed;
    }
  }
  t.equal((await at(internalPort, 'GET', '/api/v1/messages', AUTH, WITH_KEY)).reply.status, 200);
});

void t.test('the client is the one that the other node names', async (t) => {
  const { at, internalPort, port } = await start(t);
  const address = async (place: number, ...headers: string[]) =>
    (JSON.parse((await at(place, 'GET', '/api/v1/address', ...headers)).reply.body) as Claim)
      .address;
  t.equal(await address(internalPort, WITH_KEY, FROM_AFAR), '203.0.113.9');
  t.equal(
    await address(internalPort, WITH_KEY, FROM_AFAR, 'X-Forwarded-For: 1.1.1.1'),
    '203.0.113.9',
  );
  t.equal(await address(internalPort, WITH_KEY), 'unknown');
  t.equal(
    await address(port, WITH_KEY, FROM_AFAR),
    '127.0.0.1',
    'the public listener believes nobody',
  );
});

void t.test('a page of another site is judged by the protocol of the client', async (t) => {
  const { at, internalPort } = await start(t);
  const status = async (origin: string, protocol: string) => {
    const client = `Parley-Client: 203.0.113.9 ${protocol}`;
    const headers = [WITH_KEY, AUTH, client, `Origin: ${origin}`];
    return (await at(internalPort, 'GET', '/api/v1/messages', ...headers)).reply.status;
  };
  t.equal(await status('https://test', 'https'), 200);
  t.equal(await status('http://test', 'https'), 403);
  t.equal(await status('http://test', '-'), 200, 'an unknown protocol fits both');
});

void t.test('limits count the client, whichever listener its request reaches', async (t) => {
  const limiter = createRequestLimiter({ addresses: [{ max: 2, seconds: 60 }] });
  const { at, internalPort, port } = await start(t, { limiter });
  const here = 'Parley-Client: 127.0.0.1 -';
  const open = async (place: number, ...headers: string[]) =>
    (await at(place, 'GET', '/api/v1/open', ...headers)).reply;
  t.equal(
    (await open(internalPort, WITH_KEY, FROM_AFAR)).headers.get('x-ratelimit-remaining'),
    '1',
  );
  t.equal((await open(internalPort, WITH_KEY, here)).status, 200);
  t.equal((await open(port)).headers.get('x-ratelimit-remaining'), '0');
  t.equal((await open(internalPort, WITH_KEY, here)).status, 429);
  t.equal((await open(internalPort, WITH_KEY, FROM_AFAR)).status, 200);
});

void t.test('calls between nodes: JSON in, JSON out', async (t) => {
  const { site, port, internalPort } = await start(t);
  site.internal('/internal/echo', (body) => ({ body }));
  site.internal('/internal/later', async () => undefined);
  site.internal('/internal/refuse', () => {
    throw badRequest('No.');
  });
  const call = async (path: string, body: string, place = internalPort) => {
    const [name = '', value = ''] = (await proven(internalPort)).split(': ');
    const headers = { [name]: value };
    return fetch(`http://127.0.0.1:${place}${path}`, { method: 'POST', headers, body });
  };
  t.same(await (await call('/internal/echo', '{"a":[1,"é"]}')).json(), { body: { a: [1, 'é'] } });
  t.equal(await (await call('/internal/later', '1')).json(), null);
  t.match(await answer(await call('/internal/refuse', '{}')), {
    status: 400,
    body: { msg: 'No.' },
  });
  t.match(await answer(await call('/internal/echo', '{')), { body: { code: 'INVALID_JSON' } });
  t.equal((await call('/internal/other', '{}')).status, 404);
  t.equal((await call('/internal/echo', `"${'x'.repeat(1024 * 1024 - 2)}"`)).status, 200);
  t.equal((await call('/internal/echo', `"${'x'.repeat(1024 * 1024 - 1)}"`)).status, 413);
  t.equal((await call('/internal/echo', '{}', port)).status, 404, 'not at the public listener');
  t.throws(() => site.internal('/internal/echo', () => 0));
  t.throws(() => site.internal('/api/v1/echo', () => 0));
});

void t.test('replies to requests that may write tell the position', async (t) => {
  let seq = 7;
  const { at, port, site, authenticator } = await start(t, { position: () => seq });
  const position = async (method: string, path: string, ...headers: string[]) =>
    (await at(port, method, `/api/v1${path}`, ...headers)).reply.headers.get('parley-position');
  t.equal(await position('DELETE', '/messages/1', AUTH), '7');
  seq = 8;
  t.equal(await position('POST', '/login?username=iago'), '8');
  t.equal(await position('POST', '/messages', AUTH), '8', 'a refusal too');
  t.equal(await position('GET', '/messages', AUTH), undefined);
  site.serve({ health: () => 'ready', routes: ROUTES, authenticator });
  t.equal(await position('DELETE', '/messages/1', AUTH), undefined, 'a service without one');
});

void t.test('a request waits for the position that it names', async (t) => {
  let head = 5;
  const arrived: (() => void)[] = [];
  const asked: number[] = [];
  const reached = (seq: number): Promise<boolean> | null => {
    asked.push(seq);
    return seq <= head ? null : new Promise((resolve) => arrived.push(() => resolve(true)));
  };
  const { api, server, poll } = await start(t, { reached });
  const at = (position: string) => ({ headers: { 'Parley-Position': position } });
  t.equal((await api('/messages', at('5'))).status, 200);
  t.same(asked.splice(0), [5]);

  const waiting = api('/messages?anchor=3', at('6'));
  const posted = api('/messages', {
    method: 'POST',
    body: new URLSearchParams({ content: 'x' }),
    ...at('6'),
  });
  const polled = api('/events?queue_id=q', at('6'));
  while (arrived.length < 3) await new Promise((resolve) => setImmediate(resolve));
  t.equal(server.pendingCount, 3);
  t.equal(poll.held.length, 0);
  head = 6;
  for (const resolve of arrived) resolve();
  t.match(await answer(await waiting), { status: 200, body: { params: { anchor: 3 } } });
  t.match(await answer(await posted), { status: 200, body: { params: { content: 'x' } } });
  await poll.until(() => poll.held.length === 1);
  poll.held[0]!.replyText200('{}');
  t.equal((await polled).status, 200);

  asked.length = 0;
  for (const odd of ['', '-1', '1e3', 'x', '9'.repeat(16)]) {
    t.equal((await api('/messages', at(odd))).status, 200, `"${odd}" is no position`);
  }
  t.same(asked, []);
});

void t.test('a position that is not reached in time is refused', async (t) => {
  const { api } = await start(t, { reached: () => Promise.resolve(false) });
  const named = { headers: { 'Parley-Position': '9' } };
  const body = new URLSearchParams({ content: 'x' });
  for (const options of [named, { ...named, method: 'POST', body }]) {
    const refused = await api('/messages', options);
    t.equal(refused.headers.get('retry-after'), '1');
    t.match(await answer(refused), {
      status: 503,
      body: {
        msg: 'The server is behind the position of the request',
        code: 'SERVICE_UNAVAILABLE',
      },
    });
  }
});

void t.test('a request with a body that is refused before waits for no position', async (t) => {
  const asked: number[] = [];
  const reached = (seq: number): null => {
    asked.push(seq);
    return null;
  };
  const { api } = await start(t, { reached });
  const refused = await api('/messages', {
    method: 'POST',
    headers: { 'Parley-Position': '9', Authorization: 'Basic odd' },
    body: new URLSearchParams({ content: 'x' }),
  });
  t.equal(refused.status, 401);
  t.same(asked, []);
});

interface Claim {
  readonly address: string;
}
