import { emitAny } from '../../../fixtures/emit-any.js';
import fc from 'fast-check';
import t from 'tap';
import {
  MAX_UNSENT_BYTES,
  WebSocketConsumer,
  type Socket,
} from '../../../../src/http/events/websocket.js';
import type { Utf8Text } from '../../../../src/http/native.js';
import type { EventQueue } from '../../../../src/journal/queues/event-queue.js';
import { CoreNode } from '../../../fixtures/core-node.js';

interface Frame {
  readonly type: 'hello' | 'events' | 'error';
  readonly events?: { readonly id: number; readonly type: string; readonly n?: number }[];
  readonly last_event_id?: number;
  readonly queue_id?: string;
  readonly heartbeat_interval_seconds?: number;
  readonly code?: string;
  readonly msg?: string;
}

/** A native socket whose peer reads only when told. */
class FakeSocket implements Socket {
  readonly texts: string[] = [];
  readonly closed: [code: number, reason: string][] = [];
  unsent = 0;
  /** What sending says. */
  result = 1;

  send(text: Utf8Text, isBinary: boolean): number {
    if (this.closed.length > 0) throw new Error('The socket is closed');
    if (isBinary) throw new Error('Frames are text');
    if (this.result !== 2) this.texts.push(asText(text));
    return this.result === 1 && this.unsent > 0 ? 0 : this.result;
  }

  getBufferedAmount(): number {
    return this.unsent;
  }

  end(code: number, message: Utf8Text): void {
    this.closed.push([code, asText(message)]);
  }

  frames(): Frame[] {
    return this.texts.map((text) => JSON.parse(text) as Frame);
  }

  /** Numbers of the events sent, frame by frame. */
  numbers(): (number | undefined)[][] {
    return this.frames()
      .filter(({ events }) => events !== undefined)
      .map(({ events }) => events!.map(({ n }) => n));
  }
}

function asText(text: Utf8Text): string {
  return typeof text === 'string' ? text : new TextDecoder('utf-8', { fatal: true }).decode(text);
}

/** A frame as the native layer gives it. */
function frame(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer;
}

async function setUp(limits?: { maxEvents: number; maxBytes: number }) {
  const node = await CoreNode.start({ limits });
  const queue = await node.register(1);
  const open = (on: EventQueue = queue, unsent = 0) => {
    const socket = new FakeSocket();
    socket.unsent = unsent;
    const consumer = new WebSocketConsumer(socket, node.queues, on, () => node.clock.now());
    consumer.open();
    return { socket, consumer };
  };
  const say = async (...numbers: number[]): Promise<void> => {
    for (const n of numbers) node.emit([1], n);
    await node.journal.barrier();
  };
  return { node, queue, open, say };
}

void t.test('greets with the cursor, then pushes each event once', async (t) => {
  const { queue, open, say } = await setUp();
  const { socket } = open();
  t.same(socket.frames(), [
    {
      type: 'hello',
      queue_id: queue.queueId,
      last_event_id: queue.newestId,
      heartbeat_interval_seconds: 45,
    },
  ]);
  await say(1);
  await say(2, 3);
  t.same(socket.numbers(), [[1], [2, 3]]);
});

void t.test(
  'what waits is sent at the opening, in one frame, and the cursor is before it',
  async (t) => {
    const { queue, open, say } = await setUp();
    await say(1, 2, 3);
    const first = queue.pending()[0]!.id;
    queue.acknowledge(first);
    const { socket } = open();
    t.equal(socket.frames()[0]!.last_event_id, first);
    t.same(socket.numbers(), [[2, 3]]);
  },
);

void t.test('one frame serves every socket', async (t) => {
  const { node, open, say } = await setUp();
  const sister = await node.register(1);
  const sockets = [open(), open(sister)].map(({ socket }) => socket);
  await say(1);
  t.equal(sockets[0]!.texts[1], sockets[1]!.texts[1]);
  t.equal(sockets[0]!.texts[1], `{"type":"events","events":[${sister.pendingJson()}]}`);
});

void t.test('large events do not share a frame', async (t) => {
  const { node, open, queue } = await setUp();
  const big = 'x'.repeat(60_000);
  for (const n of [1, 2, 3, 4, 5]) {
    node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'all' }, { n, big }));
  }
  await node.journal.barrier();
  const { socket } = open(queue);
  t.same(socket.numbers(), [[1, 2], [3, 4], [5]]);
});

void t.test('above the limit nothing is pushed; when it drains, everything goes on', async (t) => {
  const { open, say, queue } = await setUp();
  const { socket, consumer } = open();
  socket.unsent = MAX_UNSENT_BYTES;
  await say(1);
  socket.unsent = MAX_UNSENT_BYTES + 1;
  socket.result = 0;
  await say(2);
  await say(3);
  t.same(socket.numbers(), [[1]]);
  consumer.drained();
  t.same(socket.numbers(), [[1]], 'drained a little');
  t.equal(queue.length, 3);
  socket.unsent = 0;
  consumer.drained();
  t.same(socket.numbers(), [[1], [2, 3]]);
  consumer.drained();
  t.equal(socket.numbers().length, 2);
});

void t.test('the limit is looked at before every frame', async (t) => {
  const { node, queue } = await setUp();
  const big = 'x'.repeat(100_000);
  for (const n of [1, 2, 3, 4]) {
    node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'all' }, { n, big }));
  }
  await node.journal.barrier();
  const socket = new FakeSocket();
  const send = socket.send.bind(socket);
  socket.send = (text, isBinary) => {
    socket.unsent += asText(text).length;
    return send(text, isBinary);
  };
  const consumer = new WebSocketConsumer(socket, node.queues, queue, () => 0);
  consumer.open();
  t.same(socket.numbers(), [[1], [2], [3]]);
  socket.unsent = 0;
  consumer.drained();
  t.same(socket.numbers(), [[1], [2], [3], [4]]);
});

void t.test('a socket that never drains overflows its queue', async (t) => {
  const { node, open, say, queue } = await setUp({ maxEvents: 2, maxBytes: 1_000_000 });
  const { socket, consumer } = open(queue, MAX_UNSENT_BYTES + 1);
  await say(1, 2, 3);
  t.same(socket.closed, [[4001, 'BAD_EVENT_QUEUE_ID']]);
  t.notOk(node.queues.get(queue.queueId));
  consumer.drained();
  consumer.gone();
  t.same(socket.numbers(), []);
});

void t.test('a frame that is dropped closes the socket instead of leaving a gap', async (t) => {
  const { open, say, queue } = await setUp();
  const { socket, consumer } = open();
  socket.result = 2;
  await say(1);
  t.same(socket.closed, [[1008, 'The connection is too slow']]);
  consumer.gone();
  t.equal(queue.consumer, null);
  t.equal(queue.length, 1, 'the next consumer gets it');
});

void t.test('acknowledgements drop events, and bad ones are refused', async (t) => {
  const { open, say, queue } = await setUp();
  const { socket, consumer } = open();
  await say(1, 2);
  const ids = queue.pending().map(({ id }) => id);
  const ack = (id: unknown) =>
    consumer.received(frame(JSON.stringify({ type: 'ack', last_event_id: id })));
  ack(ids[0]);
  t.equal(queue.length, 1);
  ack(ids[0]);
  ack(-1);
  ack(0);
  t.equal(socket.frames().length, 2, 'older ones change nothing');
  ack(ids[1]! + 1);
  t.same(socket.frames().at(-1), {
    type: 'error',
    code: 'BAD_REQUEST',
    msg: `Event ${ids[1]! + 1} was not in this queue`,
  });
  t.equal(queue.length, 1);
  for (const id of ['5', 1.5, null, 2 ** 60]) ack(id);
  for (const text of ['', '{', 'null', '5', '[]', '{"type":"hello"}'])
    consumer.received(frame(text));
  t.equal(socket.frames().filter(({ type }) => type === 'error').length, 11);
  t.same(socket.closed, []);
  const before = socket.frames().length;
  for (const text of [
    `{"type":"ack","last_event_id":0${ids[1]}}`,
    `{"type":"ack","last_event_id":}`,
    `{"type":"ack","last_event_id":${ids[1]}.0}`,
  ])
    consumer.received(frame(text));
  t.equal(socket.frames().length, before + 3);
  t.equal(queue.length, 1);
  consumer.received(frame(`{ "last_event_id": ${ids[1]}, "type": "ack" }`));
  t.equal(queue.length, 0, 'however it is written');
});

void t.test('an acknowledgement written as usual', async (t) => {
  const { queue, open, say } = await setUp();
  const { consumer } = open();
  await say(1, 2);
  consumer.received(frame(`{"type":"ack","last_event_id":${queue.pending()[0]!.id}}`));
  t.equal(queue.length, 1);
});

void t.test('what sockets send in one round is bounded for all of them together', async (t) => {
  const { open, say, node } = await setUp();
  const acknowledgement = frame('{"type":"ack","last_event_id":1}');
  const long = frame(`{"type":"ack","last_event_id":1,"more":[${'0,'.repeat(25_000)}0]}`);
  const floods: Readonly<Record<string, (consumer: WebSocketConsumer) => void>> = {
    acknowledgements: (consumer) => consumer.received(acknowledgement),
    'long frames': (consumer) => consumer.received(long),
    pings: (consumer) => consumer.pinged(),
  };
  for (const [name, send] of Object.entries(floods)) {
    const queue = await node.register(1);
    const [flooding, other] = [open(await node.register(1)), open(queue)];
    await say(1);
    await new Promise(setImmediate);
    let sent = 0;
    while (flooding.socket.closed.length === 0 && sent < 100_000) {
      send(flooding.consumer);
      sent += 1;
    }
    t.same(flooding.socket.closed, [[1008, 'Too many frames at once']], name);
    t.ok(sent < 6000, `${name}: after ${sent}`);
    const id = queue.pending()[0]!.id;
    for (let i = 0; i < 64; i++) {
      other.consumer.received(frame(`{"type":"ack","last_event_id":${id}}`));
    }
    t.equal(queue.length, 1, 'what others send in that round waits');
    while (queue.length > 0) await new Promise(setImmediate);
    t.same(other.socket.closed, [], 'for a later one');
  }
});

void t.test('too many bad frames close the socket', async (t) => {
  const { open } = await setUp();
  const { socket, consumer } = open();
  for (let i = 0; i < 20; i++) consumer.refuse('Frames must be text');
  t.same(socket.closed, []);
  consumer.received(frame('nonsense'));
  t.same(socket.closed, [[1008, 'Too many bad frames']]);
  consumer.received(frame('more'));
  consumer.refuse('more');
  t.equal(socket.frames().length, 21);
});

void t.test(
  'a heartbeat comes after silence only, and postpones nothing it should not',
  async (t) => {
    const { node, open, say } = await setUp();
    const { socket } = open();
    node.clock.advance(40_000);
    await say(1);
    node.clock.advance(40_000);
    t.equal(socket.frames().length, 2, 'an event came less than 45 s ago');
    node.clock.advance(6000);
    // The newest entry has no id left for heartbeats: another one is written.
    await node.journal.barrier();
    await new Promise((done) => setImmediate(() => setImmediate(done)));
    const [beat] = socket.frames().at(-1)!.events!;
    t.equal(beat!.type, 'heartbeat');
    await say(2);
    const [event] = socket.frames().at(-1)!.events!;
    t.ok(event!.id > beat!.id);
  },
);

void t.test('no heartbeat goes ahead of events that were not sent', async (t) => {
  const { node, open, say, queue } = await setUp();
  const { socket, consumer } = open(queue, MAX_UNSENT_BYTES + 1);
  await say(1);
  node.clock.advance(100_000);
  t.equal(socket.frames().length, 1);
  socket.unsent = 0;
  consumer.drained();
  t.same(socket.numbers(), [[1]]);
  t.equal(queue.length, 1);
});

void t.test('each end has its code', async (t) => {
  const codes: number[] = [];
  for (const reason of [
    'superseded',
    'expired',
    'deleted',
    'overflowed',
    'revoked',
    'draining',
  ] as const) {
    const { open } = await setUp();
    const { socket, consumer } = open();
    consumer.end(reason);
    consumer.end(reason);
    t.equal(socket.closed.length, 1);
    codes.push(socket.closed[0]![0]);
  }
  t.same(codes, [4002, 4001, 4001, 4001, 4003, 1012]);
});

void t.test('a queue that ended before the socket opened', async (t) => {
  const { node, open, queue } = await setUp();
  node.queues.end(queue, 'delete');
  t.same(open().socket.closed, [[4001, 'BAD_EVENT_QUEUE_ID']]);
});

void t.test('between poll and socket at any event, each id is seen exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('poll', 'socket'), { maxLength: 20 }),
      async (how) => {
        const { node, queue, open, say } = await setUp();
        const seen: number[] = [];
        let cursor = queue.newestId;
        const see = (events: readonly { id: number; n?: number }[]): void => {
          for (const { id, n } of events) {
            if (n !== undefined) seen.push(n);
            cursor = id;
          }
        };
        let n = 0;
        for (const kind of how) {
          queue.acknowledge(cursor);
          if (kind === 'poll') {
            const poll = node.attach(queue);
            await say(n++);
            see(JSON.parse(`[${poll.heard[0]!}]`) as { id: number; n: number }[]);
            node.queues.consumers.release(queue, poll);
          } else {
            const { socket, consumer } = open();
            await say(n++);
            await say(n++);
            for (const { events } of socket.frames()) see(events ?? []);
            if (n % 3 === 0) {
              consumer.received(frame(JSON.stringify({ type: 'ack', last_event_id: cursor })));
            }
            // Sometimes the client comes back before its old socket is known to be gone.
            if (n % 2 === 0) consumer.gone();
          }
        }
        return seen.join() === Array.from({ length: n }, (_, i) => i).join();
      },
    ),
    { numRuns: 25 },
  );
});
