import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { badRequest } from '../../../../src/errors/index.js';
import type { Health } from '../../../../src/http/health.js';
import { RawConnection } from '../raw-connection.js';
import { answer, basic, echo, ROUTES, toyEndpoint } from '../toy-server.js';
import { ScriptedLeader, startFollower, startNode, startNodes, type Follower } from './nodes.js';

const AUTH = `Authorization: ${basic()}`;
const BROKE = 'The connection broke: the request may have been carried out';
const UNKNOWN = { status: 503, body: { msg: BROKE, code: 'SERVICE_UNAVAILABLE' } };
const NOBODY = { status: 503, body: { msg: 'No server accepts changes at the moment' } };

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** Sends a message through a node. */
function post({ api }: Follower, content = 'hi') {
  return api('/messages', { method: 'POST', body: new URLSearchParams({ content }) });
}

/** An endpoint whose requests wait until a test answers them. */
function heldRoute() {
  const held: (() => void)[] = [];
  const route = {
    endpoint: toyEndpoint({ method: 'POST', path: '/held' }),
    call: async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return {};
    },
  };
  return { held, route };
}

void t.test('a request waits for a leader', async (t) => {
  const leader = await startNode(t);
  const follower = await startFollower(t);
  const waiting = post(follower);
  await until(() => follower.forward.figures.waiting === 1);
  follower.leadership.passTo(leader.internalPort);
  t.match(await answer(await waiting), { status: 200, body: { params: { content: 'hi' } } });
  t.match(follower.forward.figures, { waiting: 0, connections: 1, replied: 1, lost: 0 });
});

void t.test('without a leader it is refused in time, and was not sent', async (t) => {
  const leader = await startNode(t);
  const follower = await startFollower(t, { waitMs: 200 });
  const refused = await post(follower);
  t.equal(refused.headers.get('retry-after'), '1');
  t.match(await answer(refused), NOBODY);
  follower.leadership.passTo(leader.internalPort);
  t.equal((await post(follower)).status, 200);
  t.equal(follower.forward.figures.replied, 1);
});

void t.test(
  'a leader that no longer listens is waited for, and the next one gets the request',
  async (t) => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    const next = await startNode(t);
    const follower = await startFollower(t);
    follower.leadership.passTo(port);
    const waiting = post(follower);
    await until(() => follower.forward.figures.connections === 1);
    await until(() => follower.forward.figures.connections === 0);
    t.equal(follower.forward.figures.waiting, 1);
    follower.leadership.passTo(next.internalPort);
    t.equal((await waiting).status, 200);
  },
);

void t.test('a request that is refused before it begins goes to the next leader', async (t) => {
  let health: Health = 'follower';
  const deposed = await startNode(t, { health: () => health });
  const next = await startNode(t);
  const follower = await startFollower(t);
  follower.leadership.passTo(deposed.internalPort);
  const waiting = post(follower);
  const refusals = () => [...deposed.server.replies].flatMap((one) => [...one.byStatus()]);
  await until(() => refusals().some(([status, count]) => status === 503 && count > 1));
  follower.leadership.passTo(next.internalPort);
  t.match(await answer(await waiting), { status: 200, body: { params: { content: 'hi' } } });

  await t.test('or to the same one, when it is ready', async (t) => {
    health = 'starting';
    follower.leadership.passTo(deposed.internalPort);
    const waiting = post(follower);
    await until(() => refusals().some(([status, count]) => status === 503 && count > 3));
    health = 'ready';
    const reply = await waiting;
    t.equal(reply.status, 200);
    t.equal(reply.headers.get('parley-unprocessed'), null);
  });
});

void t.test(
  'two nodes that take one another for the leader do not pass a request on for ever',
  async (t) => {
    const one = await startFollower(t, { waitMs: 300 });
    const other = await startFollower(t);
    one.leadership.passTo(other.internalPort);
    other.leadership.passTo(one.internalPort);
    t.match(await answer(await post(one)), NOBODY);
    t.equal(other.forward.figures.replied, 0);
  },
);

void t.test('a request whose reply does not come is never sent again', async (t) => {
  const leader = await ScriptedLeader.start(t);
  const next = await startNode(t);
  const follower = await startFollower(t);
  const { leadership } = follower;
  leadership.passTo(leader.port);

  await t.test('when the leader ends the connection', async (t) => {
    const waiting = post(follower);
    await leader.requests(1);
    leader.sockets[0]!.destroy();
    const refused = await waiting;
    t.equal(refused.headers.get('retry-after'), '1');
    t.match(await answer(refused), UNKNOWN);
  });

  await t.test('when its reply breaks off', async (t) => {
    for (const begun of ['HTTP/1.1 200 O', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"resul']) {
      const before = leader.count;
      const waiting = post(follower);
      await leader.requests(before + 1);
      leader.sockets.at(-1)!.end(begun);
      t.match(await answer(await waiting), UNKNOWN);
      t.equal(leader.count, before + 1);
    }
  });

  await t.test('when it replies with what is no reply', async (t) => {
    for (const odd of [
      'HELO\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
    ]) {
      const before = leader.count;
      const waiting = post(follower);
      await leader.requests(before + 1);
      leader.sockets.at(-1)!.write(odd);
      t.match(await answer(await waiting), UNKNOWN);
    }
  });

  await t.test('when it stands still and another one takes over', async (t) => {
    const before = leader.count;
    const waiting = post(follower, 'first');
    await leader.requests(before + 1);
    leadership.passTo(null);
    const later = post(follower, 'second');
    await until(() => follower.forward.figures.waiting === 1);
    leadership.passTo(next.internalPort);
    t.match(await answer(await waiting), UNKNOWN);
    t.match(await answer(await later), { status: 200, body: { params: { content: 'second' } } });
    t.equal(leader.count, before + 1);
    t.equal(follower.forward.figures.lost, 7);
  });
});

void t.test('a leader that goes still replies to what it has', async (t) => {
  const { held, route } = heldRoute();
  const { follower } = await startNodes(t, { routes: [route] });
  const waiting = follower.api('/held', { method: 'POST' });
  await until(() => held.length === 1);
  follower.leadership.passTo(null);
  held[0]!();
  t.equal((await waiting).status, 200);
});

void t.test('a long reply that breaks off ends the connection of its client', async (t) => {
  const leader = await ScriptedLeader.start(t);
  const follower = await startFollower(t);
  follower.leadership.passTo(leader.port);
  const connection = await RawConnection.open(follower.port);
  connection.request('DELETE', '/api/v1/messages/1', AUTH);
  await leader.requests(1);
  const [socket] = leader.sockets;
  socket!.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`);
  await until(() => follower.forward.figures.replied === 1);
  socket!.destroy();
  await connection.closed;
  t.equal(await connection.response(), null);
});

void t.test('a client that goes away', async (t) => {
  const done: unknown[] = [];
  const routes = [
    {
      endpoint: toyEndpoint({ method: 'POST', path: '/messages' }),
      call: async () => {
        await turn();
        done.push(1);
        return {};
      },
    },
  ];
  const leader = await startNode(t, { routes });
  const follower = await startFollower(t, { waitMs: 600_000 });

  await t.test('takes back what was not sent', async (t) => {
    const connection = await RawConnection.open(follower.port);
    connection.request('POST', '/api/v1/messages', AUTH);
    await until(() => follower.forward.figures.waiting === 1);
    connection.destroy();
    await until(() => follower.forward.figures.waiting === 0);
    follower.leadership.passTo(leader.internalPort);
    t.equal((await follower.api('/messages', { method: 'POST' })).status, 200);
    t.equal(done.length, 1);
  });

  await t.test('a request that was sent is not sent again after its client has gone', async (t) => {
    const scripted = await ScriptedLeader.start(t);
    follower.leadership.passTo(scripted.port);
    const connection = await RawConnection.open(follower.port);
    connection.request('POST', '/api/v1/messages', AUTH);
    await scripted.requests(1);
    connection.destroy();
    await until(() => follower.server.pendingCount === 0);
    scripted.sockets[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    await until(() => follower.forward.figures.replied === 1 + 1);
    t.equal(follower.forward.figures.connections, 1, 'the connection is kept');
  });

  await t.test('before a request of it that is pipelined has begun', async (t) => {
    follower.leadership.passTo(leader.internalPort);
    done.length = 0;
    const connection = await RawConnection.open(follower.port);
    const one = `POST /api/v1/messages HTTP/1.1\r\nHost: a\r\n${AUTH}\r\n\r\n`;
    connection.write(one + one);
    await connection.closed;
    for (let i = 0; i < 20; i++) await turn();
    t.same(done, []);
  });
});

void t.test('the reply waits until the node has what the request changed', async (t) => {
  let arrive: (inTime: boolean) => void = () => undefined;
  const asked: number[] = [];
  const reached = (seq: number): Promise<boolean> => {
    asked.push(seq);
    return new Promise((resolve) => (arrive = resolve));
  };
  const behind: number[] = [];
  const stillBehind = (seq: number): void => void behind.push(seq);
  const { follower } = await startNodes(t, { position: () => 42 }, { reached, stillBehind });
  let replied = false;
  const waiting = post(follower).finally(() => (replied = true));
  await until(() => asked.length === 1);
  for (let i = 0; i < 20; i++) await turn();
  t.same([asked, replied], [[42], false]);
  arrive(true);
  const reply = await waiting;
  t.equal(reply.headers.get('parley-position'), '42');
  t.equal(reply.status, 200);
  t.same(behind, []);

  const late = post(follower);
  await until(() => asked.length === 2);
  arrive(false);
  t.equal((await late).status, 200, 'it was carried out, also where the node stays behind');
  t.same(behind, [42], 'the node knows that it shows its client less than that');
});

void t.test('no more requests wait than may, and no more connections stand', async (t) => {
  const { held, route } = heldRoute();
  const { follower } = await startNodes(
    t,
    { routes: [route] },
    { routes: [route], maxWaiting: 70 },
  );
  const send = () => follower.api('/held', { method: 'POST' });
  const all = Array.from({ length: 64 }, send);
  await until(() => held.length === 64);
  const more = Array.from({ length: 80 }, send);
  await until(() => follower.forward.figures.waiting === 70);
  const refused: Response[] = [];
  for (const one of more) void one.then((reply) => reply.status === 503 && refused.push(reply));
  await until(() => refused.length === 10);
  t.match(await answer(refused[0]!), {
    body: { msg: 'Too many changes wait for the server that makes them' },
  });
  t.match(follower.forward.figures, { waiting: 70, connections: 64 });
  let answered = 0;
  const statuses = Promise.all([...all, ...more].map(async (one) => (await one).status)).finally(
    () => (answered = 1),
  );
  while (answered === 0) {
    for (const release of held.splice(0)) release();
    await turn();
  }
  const found = await statuses;
  t.equal(found.filter((status) => status === 200).length, 134);
  t.equal(follower.forward.figures.connections, 64);
});

void t.test('a client that pauses in a long reply gets all of it', async (t) => {
  const list = Array.from({ length: 300_000 }, (_, i) => `${i} ${'x'.repeat(90)}`);
  const routes = [
    { endpoint: toyEndpoint({ method: 'POST', path: '/large' }), call: () => ({ list }) },
  ];
  const { follower } = await startNodes(t, { routes });
  const socket = connect({ port: follower.port, host: '127.0.0.1' });
  socket.pause();
  socket.write(`POST /api/v1/large HTTP/1.1\r\nHost: a\r\n${AUTH}\r\n\r\n`);
  await until(() => follower.forward.figures.replied === 1);
  const other = await follower.api('/large', { method: 'POST' });
  t.same(((await other.json()) as { list: unknown }).list, list, 'another client meanwhile');
  const chunks: string[] = [];
  let end = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    chunks.push(chunk);
    end = (end + chunk).slice(-3);
  });
  socket.resume();
  await until(() => end === ']}\n');
  socket.destroy();
  const text = chunks.join('');
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  t.same((JSON.parse(body) as { list: unknown }).list, list);
});

void t.test('calls of the leader beside the API', async (t) => {
  const { leader, follower } = await startNodes(t);
  leader.site.internal('/internal/double', (body) => ({ n: (body as { n: number }).n * 2 }));
  leader.site.internal('/internal/long', () => 'x'.repeat(500_000));
  leader.site.internal('/internal/refuse', () => {
    throw badRequest('No.');
  });
  t.same(await follower.forward.call('/internal/double', { n: 21 }), { n: 42 });
  t.equal(((await follower.forward.call('/internal/long', null)) as string).length, 500_000);
  await t.rejects(follower.forward.call('/internal/refuse', 1), {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'No.',
  });
  await t.rejects(follower.forward.call('/internal/nothing', 1), { message: 'Not Found' });
});

void t.test('the end of a node', async (t) => {
  const { held, route } = heldRoute();
  const { follower } = await startNodes(t, { routes: [route] });
  const sent = follower.api('/held', { method: 'POST' });
  await until(() => held.length === 1);
  follower.leadership.passTo(null);
  const waiting = follower.api('/held', { method: 'POST' });
  await until(() => follower.forward.figures.waiting === 1);
  follower.forward.close();
  t.match(await answer(await waiting), { status: 503, body: { msg: 'Server is draining' } });
  t.equal((await follower.api('/held', { method: 'POST' })).status, 503);
  held[0]!();
  t.equal((await sent).status, 200);
  await until(() => follower.forward.figures.connections === 0);
});

void t.test('a node that begins to lead serves what waited there', async (t: Test) => {
  const follower = await startFollower(t);
  const waiting = post(follower);
  await until(() => follower.forward.figures.waiting === 1);
  follower.site.serve({
    health: () => 'ready',
    routes: [...ROUTES, echo({ method: 'GET', path: '/led' })],
    authenticator: follower.authenticator,
  });
  follower.leadership.passTo(follower.internalPort);
  t.match(await answer(await waiting), { status: 200, body: { address: '127.0.0.1' } });
});
