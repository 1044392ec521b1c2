import { emitAny } from '../../fixtures/emit-any.js';
import t from 'tap';
import type { EventQueue } from '../../../src/journal/queues/event-queue.js';
import { MAX_QUEUES_PER_USER } from '../../../src/journal/queues/queues.js';
import { registerQueue } from '../../../src/organization/state/queue-documents.js';
import { CoreNode, eventsIn, PLAIN_FILTER, Witness } from '../../fixtures/core-node.js';

void t.test('one user may have many queues, but not any number', async (t) => {
  const node = await CoreNode.start();
  const request = { userId: 1, filter: PLAIN_FILTER, idleTimeoutMs: 1_000_000 };
  const register = (userId = 1): EventQueue => {
    node.clock.advance(1);
    return node.runtime.transact((tx) => registerQueue(tx, node.queues, { ...request, userId }));
  };
  const own = Array.from({ length: MAX_QUEUES_PER_USER }, () => register());
  const [first, second, third] = own as [EventQueue, EventQueue, EventQueue];
  const read = (queue: EventQueue): Witness => {
    const witness = new Witness('poll', queue, node.clock.now());
    node.queues.consumers.attach(queue, witness);
    return witness;
  };
  read(first);
  node.clock.advance(1);
  node.queues.find(second.queueId, 1);
  register();
  t.equal(node.queues.size, MAX_QUEUES_PER_USER);
  t.throws(() => node.queues.find(third.queueId, 1), { code: 'BAD_EVENT_QUEUE_ID' });
  t.equal(node.queues.get(first.queueId), first, 'somebody reads from it');
  t.equal(node.queues.get(second.queueId), second, 'it was used since');
  register(2);
  t.equal(node.queues.size, MAX_QUEUES_PER_USER + 1, 'others have their own');
  for (const queue of own) if (!queue.hasEnded) read(queue);
  read(register());
  t.throws(() => register(), { message: 'Could not allocate event queue' }, 'all are being read');
  t.equal(node.queues.size, MAX_QUEUES_PER_USER + 1);
});

void t.test('a poll is answered with part of very much, the next with what follows', async (t) => {
  const node = await CoreNode.start({ limits: { maxEvents: 100, maxBytes: 8_000_000 } });
  const queue = node.runtime.transact((tx) =>
    registerQueue(tx, node.queues, { userId: 1, filter: PLAIN_FILTER, idleTimeoutMs: 1000 }),
  );
  const text = 'x'.repeat(300_000);
  for (let n = 0; n < 10; n++)
    node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'users', users: [1] }, { n, text }));
  await node.journal.barrier();
  const seen: unknown[] = [];
  let polls = 0;
  while (queue.length > 0) {
    const events = eventsIn(queue.pendingJson());
    seen.push(...events.map(({ n }) => n));
    queue.acknowledge(events[events.length - 1]!.id);
    polls += 1;
  }
  t.same(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  t.equal(polls, 3);
});
