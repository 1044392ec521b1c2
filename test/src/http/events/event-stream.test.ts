import { mock } from 'node:test';
import t, { type Test } from 'tap';
import { EventStreamConsumer, type Stream } from '../../../../src/http/events/event-stream.js';
import type { StreamListener } from '../../../../src/http/reply/reply-stream.js';
import { CoreNode } from '../../../fixtures/core-node.js';

const COMMENT = ':\n\n';

/** A reply whose client reads only when told. */
class FakeStream implements Stream {
  readonly texts: string[] = [];
  /** What was written, as it was handed over. */
  readonly written: (string | Uint8Array)[] = [];
  isBlocked = false;
  ended: string | null = null;
  closed = false;
  listener!: StreamListener;

  listen(listener: StreamListener): void {
    this.listener = listener;
  }

  write(text: string | Uint8Array): void {
    if (this.ended !== null || this.isBlocked) throw new Error('Nothing may be written now');
    this.written.push(text);
    this.texts.push(String(text));
  }

  end(text = ''): void {
    this.ended = text;
  }

  close(): void {
    this.closed = true;
  }

  /** Numbers of the events sent, by what was written at once. */
  numbers(): number[][] {
    return this.texts.flatMap((text) => {
      const data = /^id: \d+\ndata: (.*)\n\n$/.exec(text)?.[1];
      if (!data) return [];
      const { events } = JSON.parse(data) as { events: { n: number }[] };
      return [events.map(({ n }) => n)];
    });
  }
}

async function setUp(t: Test) {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const stream = new FakeStream();
  new EventStreamConsumer(stream, node.queues, queue, () => node.clock.now()).open();
  const say = async (...numbers: number[]): Promise<void> => {
    for (const n of numbers) node.emit([1], n);
    await node.journal.barrier();
  };
  return { node, queue, stream, say };
}

void t.test('each write ends with the id with which the client comes back', async (t) => {
  const { stream, queue, say } = await setUp(t);
  t.match(stream.texts, [/^event: hello\nretry: [1-4]\d{3}\ndata: \{"type":"hello",.*\}\n\n$/]);
  await say(1, 2);
  const [id] = /(?<=^id: )\d+/.exec(stream.texts.at(-1)!)!;
  t.equal(Number(id), queue.newestId);
  t.same(stream.numbers().flat(), [1, 2]);
});

void t.test(
  'nothing is written while the client takes nothing, and everything after',
  async (t) => {
    const { stream, say } = await setUp(t);
    stream.isBlocked = true;
    await say(1);
    await say(2);
    mock.timers.tick(15_000);
    t.same(stream.numbers(), []);
    stream.isBlocked = false;
    stream.listener.drained();
    t.same(stream.numbers(), [[1, 2]]);
  },
);

void t.test('a comment every 15 s; a client that takes nothing for a minute is cut', async (t) => {
  const { stream, node, queue, say } = await setUp(t);
  mock.timers.tick(30_000);
  t.same(stream.texts.slice(1), [COMMENT, COMMENT]);
  // Of a client that acknowledges nothing the stream ends by itself, after as many comments as a dice says.
  await say(1);
  node.queues.acknowledge(queue.queueId, 1, queue.newestId);
  stream.isBlocked = true;
  mock.timers.tick(45_000);
  t.notOk(stream.closed);
  mock.timers.tick(15_000);
  t.ok(stream.closed);
  stream.listener.gone();
  t.equal(queue.consumer, null);
  stream.isBlocked = false;
  mock.timers.tick(15_000);
  t.equal(stream.texts.length, 4, 'nothing after the end');
});

void t.test('a minute counts from when the client last took something', async (t) => {
  const { stream } = await setUp(t);
  stream.isBlocked = true;
  mock.timers.tick(45_000);
  stream.isBlocked = false;
  mock.timers.tick(15_000);
  stream.isBlocked = true;
  mock.timers.tick(45_000);
  t.notOk(stream.closed);
});

void t.test('a stream of which nothing is acknowledged ends within two minutes', async (t) => {
  const { stream, queue, say } = await setUp(t);
  await say(1);
  mock.timers.tick(75_000);
  t.ok(queue.consumer, 'somebody attends the queue');
  mock.timers.tick(45_000);
  t.equal(stream.ended, '', 'the client may come back with its cursor');
  t.equal(queue.consumer, null, 'nobody attends the queue');
  t.notOk(stream.closed);
  t.notOk(queue.hasEnded);
  const { length } = stream.texts;
  mock.timers.tick(15_000);
  t.equal(stream.texts.length, length, 'nothing after the end');
});

void t.test('a stream whose client acknowledges stays', async (t) => {
  const { stream, node, queue, say } = await setUp(t);
  for (let n = 1; n <= 10; n++) {
    await say(n);
    node.queues.acknowledge(queue.queueId, 1, queue.newestId);
    mock.timers.tick(75_000);
  }
  t.equal(stream.ended, null);
  t.equal(queue.consumer?.kind, 'stream');
  // The same once more is no news: an older program of the client may send it.
  node.queues.acknowledge(queue.queueId, 1, queue.newestId);
  mock.timers.tick(60_000);
  t.equal(stream.ended, '');
});

void t.test('a heartbeat has an id, too, and never goes before an event', async (t) => {
  const { stream, node, queue, say } = await setUp(t);
  node.queues.heartbeats.send(queue, queue.consumer!);
  t.equal(
    stream.texts.at(-1),
    `id: ${queue.newestId}\ndata: {"events":[{"type":"heartbeat","id":${queue.newestId}}]}\n\n`,
  );
  stream.isBlocked = true;
  await say(1);
  const before = stream.texts.length;
  node.queues.heartbeats.send(queue, queue.consumer!);
  t.equal(stream.texts.length, before);
  stream.isBlocked = false;
  stream.listener.drained();
  t.same(stream.numbers().at(-1), [1]);
});

void t.test('the end says whether the client may come back', async (t) => {
  for (const [reason, code] of [
    ['superseded', 4002],
    ['expired', 4001],
    ['deleted', 4001],
    ['overflowed', 4001],
    ['revoked', 4003],
  ] as const) {
    const { stream, queue } = await setUp(t);
    queue.consumer!.end(reason);
    t.match(stream.ended, `event: end\ndata: {"close_code":${code},`, reason);
    mock.timers.tick(15_000);
    t.equal(stream.texts.length, 1, 'its timer ends with it');
    mock.timers.reset();
  }
  const { stream, queue } = await setUp(t);
  queue.consumer!.end('draining');
  t.equal(stream.ended, '');
});

void t.test('events are written once for all streams that send the same', async (t) => {
  const { node, stream, say } = await setUp(t);
  const open = async (userId: number): Promise<FakeStream> => {
    const other = new FakeStream();
    const queue = await node.register(userId);
    new EventStreamConsumer(other, node.queues, queue, () => node.clock.now()).open();
    return other;
  };
  const others = [await open(1), await open(1)];
  await say(1);
  for (const one of [stream, ...others]) one.isBlocked = true;
  await say(2);
  await say(3);
  for (const one of [stream, ...others]) {
    one.isBlocked = false;
    one.listener.drained();
  }
  for (const other of others) {
    t.same(other.numbers(), [[1], [2, 3]]);
    for (const i of [1, 2]) {
      t.type(other.written[i], Buffer);
      t.equal(other.written[i], stream.written[i], 'the same bytes');
    }
  }
});

void t.test('all streams share one timer, which ends with the last of them', async (t) => {
  let timers = 0;
  const { setInterval, clearInterval } = globalThis;
  const { node, stream, queue } = await setUp(t);
  const mocked = [globalThis.setInterval, globalThis.clearInterval] as const;
  t.teardown(() => Object.assign(globalThis, { setInterval, clearInterval }));
  Object.assign(globalThis, {
    setInterval: (...args: Parameters<typeof setInterval>) => {
      timers += 1;
      return mocked[0](...args);
    },
    clearInterval: (timer: NodeJS.Timeout | undefined) => {
      if (timer) timers -= 1;
      mocked[1](timer);
    },
  });
  const others: FakeStream[] = [];
  for (let second = 0; second < 20; second++) {
    const other = new FakeStream();
    others.push(other);
    const theirs = await node.register(1);
    new EventStreamConsumer(other, node.queues, theirs, () => node.clock.now()).open();
    mock.timers.tick(1000);
  }
  t.equal(timers, 0, 'those that came later have none of their own');
  mock.timers.tick(11_000);
  t.same(
    others.map(({ texts }) => texts.filter((text) => text === COMMENT).length),
    // Opened a second apart, 31 seconds ago and less.
    Array.from({ length: 20 }, (_, i) => Math.floor((31 - i) / 15)),
  );
  for (const { listener } of others) listener.gone();
  t.equal(timers, 0);
  stream.listener.gone();
  t.equal(timers, -1);
  t.equal(queue.consumer, null);
});
