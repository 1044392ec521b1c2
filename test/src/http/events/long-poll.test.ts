import { emitAny } from '../../../fixtures/emit-any.js';
import { setImmediate as nextRound } from 'node:timers/promises';
import t from 'tap';
import { answerPoll } from '../../../../src/http/events/long-poll.js';
import type { Exchange } from '../../../../src/http/reply/exchange.js';
import type { EventQueue } from '../../../../src/journal/queues/event-queue.js';
import { CoreNode, type NodeSettings } from '../../../fixtures/core-node.js';

interface Answer {
  readonly status: number;
  readonly body: {
    readonly events?: { readonly id: number; readonly type: string; readonly n?: number }[];
    readonly queue_id?: string;
    readonly code?: string;
    readonly ignored_parameters_unsupported?: string[];
  };
}

/** The part of an exchange that a poll sees. */
class Held {
  readonly answers: Answer[] = [];
  body: string | Buffer = '';
  private listener: () => void = () => undefined;
  private gone = false;

  get settled(): boolean {
    return this.gone || this.answers.length > 0;
  }

  replyText200(text: string): void {
    this.reply(200, {}, text);
  }

  reply(status: number, _headers: object, body: string | Buffer): void {
    if (this.settled) return;
    this.body = body;
    this.answers.push({ status, body: JSON.parse(String(body)) as Answer['body'] });
  }

  onAbort(listener: () => void): void {
    this.listener = listener;
  }

  abort(): void {
    this.gone = true;
    this.listener();
  }
}

async function setUp(limits?: NodeSettings['limits'], pace?: NodeSettings['pace']) {
  const node = await CoreNode.start({ limits, pace });
  const queue = await node.register(1);
  const poll = (dontBlock = false, tail = ''): Held => {
    const held = new Held();
    answerPoll(held as unknown as Exchange, node.queues, queue, dontBlock, tail);
    return held;
  };
  const say = async (n: number): Promise<void> => {
    node.emit([1], n);
    await node.journal.barrier();
  };
  return { node, queue, poll, say };
}

/** Each look at the clock finds that the time of a turn is over. */
function hurried() {
  let now = 0;
  return { clock: () => (now += 1000) };
}

function numbers({ answers }: Held): (number | undefined)[] | undefined {
  return answers[0]?.body.events?.map(({ n }) => n);
}

void t.test('what waits is answered at once, again and again, until acknowledged', async (t) => {
  const { queue, poll, say } = await setUp();
  await say(1);
  await say(2);
  for (const dontBlock of [false, true]) {
    const held = poll(dontBlock);
    t.equal(held.answers[0]!.status, 200);
    t.equal(held.answers[0]!.body.queue_id, queue.queueId);
    t.same(numbers(held), [1, 2]);
  }
  queue.acknowledge(queue.pending()[0]!.id);
  t.same(numbers(poll()), [2]);
});

void t.test('what several queues are answered with is made once, but for their ids', async (t) => {
  const { node, queue, poll } = await setUp();
  const others = [await node.register(2), await node.register(3)];
  const pollOf = (one: EventQueue, tail = ''): Held => {
    const held = new Held();
    answerPoll(held as unknown as Exchange, node.queues, one, false, tail);
    return held;
  };
  const tell = async (users: readonly number[], ...ns: number[]): Promise<void> => {
    for (const n of ns) node.emit(users, n);
    await node.journal.barrier();
  };
  for (const [waits, ns] of [
    [true, [1]],
    [false, [2, 3]],
  ] as const) {
    const waiting = waits ? [queue, ...others].map((one) => pollOf(one)) : [];
    await tell([1, 2, 3], ...ns);
    const held = waits ? waiting : [queue, ...others].map((one) => pollOf(one));
    for (const [i, one] of [queue, ...others].entries()) {
      t.same(numbers(held[i]!), ns);
      t.equal(held[i]!.answers[0]!.body.queue_id, one.queueId);
      t.type(held[i]!.body, Buffer);
      t.equal(held[i]!.body, held[0]!.body, 'the same bytes');
      one.acknowledge(one.newestId);
    }
  }
  await tell([1], 4);
  t.type(poll().body, 'string', 'an event of one queue alone');
  await tell([1, 2], 5);
  t.same(numbers(poll()), [4, 5]);
  const tailed = pollOf(others[0]!, ',"ignored_parameters_unsupported":["x"]').answers[0]!.body;
  t.match(tailed, { queue_id: others[0]!.queueId, ignored_parameters_unsupported: ['x'] });
});

// [c:impatient-poll]
void t.test('an impatient client gets an empty answer', async (t) => {
  const { poll } = await setUp();
  t.same(numbers(poll(true, ',"ignored_parameters_unsupported":["x"]')), []);
  const { body } = poll(true, ',"ignored_parameters_unsupported":["x"]').answers[0]!;
  t.same(body.ignored_parameters_unsupported, ['x']);
});

void t.test('a held poll gets the first event and leaves the queue idle', async (t) => {
  const { queue, poll, say } = await setUp();
  const held = poll();
  t.same(held.answers, []);
  t.equal(queue.consumer?.kind, 'poll');
  await say(1);
  t.same(numbers(held), [1]);
  t.equal(queue.consumer, null);
  t.equal(queue.consumer, null);
});

void t.test('a newer poll is held, the older one answered with nothing', async (t) => {
  const { poll, say } = await setUp();
  const older = poll();
  const newer = poll();
  t.same(numbers(older), []);
  t.equal(older.answers[0]!.status, 200);
  const impatient = poll(true);
  t.same(numbers(impatient), []);
  t.same(newer.answers, [], 'a look at the queue takes nothing away from who waits');
  await say(1);
  t.same(numbers(newer), [1]);
});

void t.test('after the client has gone the queue is idle and loses nothing', async (t) => {
  const { queue, poll, say } = await setUp();
  const held = poll();
  held.abort();
  t.equal(queue.consumer, null);
  t.equal(queue.consumer, null);
  await say(1);
  t.same(held.answers, []);
  t.same(numbers(poll()), [1]);
});

void t.test('a client that went while its queue was opened holds nothing', async (t) => {
  const { node, queue } = await setUp();
  const held = new Held();
  held.abort();
  answerPoll(held as unknown as Exchange, node.queues, queue, false, '');
  t.equal(queue.consumer, null);
});

void t.test(
  'a heartbeat answers a held poll, and must be acknowledged like an event',
  async (t) => {
    const { node, queue, poll } = await setUp();
    const cursor = queue.newestId;
    const held = poll();
    node.clock.advance(46_000);
    const [event] = held.answers[0]!.body.events!;
    t.same(event, { type: 'heartbeat', id: cursor + 1 });
    t.equal(queue.consumer, null);
    t.doesNotThrow(() => queue.acknowledge(event!.id));
  },
);

void t.test('a heartbeat never overtakes an event that waits to be handed over', async (t) => {
  const { node, queue, poll, say } = await setUp(undefined, { ...hurried(), wakes: 2 });
  // Polls of others are woken first, in slices.
  for (let i = 0; i < 4; i++) node.attach(await node.register(2 + (i % 2)));
  const held = poll();
  node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'users', users: [2, 3, 1] }, { n: 1 }));
  await node.journal.barrier();
  t.same(held.answers, []);
  t.equal(queue.length, 1);
  node.queues.heartbeats.send(queue, queue.consumer!);
  // An entry with room for it is written first.
  await node.journal.barrier();
  await nextRound();
  t.same(numbers(held), [1]);
  await say(2);
  t.same(numbers(poll()), [1, 2]);
});

void t.test('a poll that does not block waits for deliveries under way', async (t) => {
  const { node, queue, poll } = await setUp(undefined, { ...hurried(), visits: 1 });
  const all = [await node.register(2), await node.register(3), await node.register(4)];
  const tell = async (n: number): Promise<void> => {
    const users = [...all.map(({ userId }) => userId), 1];
    node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'users', users }, { n }));
    await node.journal.barrier();
  };
  await tell(1);
  t.equal(queue.length, 0);
  const [first, aborted] = [poll(true), poll(true)];
  aborted.abort();
  t.same(first.answers, []);
  for (let i = 0; i < 4; i++) await new Promise((done) => setImmediate(done));
  t.same(numbers(first), [1]);
  t.same(aborted.answers, []);
  // What waits in the queue is answered at once, and a queue that ends meanwhile is refused.
  await tell(2);
  t.same(numbers(poll(true)), [1]);
  queue.acknowledge(queue.newestId);
  const last = poll(true);
  node.queues.end(queue, 'delete');
  for (let i = 0; i < 4; i++) await new Promise((done) => setImmediate(done));
  t.match(last.answers, [{ status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } }]);
});

void t.test('the end of the queue answers its poll', async (t) => {
  const deleted = await setUp();
  const first = deleted.poll();
  deleted.node.queues.end(deleted.queue, 'delete');
  t.match(first.answers, [{ status: 200, body: { events: [] } }]);

  const overflowed = await setUp({ maxEvents: 10, maxBytes: 10 });
  const second = overflowed.poll();
  await overflowed.say(1);
  t.match(second.answers, [
    { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: overflowed.queue.queueId } },
  ]);

  const revoked = await setUp();
  const last = revoked.poll();
  revoked.node.queues.revokeAllOf(revoked.queue.userId);
  t.match(last.answers, [
    { status: 401, body: { code: 'UNAUTHORIZED', msg: 'Account is deactivated' } },
  ]);

  const closed = await setUp();
  const poll = closed.poll();
  closed.node.queues.revokeAll();
  await nextRound();
  t.match(poll.answers, [
    { status: 401, body: { code: 'UNAUTHORIZED', msg: 'This organization has been deactivated' } },
  ]);

  const draining = await setUp();
  const third = draining.poll();
  draining.node.queues.releaseAll('draining');
  t.match(third.answers, [{ status: 200, body: { events: [] } }]);
  t.match(draining.poll().answers, [{ status: 200, body: { events: [] } }]);
});

void t.test('a poll takes the queue from a socket, also when it is answered at once', async (t) => {
  const { node, queue, poll, say } = await setUp();
  const first = node.attach(queue, 'socket');
  poll();
  t.same(first.ended, ['superseded']);
  const second = node.attach(queue, 'socket');
  await say(1);
  t.same(numbers(poll()), [1]);
  t.same(second.ended, ['superseded']);
  t.equal(queue.consumer, null);
});
