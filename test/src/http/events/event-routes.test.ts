import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import {
  pollRoute,
  servePush,
  type EventRouteParts,
} from '../../../../src/http/events/event-routes.js';
import { EventQueues } from '../../../../src/resources/queues/event-queues.js';
import { sessionOf } from '../../../../src/resources/kernel/route.js';
import { SocketTickets } from '../../../../src/resources/queues/socket-tickets.js';
import { account, CoreNode } from '../../../fixtures/core-node.js';
import { RawConnection } from '../raw-connection.js';
import { answer, basic, startToy, type Toy } from '../toy-server.js';

interface Setup {
  readonly node: CoreNode;
  readonly toy: Toy;
  readonly tickets: SocketTickets;
  readonly poll: (query: string) => Promise<{ status: number; body: Record<string, unknown> }>;
  readonly open: (query: string, headers?: Record<string, string>) => Client;
  readonly say: (n: number) => Promise<void>;
}

/** A WebSocket client that keeps what it is told. */
class Client {
  readonly frames: Record<string, unknown>[] = [];
  private readonly socket: WebSocket;
  private readonly changes: (() => void)[] = [];
  closed: number | undefined;
  /** Status of a refused upgrade. */
  refused: number | undefined;

  constructor(t: Test, url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url, ['parley.v1'], { headers });
    this.socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as Record<string, unknown>);
      this.changed();
    });
    this.socket.on('close', (code) => {
      this.closed = code;
      this.changed();
    });
    this.socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      this.changed();
    });
    this.socket.on('error', () => undefined);
    t.teardown(() => this.socket.terminate());
  }

  get protocol(): string {
    return this.socket.protocol;
  }

  send(data: string | Buffer): void {
    this.socket.send(data);
  }

  close(): void {
    this.socket.close();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((done) => this.changes.push(done));
  }

  private changed(): void {
    for (const done of this.changes.splice(0)) done();
  }
}

async function setUp(t: Test): Promise<Setup> {
  const node = await CoreNode.start();
  node.runtime.transact((tx) => {
    for (const id of [1, 2]) tx.org.users.insert(account(id));
  });
  await node.journal.barrier();
  let next = 0;
  const tickets = new SocketTickets(
    () => node.clock.now(),
    () => `ticket-${next++}`,
  );
  const parts: EventRouteParts = {
    events: new EventQueues(node.queues, node.runtime),
    tickets,
    authenticator: { caller: (session) => toy.authenticator.caller(session) },
    now: () => node.clock.now(),
    server: () => toy.server,
  };
  const toy: Toy = await startToy(t, { specials: [pollRoute(parts)] }, (server) =>
    servePush(server, () => parts),
  );
  return {
    node,
    toy,
    tickets,
    poll: async (query) => answer(await toy.api(`/events?${query}`)),
    open: (query, headers = { Authorization: basic() }) =>
      new Client(t, `ws://127.0.0.1:${toy.port}/api/v1/events?${query}`, headers),
    say: async (n) => {
      node.emit([1], n);
      await node.journal.barrier();
    },
  };
}

void t.test(
  'a poll without a queue registers one and can be told apart from its events',
  async (t) => {
    const { poll, say, node } = await setUp(t);
    const first = await poll('dont_block=true&nonsense=1');
    t.match(first, {
      status: 200,
      body: { result: 'success', events: [], ignored_parameters_unsupported: ['nonsense'] },
    });
    const id = first.body.queue_id as string;
    t.ok(node.memory.collections.get('queue')?.has(id), 'durable before it is told');
    await say(1);
    const second = await poll(`queue_id=${id}&last_event_id=-1`);
    t.match(second, { status: 200, body: { queue_id: id, events: [{ type: 'note', n: 1 }] } });
  },
);

void t.test('a held poll is answered by an event', async (t) => {
  const { poll, say, node } = await setUp(t);
  const queue = await node.register(1);
  const held = poll(`queue_id=${queue.queueId}&last_event_id=${queue.newestId}`);
  while (!queue.consumer) await new Promise((done) => setImmediate(done));
  await say(1);
  t.match(await held, { status: 200, body: { events: [{ n: 1 }] } });
});

void t.test('a poll as clients usually write it is answered as any other', async (t) => {
  const { toy, say, node } = await setUp(t);
  // Ids are those of the journal, so both queues get the same ones.
  const [usual, other] = [await node.register(1), await node.register(1)];
  const foreign = await node.register(2);
  for (const n of [1, 2, 3]) await say(n);
  const ids = usual.pending().map(({ id }) => id);
  t.strictSame(
    other.pending().map(({ id }) => id),
    ids,
  );
  const told = async (query: string, queueId: string) => {
    const reply = await toy.api(`/events?${query}`);
    const { date: _date, 'x-request-id': _id, ...headers } = Object.fromEntries(reply.headers);
    const text = (await reply.text()).replaceAll(queueId, 'the queue');
    return { status: reply.status, headers, text };
  };
  const cursors = [
    '-1',
    '0',
    '00',
    '-01',
    ids[0]!,
    `0${ids[0]}`,
    ids[1]!,
    ids[2]! + 1,
    10 ** 15 - 1,
  ];
  for (const cursor of cursors) {
    for (const rest of ['&dont_block=true', '&dont_block=false', '']) {
      for (const [first, second] of [
        [usual.queueId, other.queueId],
        [foreign.queueId, foreign.queueId],
        ['nothing', 'nothing'],
      ] as const) {
        const asUsual = `queue_id=${first}&last_event_id=${cursor}${rest}`;
        // Another order takes the long way.
        const otherwise = `last_event_id=${cursor}&queue_id=${second}${rest}`;
        t.strictSame(await told(asUsual, first), await told(otherwise, second), asUsual);
        node.clock.advance(1000);
      }
      t.equal(usual.length, other.length, 'events that were acknowledged');
      t.equal(other.touchedAt - usual.touchedAt, 0, 'last use');
    }
  }
  t.equal(usual.length, 1);
});

void t.test('a poll of an unknown or foreign queue, or a bad cursor, is refused', async (t) => {
  const { poll, node } = await setUp(t);
  const queue = await node.register(1);
  const foreign = await node.register(2);
  for (const id of ['nothing', foreign.queueId]) {
    t.match(await poll(`queue_id=${id}&last_event_id=-1`), {
      status: 400,
      body: { code: 'BAD_EVENT_QUEUE_ID', msg: `Bad event queue ID: ${id}`, queue_id: id },
    });
  }
  t.match(await poll(`queue_id=${queue.queueId}&last_event_id=${queue.newestId + 1}`), {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: `Event ${queue.newestId + 1} was not in this queue` },
  });
});

void t.test('a poll after a restart waits for the replay', async (t) => {
  const { node, toy, poll, say } = await setUp(t);
  const queue = await node.register(1);
  await say(1);
  await say(2);
  const ids = queue.pending().map(({ id }) => id);
  const next = await node.restart();
  const parts = { ...toy, events: new EventQueues(next.queues, next.runtime) };
  const other = await startToy(t, {
    specials: [pollRoute(parts as unknown as EventRouteParts)],
  });
  const path = `/events?queue_id=${queue.queueId}&last_event_id=${ids[0]}`;
  t.match(await answer(await other.api(path)), { status: 200, body: { events: [{ n: 2 }] } });
  t.ok(poll);
});

void t.test('a socket is the same queue, pushed', async (t) => {
  const { open, say, poll, node } = await setUp(t);
  const queue = await node.register(1);
  await say(1);
  const client = open(`queue_id=${queue.queueId}&last_event_id=${queue.pending()[0]!.id - 1}`);
  await client.until(() => client.frames.length === 2);
  t.equal(client.protocol, 'parley.v1');
  t.match(client.frames, [
    { type: 'hello', queue_id: queue.queueId, heartbeat_interval_seconds: 45 },
    { type: 'events', events: [{ n: 1 }] },
  ]);
  await say(2);
  await client.until(() => client.frames.length === 3);
  const [first, second] = queue.pending().map(({ id }) => id);
  client.send(JSON.stringify({ type: 'ack', last_event_id: first }));
  client.send(Buffer.from([1, 2, 3]));
  await client.until(() => client.frames.length === 4);
  t.match(client.frames[3], { type: 'error', code: 'BAD_REQUEST', msg: 'Frames must be text' });
  t.match(await poll(`queue_id=${queue.queueId}&last_event_id=${first}`), {
    body: { events: [{ n: 2, id: second }] },
  });
  await client.until(() => client.closed !== undefined);
  t.equal(client.closed, 4002);
});

void t.test('a socket without a queue registers one; closing it leaves the queue', async (t) => {
  const { open, say, node } = await setUp(t);
  const client = open('event_types=["note"]');
  await client.until(() => client.frames.length === 1);
  const queue = node.queues.get(client.frames[0]!.queue_id as string)!;
  t.same(queue.filter.event_types, ['note']);
  client.close();
  await client.until(() => client.closed !== undefined);
  while (queue.consumer) await new Promise((done) => setImmediate(done));
  t.equal(queue.consumer, null);
  await say(1);
  t.equal(queue.length, 1);
});

void t.test('a frame that is too large closes the socket', async (t) => {
  const { open } = await setUp(t);
  const client = open('');
  await client.until(() => client.frames.length === 1);
  client.send('x'.repeat(64 * 1024 + 1));
  await client.until(() => client.closed !== undefined);
  t.ok([1006, 1009].includes(client.closed!), `code ${client.closed}`);
});

void t.test('a ticket opens one socket, once, in time', async (t) => {
  const { open, tickets, node, toy } = await setUp(t);
  const iago = toy.authenticator.users.get(1)!;
  const { ticket } = tickets.issue(sessionOf(iago));
  const client = open(`ticket=${ticket}`, {});
  await client.until(() => client.frames.length === 1);
  const attempts: [query: string, headers: Record<string, string>][] = [
    [`ticket=${ticket}`, {}],
    ['ticket=nonsense', { Authorization: basic() }],
    ['', {}],
    ['', { Authorization: basic('iago@example.com', 'x'.repeat(32)) }],
  ];
  for (const [query, headers] of attempts) {
    const refused = open(query, headers);
    await refused.until(() => refused.refused !== undefined);
    t.equal(refused.refused, 401, query);
  }
  const late = tickets.issue(sessionOf(iago));
  node.clock.advance(30_000);
  const refused = open(`ticket=${late.ticket}`, {});
  await refused.until(() => refused.refused !== undefined);
  t.equal(refused.refused, 401);
});

void t.test('what ends a session ends the tickets that were drawn in it', async (t) => {
  const { open, tickets, toy } = await setUp(t);
  const iago = toy.authenticator.users.get(1)!;
  const changes: [string, Partial<typeof iago>][] = [
    ['another key, as after a password reset', { key_version: '2' }],
    ['another address', { email: 'new@example.com' }],
    ['deactivation', { is_active: false }],
  ];
  for (const [what, change] of changes) {
    const { ticket } = tickets.issue(sessionOf(iago));
    Object.assign(iago, change);
    const refused = open(`ticket=${ticket}`, {});
    await refused.until(() => refused.refused !== undefined || refused.frames.length > 0);
    t.equal(refused.refused, 401, what);
  }
});

void t.test('a queue that is not there refuses the upgrade', async (t) => {
  const { open, node } = await setUp(t);
  const foreign = await node.register(2);
  for (const id of ['nothing', foreign.queueId]) {
    const client = open(`queue_id=${id}`);
    await client.until(() => client.refused !== undefined);
    t.equal(client.refused, 400);
  }
});

void t.test('a page of another site opens a socket with a ticket only', async (t) => {
  const { open, tickets, toy } = await setUp(t);
  const origin = 'https://evil.example';
  const session = sessionOf(toy.authenticator.users.get(1)!);
  const Authorization = basic();
  const foreign = open('', { Authorization, Origin: origin });
  await foreign.until(() => foreign.refused !== undefined);
  t.equal(foreign.refused, 403);
  const sandboxed = open('', { Authorization, Origin: 'null' });
  await sandboxed.until(() => sandboxed.refused !== undefined);
  t.equal(sandboxed.refused, 403);
  const clients = [
    open(`ticket=${tickets.issue(session).ticket}`, { Origin: origin }),
    open('', { Authorization, Origin: `http://127.0.0.1:${toy.port}` }),
    open('', { Authorization }),
  ];
  for (const client of clients) {
    await client.until(() => client.frames.length > 0);
    t.match(client.frames, [{ type: 'hello' }]);
  }
});

const SOCKET = ['Connection: Upgrade', 'Upgrade: websocket'];
const VERSION = 'Sec-WebSocket-Version: 13';
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

void t.test('a handshake that RFC 6455 forbids is refused, and spends no ticket', async (t) => {
  const { toy, node, tickets } = await setUp(t);
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

/** A frame of a client, with a mask of zeros. @param first opcode and flags; @param length what it claims */
function frame(first: number, payload: readonly number[] | Buffer, length?: number): Buffer {
  const size = length ?? payload.length;
  const head =
    size < 126 ? [first, 0x80 | size] : [first, 0xff, 0, 0, 0, 0, 0, (size >> 16) & 255, 0, 0];
  return Buffer.from([...head, 0, 0, 0, 0, ...payload]);
}

void t.test('frames that RFC 6455 forbids end the connection without a code', async (t) => {
  const { toy, node } = await setUp(t);
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
  const { toy, node, say } = await setUp(t);
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
  const foreign = await node.register(2);
  t.equal((await head(`queue_id=${foreign.queueId}&last_event_id=-1`)).status, 400);
});
