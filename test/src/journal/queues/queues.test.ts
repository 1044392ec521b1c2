import { emitAny } from '../../../fixtures/emit-any.js';
import { setImmediate as nextRound } from 'node:timers/promises';
import t from 'tap';
import type { ApiError } from '../../../../src/errors/index.js';
import { CoreNode, eventsIn, PLAIN_FILTER, Witness } from '../../../fixtures/core-node.js';
import { HEARTBEATS_PER_ENTRY } from '../../../../src/journal/queues/heartbeats.js';
import { registerQueue } from '../../../../src/organization/state/queue-documents.js';

const HEARTBEAT_MS = 45_000;
/** The wheel's granularity. */
const TICK_MS = 500;

function turn(): Promise<void> {
  return new Promise((done) => setImmediate(() => setImmediate(done)));
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as ApiError).code;
  }
}

void t.test('an event completes a held poll, with an id above the cursor', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const cursor = queue.newestId;
  const poll = node.attach(queue);
  node.emit([1, 2], 7);
  t.same(poll.heard, [], 'nothing before it is durable');
  await node.journal.barrier();
  const [event] = eventsIn(poll.heard[0]!);
  t.match(event, { type: 'note', n: 7 });
  t.ok(event!.id > cursor);
});

void t.test(
  'a newer consumer takes over; what the older one does then changes nothing',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1);
    const first = node.attach(queue);
    const second = node.attach(queue, 'socket');
    t.same(first.ended, ['superseded']);
    node.queues.consumers.release(queue, first);
    t.equal(queue.consumer, second);
    const third = node.attach(queue);
    t.same(second.ended, ['superseded']);
    node.queues.consumers.release(queue, third);
    t.equal(queue.consumer, null);
    t.equal(queue.snapshot.value, 'live');
  },
);

void t.test(
  'a poll that is answered at once closes a socket, but leaves a held poll',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1);
    const poll = node.attach(queue);
    node.queues.consumers.detachPush(queue, 'superseded');
    t.same(poll.ended, []);
    const socket = node.attach(queue, 'socket');
    node.queues.consumers.detachPush(queue, 'superseded');
    t.same(socket.ended, ['superseded']);
    t.equal(queue.consumer, null);
  },
);

void t.test(
  'when the ids of the newest entry are used up, one empty entry serves all',
  async (t) => {
    const node = await CoreNode.start();
    const queues = [await node.register(1), await node.register(2), await node.register(3)];
    const sockets = queues.map((queue) => node.attach(queue, 'socket'));
    for (const queue of queues) queue.issueHeartbeat(node.journal.nextSeq - 1);
    const before = node.journal.durableHead.seq;
    node.clock.advance(HEARTBEAT_MS + TICK_MS);
    t.same(
      sockets.map((socket) => socket.heard.length),
      [0, 0, 0],
    );
    await node.journal.barrier();
    await turn();
    t.equal(node.journal.durableHead.seq, before + 1);
    const idOf = (json: string) => eventsIn(json)[0]!.id;
    for (const socket of sockets) t.equal(idOf(socket.heard[0]!), before + 1);
    for (let i = 1; i < HEARTBEATS_PER_ENTRY; i++) node.clock.advance(HEARTBEAT_MS + TICK_MS);
    for (const { heard } of sockets) t.equal(idOf(heard.at(-1)!), before + HEARTBEATS_PER_ENTRY);
    t.equal(node.journal.nextSeq, before + 1 + HEARTBEATS_PER_ENTRY, 'of the same entry');
    node.clock.advance(HEARTBEAT_MS + TICK_MS);
    await node.journal.barrier();
    await turn();
    for (const { heard } of sockets)
      t.equal(idOf(heard.at(-1)!), before + HEARTBEATS_PER_ENTRY + 1);
  },
);

void t.test(
  'expiry counts from the last request, also one that never met the machine',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1, {}, 600_000);
    node.clock.advance(599_000);
    t.equal(node.queues.find(queue.queueId, 1), queue);
    node.clock.advance(599_000);
    t.ok(node.queues.get(queue.queueId), 'touched meanwhile');
    node.clock.advance(2000);
    t.equal(node.queues.get(queue.queueId), undefined);
    t.equal(
      codeOf(() => node.queues.find(queue.queueId, 1)),
      'BAD_EVENT_QUEUE_ID',
    );
    await node.forgotten();
    t.equal(node.memory.collections.get('queue')?.size, 0, 'its document goes too');
    t.same(node.faults, []);
  },
);

void t.test(
  'an attached consumer keeps the queue alive; idle time counts from its leaving',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1, {}, 60_000);
    const socket = node.attach(queue, 'socket');
    node.clock.advance(1_000_000);
    node.queues.consumers.release(queue, socket);
    node.clock.advance(59_000);
    t.ok(node.queues.get(queue.queueId));
    node.clock.advance(2000);
    t.notOk(node.queues.get(queue.queueId));
  },
);

void t.test("another user's queue is unknown, and keeps its idle time", async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  t.equal(
    codeOf(() => node.queues.find(queue.queueId, 2)),
    'BAD_EVENT_QUEUE_ID',
  );
  t.equal(
    codeOf(() => node.queues.find('nonsense', 1)),
    'BAD_EVENT_QUEUE_ID',
  );
});

void t.test('a queue that was found late expires as much later', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1, {}, 600_000);
  node.queues.consumers.release(queue, node.attach(queue));
  node.clock.advance(561_000);
  node.queues.find(queue.queueId, 1);
  node.clock.advance(599_000);
  t.ok(node.queues.get(queue.queueId));
  node.clock.advance(2000);
  t.notOk(node.queues.get(queue.queueId));
  t.same(node.faults, []);
});

void t.test('a deleted queue lets its consumer go and takes no other', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const poll = node.attach(queue);
  node.queues.end(queue, 'delete');
  t.same(poll.ended, ['deleted']);
  node.queues.end(queue, 'delete');
  const late = node.attach(queue, 'socket');
  t.same(late.ended, ['deleted']);
  t.equal(queue.consumer, null);
  node.emit([1], 1);
  await node.journal.barrier();
  t.equal(queue.length, 0);
});

void t.test('all queues of a user end together', async (t) => {
  const node = await CoreNode.start();
  const own = [await node.register(1), await node.register(1)];
  const other = await node.register(2);
  const polls = own.map((queue) => node.attach(queue));
  node.queues.revokeAllOf(1);
  t.same(
    polls.map(({ ended }) => ended),
    [['revoked'], ['revoked']],
  );
  t.equal(node.queues.size, 1);
  t.ok(node.queues.get(other.queueId));
});

void t.test('all queues of all users end, behind what was emitted before', async (t) => {
  const node = await CoreNode.start();
  const queues = [await node.register(1), await node.register(2)];
  const consumers = queues.map((queue) => node.attach(queue, 'socket'));
  node.emit([1, 2], 1);
  await node.journal.barrier();
  node.queues.revokeAll();
  t.equal(node.queues.size, 2, 'the events come first');
  await nextRound();
  t.same(
    consumers.map(({ ended }) => ended),
    [['organization_deactivated'], ['organization_deactivated']],
  );
  t.equal(node.queues.size, 0);
});

void t.test('sockets and polls of a changed key end; the queues stay', async (t) => {
  const node = await CoreNode.start();
  const [first, second] = [await node.register(1), await node.register(1)];
  const [socket, poll] = [node.attach(first, 'socket'), node.attach(second)];
  const other = node.attach(await node.register(2), 'socket');
  node.queues.closeSocketsOf(1);
  t.same([socket.ended, poll.ended, other.ended], [['revoked'], ['draining'], []]);
  t.same([first.consumer, second.consumer], [null, null]);
  node.emit([1], 1);
  await node.journal.barrier();
  t.equal(first.length, 1, 'it waits for the next consumer');
});

void t.test('what waits for events of a user whose session ended comes back at once', async (t) => {
  const node = await CoreNode.start();
  const [first, second] = [await node.register(1), await node.register(1)];
  const consumers = [node.attach(first, 'socket'), node.attach(second)];
  const other = node.attach(await node.register(2));
  node.queues.renewPushOf(1);
  t.same(
    [...consumers, other].map(({ ended }) => ended),
    [['draining'], ['draining'], []],
  );
  t.equal(node.queues.size, 3);
});

for (const [bound, limits] of [
  ['count', { maxEvents: 2, maxBytes: 1_000_000 }],
  ['size', { maxEvents: 100, maxBytes: 70 }],
] as const) {
  void t.test(`overflow by ${bound} ends the queue, alone`, async (t) => {
    const node = await CoreNode.start({ limits });
    const slow = await node.register(1);
    const fast = await node.register(1);
    const socket = node.attach(slow, 'socket');
    for (let n = 0; n < 3; n++) {
      node.emit([1], n);
      await node.journal.barrier();
      if (n < 2) fast.acknowledge(fast.newestId);
    }
    t.same(socket.ended, ['overflowed']);
    t.notOk(node.queues.get(slow.queueId));
    t.equal(fast.length, 1);
    await node.forgotten();
    t.equal(node.memory.collections.get('queue')?.has(slow.queueId), false);
    t.same(node.faults, []);
  });
}

void t.test('draining lets every consumer go, keeps the queues and takes no more', async (t) => {
  const node = await CoreNode.start();
  const queues = [await node.register(1), await node.register(2)];
  const consumers = queues.map((queue, i) => node.attach(queue, i === 0 ? 'poll' : 'socket'));
  const again = new Witness('poll', queues[0]!, node.clock.now());
  // A client that comes back at once must not be held.
  consumers[0]!.end = () => node.queues.consumers.attach(queues[0]!, again);
  node.queues.releaseAll('draining');
  t.same(consumers[1]!.ended, ['draining']);
  t.same(again.ended, ['draining']);
  t.equal(node.queues.size, 2);
});

void t.test('a registration that fails leaves no queue', async (t) => {
  const node = await CoreNode.start();
  const request = { userId: 1, filter: PLAIN_FILTER, idleTimeoutMs: 1000 };
  t.throws(
    () =>
      node.runtime.transact((tx) => {
        registerQueue(tx, node.queues, request);
        throw new Error('no');
      }),
    { message: 'no' },
  );
  t.equal(node.queues.size, 0);
  t.equal(node.wheel.size, 0);
});

void t.test(
  'a new queue gets what comes after its registration, nothing of what came before',
  async (t) => {
    const node = await CoreNode.start();
    node.gate.holding = true;
    node.emit([1], 1);
    const queue = node.runtime.transact((tx) => {
      emitAny(tx, 'note', { to: 'users', users: [1] }, { n: 2 });
      return registerQueue(tx, node.queues, {
        userId: 1,
        filter: PLAIN_FILTER,
        idleTimeoutMs: 1000,
      });
    });
    node.emit([1], 3);
    await node.gate.waiting(1);
    await node.gate.held.shift()!.accept();
    await node.journal.barrier();
    t.same(
      eventsIn(queue.pendingJson()).map(({ n }) => n),
      [3],
    );
  },
);
