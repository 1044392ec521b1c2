import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { serviceUnavailable } from '../../../src/errors/index.js';
import type { DecodedRequest } from '../../../src/resources/kernel/route.js';
import { basic, startToy, toyEndpoint, type Toy } from './toy-server.js';

type Body = Record<string, unknown>;

/** More than the buffers of two sockets hold. */
const LARGE = 'x'.repeat(24 * 1024 * 1024);
const BODY = `{"result":"success","msg":"","value":"${LARGE}"}\n`;

/** A client that got the beginning of a large reply and does not read on. */
async function stalled(t: Test): Promise<{ toy: Toy; socket: Socket; first: Buffer }> {
  const endpoint = toyEndpoint({ method: 'GET', path: '/large' });
  const toy = await startToy(t, { routes: [{ endpoint, call: () => ({ value: LARGE }) }] });
  const socket = connect(toy.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(`GET /api/v1/large HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { toy, socket, first };
}

/** The rest of the reply, as far as it comes. */
async function rest(socket: Socket, first: Buffer): Promise<string> {
  const chunks = [first];
  let size = first.length;
  const end = first.indexOf('\r\n\r\n') + 4;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= end + BODY.length) socket.end();
  });
  socket.resume();
  await once(socket, 'close');
  return Buffer.concat(chunks).subarray(end).toString('latin1');
}

void t.test('a large reply waits for its reader', async (t) => {
  const { toy, socket, first } = await stalled(t);
  t.equal(toy.server.pendingCount, 1, 'and is not in the memory of the native layer');
  t.match(first.toString('latin1'), /\r\nKeep-Alive: timeout=7\r\n/);
  t.ok((await rest(socket, first)) === BODY);
  t.equal(toy.server.pendingCount, 0);
});

void t.test('a large map is answered as JSON has it', async (t) => {
  const texts: Record<string, unknown> = JSON.parse('{"__proto__":"é","gone":0}') as Body;
  texts.gone = undefined;
  for (let i = 0; i < 6000; i++) texts[`key ${i}`] = i % 7 === 0 ? undefined : '"'.repeat(i % 20);
  const objects = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [i, { html: '<'.repeat(20_000 * (i % 3)), i }]),
  );
  const nothing = Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`${i}`, undefined]));
  const reply = { texts, objects, nothing, none: undefined };
  const endpoint = toyEndpoint({ method: 'GET', path: '/map' });
  const toy = await startToy(t, { routes: [{ endpoint, call: () => reply }] });
  const response = await fetch(`http://127.0.0.1:${toy.port}/api/v1/map`, {
    headers: { authorization: basic() },
  });
  const expected = JSON.stringify({ result: 'success', msg: '', ...reply });
  t.ok((await response.text()) === `${expected}\n`);
});

void t.test('a reply that has begun is not answered anew by a server that stops', async (t) => {
  const { toy, socket, first } = await stalled(t);
  toy.site.withdraw(serviceUnavailable('going'));
  t.ok((await rest(socket, first)) === BODY);
});

void t.test('of many that nobody reads, the ones stalled for longest are cut off', async (t) => {
  const endpoint = toyEndpoint({ method: 'GET', path: '/large' });
  const routes = [{ endpoint, call: () => ({ value: LARGE }) }];
  const toy = await startToy(t, { routes, maxHeldBytes: 3.5 * BODY.length });
  const ask = async (): Promise<{ socket: Socket; first: Buffer }> => {
    const socket = connect(toy.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(`GET /api/v1/large HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return { socket, first };
  };
  const unread = [await ask(), await ask(), await ask()];
  t.equal(toy.server.pendingCount, 3);
  unread.push(await ask());
  t.equal(toy.server.pendingCount, 3, 'one went for the fourth');
  const read = await Promise.all(unread.map(({ socket, first }) => rest(socket, first)));
  t.equal(read.filter((body) => body === BODY).length, 3, 'who reads gets all of it');
  t.ok(read[3] === BODY, 'and the newest is not the one that goes');
  t.equal((await toy.api('/open', { auth: null })).status, 404, 'others are served');
});

void t.test('large replies in the making are few, and refused at their bound', async (t) => {
  const endpoint = toyEndpoint({ method: 'GET', path: '/made' });
  const made: (() => void)[] = [];
  let arrived = (): void => undefined;
  const call = async (request: DecodedRequest) => {
    await request.largeReply!();
    await new Promise<void>((resolve) => {
      made.push(resolve);
      arrived();
    });
    return { value: 'large' };
  };
  const toy = await startToy(t, {
    routes: [{ endpoint, call }],
    replyTurns: { concurrency: 1, maxWaiting: 1, maxWaitMs: 60_000 },
  });
  const making = async (count: number): Promise<void> => {
    while (made.length < count) await new Promise<void>((resolve) => (arrived = resolve));
  };
  const first = toy.api('/made');
  await making(1);
  const others = [toy.api('/made'), toy.api('/made')];
  const refused = await Promise.race(others);
  t.equal(refused.status, 503);
  t.equal(refused.headers.get('retry-after'), '1');
  t.match(await refused.json(), {
    msg: 'Too many large replies are being made',
    code: 'SERVICE_UNAVAILABLE',
  });
  t.equal(made.length, 1, 'the one that waits is not in the making');
  made[0]!();
  t.equal((await first).status, 200);
  await making(2);
  made[1]!();
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  t.same(statuses.sort(), [200, 503], 'and has its turn when the first one is made');
});
