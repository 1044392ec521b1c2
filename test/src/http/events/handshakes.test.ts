import t from 'tap';
import { sessionOf } from '../../../../src/resources/kernel/route.js';
import { RawConnection } from '../raw-connection.js';
import { basic } from '../toy-server.js';
import { startEventServer } from './event-server.js';

const SOCKET = ['Connection: Upgrade', 'Upgrade: websocket'];
const VERSION = 'Sec-WebSocket-Version: 13';
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

void t.test('a handshake that RFC 6455 forbids is refused, and spends no ticket', async (t) => {
  const { toy, node, tickets } = await startEventServer(t);
  const queue = await node.register(1);
  const { ticket } = tickets.issue(sessionOf(toy.authenticator.users.get(1)!));
  const path = `/api/v1/events?queue_id=${queue.queueId}&last_event_id=-1&ticket=${ticket}`;
  for (const [name, lines, status] of [
    ['no version', [...SOCKET, KEY], 426],
    ['another version', [...SOCKET, KEY, 'Sec-WebSocket-Version: 8'], 426],
    ['no key', [...SOCKET, VERSION], 400],
    ['a short key', [...SOCKET, VERSION, 'Sec-WebSocket-Key: abc'], 400],
    ['no base64', [...SOCKET, VERSION, `Sec-WebSocket-Key: ${'!'.repeat(24)}`], 400],
    ['a key of 17 bytes', [...SOCKET, VERSION, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZXM='], 400],
    ['neither', SOCKET, 426],
  ] as const) {
    const connection = await RawConnection.open(toy.port);
    connection.request('GET', path, ...lines);
    const reply = await connection.response();
    t.equal(reply?.status, status, name);
    t.match(JSON.parse(reply!.body), { result: 'error', code: 'BAD_REQUEST' }, name);
    t.equal(reply?.headers.get('sec-websocket-version'), status === 426 ? '13' : undefined, name);
    connection.destroy();
  }
  t.equal(queue.consumer, null, 'it is no poll either');
  const connection = await RawConnection.open(toy.port);
  connection.request('GET', path, ...SOCKET, VERSION, KEY);
  t.equal((await connection.response())?.status, 101, 'the ticket is still good');
  connection.destroy();
});

void t.test('a path with repeated slashes is the same socket, and the same stream', async (t) => {
  const { toy, node } = await startEventServer(t);
  const queue = await node.register(1);
  const query = `?queue_id=${queue.queueId}&last_event_id=-1`;
  const open = async (path: string, ...lines: string[]) => {
    const connection = await RawConnection.open(toy.port);
    t.teardown(() => connection.destroy());
    connection.request('GET', path + query, `Authorization: ${basic()}`, ...lines);
    return connection.response({ head: true });
  };
  for (const path of ['//api/v1/events', '/api///v1//events']) {
    t.equal((await open(path, ...SOCKET, VERSION, KEY))?.status, 101, path);
    t.equal((await open(path, ...SOCKET, VERSION))?.status, 400, `${path}: no key, and no poll`);
    const stream = await open(path, 'Accept: text/event-stream');
    t.match(stream?.headers.get('content-type'), 'text/event-stream', path);
  }
  t.equal((await open('//api/v1/nothing', ...SOCKET, VERSION, KEY))?.status, 404);
});

/** A frame of a client, with a mask of zeros. @param first opcode and flags; @param length what it claims */
function frame(first: number, payload: readonly number[] | Buffer, length?: number): Buffer {
  const size = length ?? payload.length;
  const head =
    size < 126 ? [first, 0x80 | size] : [first, 0xff, 0, 0, 0, 0, 0, (size >> 16) & 255, 0, 0];
  return Buffer.from([...head, 0, 0, 0, 0, ...payload]);
}

void t.test('frames that RFC 6455 forbids end the connection without a code', async (t) => {
  const { toy, node } = await startEventServer(t);
  const queue = await node.register(1);
  const path = `/api/v1/events?queue_id=${queue.queueId}&last_event_id=-1`;
  for (const [name, bytes] of Object.entries({
    'invalid UTF-8': frame(0x81, [0xff, 0xfe]),
    'half a surrogate pair': frame(0x81, [0xed, 0xa0, 0x80]),
    'a reserved bit': frame(0xc1, [0x7b, 0x7d]),
    'an unknown opcode': frame(0x83, [0x7b, 0x7d]),
    'a continuation of nothing': frame(0x80, [0x7b, 0x7d]),
    'a text in a text': Buffer.concat([frame(0x01, [0x7b]), frame(0x81, [0x7d])]),
    'a ping in pieces': frame(0x09, [0x7b]),
    'more than a megabyte': frame(0x81, [], 2 * 1024 * 1024),
  })) {
    const connection = await RawConnection.open(toy.port);
    connection.request('GET', path, `Authorization: ${basic()}`, ...SOCKET, VERSION, KEY);
    t.equal((await connection.response())?.status, 101, name);
    const { length } = connection.unread;
    connection.write(bytes);
    await connection.closed;
    // The greeting may come later; no frame of the server begins with a close.
    t.notMatch(connection.unread.subarray(length).toString('latin1'), '\x88', name);
    t.notOk(queue.hasEnded, name);
  }
});

void t.test('HEAD takes nothing from a queue, and registers none', async (t) => {
  const { toy, node, say } = await startEventServer(t);
  const queue = await node.register(1);
  await say(1);
  await say(2);
  const head = (query: string, headers: Record<string, string> = {}) =>
    toy.api(`/events?${query}`, { method: 'HEAD', headers });
  const waiting = queue.pending().length;
  const { touchedAt } = queue;
  for (const headers of [{}, { Accept: 'text/event-stream' }] as Record<string, string>[]) {
    const reply = await head(
      `queue_id=${queue.queueId}&last_event_id=${queue.newestId}&dont_block=true`,
      headers,
    );
    t.equal(reply.status, 200);
    t.equal(await reply.text(), '');
    t.equal((await head(`queue_id=${queue.queueId}&last_event_id=-1`, headers)).status, 200);
  }
  t.equal(queue.pending().length, waiting, 'nothing was acknowledged');
  t.equal(queue.touchedAt, touchedAt);
  t.equal(queue.consumer, null);
  const before = node.queues.of(1).length;
  t.equal((await head('event_types=["message"]')).status, 200);
  t.equal(node.queues.of(1).length, before, 'no queue was registered');
  t.equal((await head('queue_id=nothing&last_event_id=-1')).status, 400);
  const refused = 'narrow=[["no-such-operator","x"]]';
  for (const method of ['GET', 'HEAD']) {
    t.equal(
      (await toy.api(`/events?${refused}`, { method })).status,
      400,
      `${method}: as of a GET`,
    );
  }
  const query = `queue_id=${queue.queueId}&last_event_id=-1`;
  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
  ] as const) {
    const reply = await head(query, { Accept: accept });
    t.equal(reply.headers.get('content-type'), type, 'the media type of what GET answers');
  }
  const foreign = await node.register(2);
  t.equal((await head(`queue_id=${foreign.queueId}&last_event_id=-1`)).status, 400);
});
