/** One way to end a queue: through its actor, whose snapshot alone says whether it lives. */
import t from 'tap';
import { registerQueue } from '../../../../src/organization/state/queue-documents.js';
import { CoreNode, PLAIN_FILTER } from '../../../fixtures/core-node.js';

const REQUEST = { userId: 1, filter: PLAIN_FILTER, idleTimeoutMs: 600_000 };

type Registered = Awaited<ReturnType<CoreNode['register']>>;

/** Every way in which a queue ends, the state it ends in, and what its consumer is told. */
const ENDS: Readonly<
  Record<string, readonly [state: string, end: (node: CoreNode, queue: Registered) => unknown]>
> = {
  'its client deletes it': ['deleted', (node, queue) => node.queues.end(queue, 'delete')],
  'it overflows': [
    'overflowed',
    (node) => {
      for (let n = 0; n < 3; n++) node.emit([1], n);
      return node.journal.barrier();
    },
  ],
  'its user is deactivated': ['revoked', (node) => node.queues.revokeAllOf(1)],
  'another node has deleted its document': [
    'deleted',
    (node, queue) => node.queues.drop(queue.queueId),
  ],
};

for (const [title, [state, end]] of Object.entries(ENDS)) {
  void t.test(`${title}: its snapshot says so`, async (t) => {
    const node = await CoreNode.start({ limits: { maxEvents: 2, maxBytes: 100_000 } });
    const queue = await node.register(1);
    const poll = node.attach(queue);
    const steps: [string, string][] = [];
    node.host.watcher = (_id, event, to) => steps.push([event, to]);
    await end(node, queue);
    t.equal(queue.snapshot.value, state);
    t.ok(queue.hasEnded);
    t.equal(steps.at(-1)?.[1], state, 'its machine was asked');
    t.same(poll.ended, [state], 'its consumer is told why');
    t.equal(node.queues.size, 0);
    t.equal(node.host.deadlineOf(queue.queueId), undefined, 'nothing is armed');
    t.equal(queue.length, 0);
    t.same(node.attach(queue).ended, [state], 'who comes late is told the same');
  });
}

void t.test('a queue that nobody used ends by itself, and its snapshot says so', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1, {}, 1000);
  node.clock.advance(2000);
  t.equal(queue.snapshot.value, 'expired');
  t.ok(queue.hasEnded);
});

void t.test('one whose document is gone is not deleted again, nor told of', async (t) => {
  const node = await CoreNode.start();
  const lost: number[] = [];
  node.queues.onLost = (userId) => lost.push(userId);
  const [queue, other] = [await node.register(1), await node.register(2)];
  const head = node.journal.durableHead.seq;
  node.queues.drop(queue.queueId);
  await node.forgotten();
  t.equal(node.journal.durableHead.seq, head);
  t.same(lost, []);
  node.queues.end(other, 'delete');
  await node.forgotten();
  t.equal(node.journal.durableHead.seq, head + 1, 'any other is');
  t.same(lost, [2]);
});

void t.test('a registration that is taken back ends the queue', async (t) => {
  const node = await CoreNode.start();
  let made: Registered | undefined;
  t.throws(
    () =>
      node.runtime.transact((tx) => {
        made = registerQueue(tx, node.queues, REQUEST);
        t.notOk(made.hasEnded);
        throw new Error('refused');
      }),
    { message: 'refused' },
  );
  t.equal(made?.snapshot.value, 'deleted');
  t.equal(node.queues.size, 0);
  t.equal(node.host.deadlineOf(made!.queueId), undefined);
  await node.forgotten();
  t.equal(node.memory.collections.get('queue')?.size ?? 0, 0);
});

void t.test('a later beginning that is taken back brings no queue back', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const { since } = queue;
  t.throws(
    () =>
      node.runtime.transact(() => {
        node.queues.beginLater(queue, since + 1);
        t.equal(queue.since, since + 1);
        node.queues.end(queue, 'delete');
        throw new Error('refused');
      }),
    { message: 'refused' },
  );
  t.equal(queue.snapshot.value, 'deleted');
  t.equal(queue.since, since);
  await node.forgotten();
  t.equal(node.memory.collections.get('queue')?.size, 0);
});

void t.test('the document of a queue is the snapshot without the deadline', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const text = node.memory.collections.get('queue')!.get(queue.queueId)!;
  t.strictSame(JSON.parse(text), {
    ...{ machine: 'event-queue', version: 4, value: 'live' },
    context: {
      ...{ queue_id: queue.queueId, user_id: 1, since: queue.since, idle_timeout_ms: 600_000 },
      traits: PLAIN_FILTER,
    },
  });
});
