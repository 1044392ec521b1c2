import t from 'tap';
import type { EventQueue } from '../../../../src/journal/queues/event-queue.js';
import { bind } from '../../../../src/resources/kernel/bind.js';
import {
  eventQueueHandlers,
  QueueAccess,
  type EventsParams,
} from '../../../../src/resources/queues/event-queues.js';
import { account, CoreNode } from '../../../fixtures/core-node.js';
import { FencedError } from '../../../../src/store/port.js';
import { handlerOf } from '../../../fixtures/handler-of.js';

const PARAMS = {
  apply_markdown: false,
  client_gravatar: true,
  include_subscribers: false,
  slim_presence: false,
  narrow: [],
  client_capabilities: {},
  queue_lifespan_secs: 0,
  dont_block: false,
} as unknown as EventsParams;

async function setUp() {
  const node = await CoreNode.start();
  node.runtime.transact((tx) => tx.org.users.insert(account(1)));
  await node.journal.barrier();
  const lease: { lost: Error | null } = { lost: null };
  const confirm = async (): Promise<void> => {
    if (lease.lost) throw lease.lost;
  };
  const events = new QueueAccess(node.queues, node.runtime, () => null, confirm);
  const open = (params: Partial<EventsParams>) => events.open(account(1), { ...PARAMS, ...params });
  return { node, open, lease };
}

void t.test('a named queue is opened without waiting, acknowledged up to the cursor', async (t) => {
  const { node, open } = await setUp();
  const queue = await node.register(1);
  node.emit([1], 1);
  node.emit([1], 2);
  await node.journal.barrier();
  const [first] = queue.pending();
  t.equal(open({ queue_id: queue.queueId, last_event_id: first!.id }), queue);
  t.equal(queue.length, 1);
  t.equal(open({ queue_id: queue.queueId }), queue);
  t.equal(queue.length, 1);
});

void t.test('a refused cursor acknowledges nothing, but the queue was used', async (t) => {
  const { node, open } = await setUp();
  const queue = await node.register(1);
  node.clock.advance(500_000);
  t.throws(() => open({ queue_id: queue.queueId, last_event_id: queue.newestId + 1 }));
  const last_event_id = queue.newestId + 1_000_000;
  await t.rejects(open({ queue_id: queue.queueId, last_event_id }) as Promise<EventQueue>, {
    code: 'BAD_REQUEST',
    message: `Event ${last_event_id} was not in this queue`,
  });
  node.clock.advance(500_000);
  t.ok(node.queues.get(queue.queueId));
});

void t.test('no name, or an empty one, registers a queue that is durable when told', async (t) => {
  const { node, open } = await setUp();
  for (const queue_id of [undefined, '']) {
    const queue = await (open({ queue_id }) as Promise<EventQueue>);
    t.equal(node.queues.get(queue.queueId), queue);
    t.ok(node.memory.collections.get('queue')?.has(queue.queueId));
    t.equal(queue.length, 0);
  }
});

void t.test('somebody deactivated meanwhile registers nothing', async (t) => {
  const { node, open } = await setUp();
  node.runtime.transact((tx) => tx.org.users.update(1, { is_active: false }));
  await t.rejects(open({}) as Promise<EventQueue>, { message: 'Account is deactivated' });
  t.equal(node.queues.size, 0);
});

void t.test('a queue that its owner deletes answers its waiting poll and is gone', async (t) => {
  const { node } = await setUp();
  const route = bind(
    node.runtime,
    handlerOf(
      eventQueueHandlers(node.queues, () => null),
      'delete-queue',
    ),
  );
  const queue = await node.register(1);
  const poll = node.attach(queue);
  const call = (queue_id: string) =>
    route.call({
      caller: { user: account(1) },
      params: { queue_id },
      clientName: '',
      remoteAddress: '',
    });
  t.throws(() => call('nothing'), { message: 'Bad event queue ID: nothing' });
  await call(queue.queueId);
  t.same(poll.ended, ['deleted']);
  t.throws(() => call(queue.queueId));
});

void t.test('where other nodes serve, who has more than the store begins anew', async (t) => {
  const { node, open, lease } = await setUp();
  node.queues.shareWith({
    hasOthers: true,
    followers: 0,
    used: () => undefined,
    acknowledged: () => false,
    isElsewhere: () => false,
  });
  const queue = await node.register(1);
  const poll = node.attach(queue);
  const last_event_id = queue.newestId + 1_000_000;
  await t.rejects(open({ queue_id: queue.queueId, last_event_id }) as Promise<EventQueue>, {
    code: 'BAD_EVENT_QUEUE_ID',
    message: `Bad event queue ID: ${queue.queueId}`,
  });
  t.same(poll.ended, [], 'the queue and its consumer stay');
  t.notOk(queue.needsReplay);
  node.queues.moveAway(queue.queueId);
  await t.rejects(open({ queue_id: queue.queueId, last_event_id }) as Promise<EventQueue>, {
    code: 'BAD_EVENT_QUEUE_ID',
  });
  t.equal(node.queues.get(queue.queueId), queue, 'also where another node serves it');
  lease.lost = new FencedError();
  await t.rejects(
    open({ queue_id: queue.queueId, last_event_id }) as Promise<EventQueue>,
    lease.lost,
  );
});

void t.test(
  'a follower may know of an entry before the leader hears that it is durable',
  async (t) => {
    for (const hasReported of [true, false]) {
      const { node, open, lease } = await setUp();
      if (hasReported) {
        node.queues.shareWith({
          hasOthers: true,
          followers: 0,
          used: () => undefined,
          acknowledged: () => false,
          isElsewhere: () => false,
        });
      }
      const queue = await node.register(1);
      const seq = node.emit([1], 1);
      node.emit([1], 2);
      const opened = open({ queue_id: queue.queueId, last_event_id: seq });
      t.equal(await opened, queue);
      t.equal(queue.length, 1, 'what came after the cursor');
      lease.lost = new FencedError();
      const written = open({ queue_id: queue.queueId, last_event_id: seq + 9 });
      await t.rejects(written as Promise<EventQueue>, lease.lost, 'or another node leads by now');
    }
  },
);
