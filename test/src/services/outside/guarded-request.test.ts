/** Servers that speak HTTP to do harm: whoever waits for them is told, soon, and nobody else waits. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { guardedGet } from '../../../../src/services/outside/guarded-get.js';
import { guardedPost } from '../../../../src/services/outside/guarded-post.js';
import { ReachableAddresses } from '../../../../src/services/outside/reachable-addresses.js';

const addresses = new ReachableAddresses(['127.0.0.1']);
/** Longer than the test: what ends, does so for another reason. */
const timeoutMs = 300_000;
const get = guardedGet({ addresses, ownOrigin: 'https://chat.example.com', timeoutMs });
const post = guardedPost(addresses, timeoutMs);
const ANY = {
  ...{ accept: '*/*', takes: () => true },
  ...{ maxBytes: 5 * 1024 * 1024, isPartEnough: false },
};

/** A server that answers whatever is asked. @returns its address */
async function answering(t: Test, answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
    t.teardown(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes the same again as long as somebody takes it. */
function endlessly(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n';
const UPGRADE =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nx';
const CASES: Record<string, [answer: (socket: Socket) => void, message: string]> = {
  'another protocol': [(socket) => socket.write(UPGRADE), 'The address speaks another protocol'],
  'answers before the answer': [
    (socket) => endlessly(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
    'Too many preliminary answers',
  ],
  'hints before the answer': [
    (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
    'Too many preliminary answers',
  ],
  'a byte at a time': [
    (socket) => {
      socket.write(CHUNKED);
      endlessly(socket, '1\r\nx\r\n'.repeat(100));
    },
    'The answer comes in too small pieces',
  ],
  'an answer that is cut off': [(socket) => socket.end(`${CHUNKED}5\r\nabc`), 'aborted'],
};

for (const [name, [answer, message]] of Object.entries(CASES)) {
  void t.test(name, async (t) => {
    const url = await answering(t, answer);
    await t.rejects(get(url, ANY), { message });
    await t.rejects(post(url, 'text/plain', 'x'), { message });
  });
}

void t.test('some answers before the answer, and no body', async (t) => {
  const url = await answering(t, (socket) =>
    socket.end(
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
    ),
  );
  t.equal((await get(url, ANY)).body.length, 0);
  t.same(await post(url, 'text/plain', 'x'), { status: 200, text: '' });
});
