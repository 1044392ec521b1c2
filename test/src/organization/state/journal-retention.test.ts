import t from 'tap';
import type { QueueDocument } from '../../../../schemas/queues/register.js';
import { Retention } from '../../../../src/organization/state/journal-retention.js';
import { CoreNode, eventsIn, moveOn } from '../../../fixtures/core-node.js';

function retention(node: CoreNode, slack: number, maximum: number): Retention {
  return new Retention(node.runtime, node.gate.store, { slack, maximum });
}

function starts(node: CoreNode): number[] {
  const stored = node.memory.collections.get('queue')?.values() ?? [];
  return [...stored].map((text) => (JSON.parse(text) as QueueDocument).context.since).sort();
}

void t.test('nothing is forgotten while little is behind', async (t) => {
  const node = await CoreNode.start();
  await moveOn(node, 50);
  await retention(node, 100, 1000).run();
  t.equal(await node.gate.store.firstSeq(), 1);
});

void t.test('what no queue needs goes, and starts move with it', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const idle = await node.register(2);
  await moveOn(node, 100);
  node.emit([1], 1);
  const needed = node.journal.nextSeq - 1;
  await moveOn(node, 20);
  await retention(node, 10, 1000).run();
  t.equal(await node.gate.store.firstSeq(), needed);
  t.same(starts(node), [needed - 1, needed - 1]);
  node.emit([2], 2);
  await node.journal.barrier();
  const next = await node.restart();
  const [back, other] = [next.queues.find(queue.queueId, 1), next.queues.find(idle.queueId, 2)];
  await next.queues.restore(back, -1);
  await next.queues.restore(other, 2);
  t.match(eventsIn(back.pendingJson()), [{ n: 1 }]);
  t.match(eventsIn(other.pendingJson()), [{ n: 2 }]);
});

void t.test('positions between entries are no gap for a queue that comes back', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  await node.register(2);
  node.emit([2], 0);
  await moveOn(node, 30);
  // Nobody gets it; it takes four positions, and the bound falls between them.
  node.emit([7], 0, { slots: 2000 });
  await moveOn(node, 18);
  const head = node.journal.durableHead.seq;
  const wide = head - 20;
  await retention(node, 10, 20).run();
  const first = (await node.gate.store.firstSeq())!;
  t.ok(first > wide && first < head, `between entries at ${wide}, so ${first} is the first`);
  const next = await node.restart();
  const back = next.queues.find(queue.queueId, 1);
  await t.resolves(next.queues.restore(back, -1));
});

void t.test('a queue that needs too much ends, and is told so', async (t) => {
  const node = await CoreNode.start();
  const slow = await node.register(1);
  const fast = await node.register(2);
  const socket = node.attach(slow, 'socket');
  node.emit([1, 2], 1);
  await node.journal.barrier();
  fast.acknowledge(fast.newestId);
  await moveOn(node, 100);
  await retention(node, 10, 50).run();
  t.same(socket.ended, ['overflowed']);
  t.equal(node.queues.size, 1);
  await node.forgotten();
  t.equal(starts(node).length, 1);
});

void t.test(
  'a queue whose client goes to another node while the journal is read does not end',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1);
    await moveOn(node, 100);
    node.gate.beforeRead = () => {
      node.queues.moveAway(queue.queueId);
    };
    await retention(node, 10, 1000).run();
    t.equal(node.queues.get(queue.queueId), queue);
    t.equal(await node.gate.store.firstSeq(), 1, 'a later pass trims');
    node.gate.beforeRead = () => undefined;
    node.emit([1], 1);
    await node.journal.barrier();
    await node.queues.restore(queue, -1);
    t.match(eventsIn(queue.pendingJson()), [{ n: 1 }]);
    queue.acknowledge(queue.newestId);
    await retention(node, 10, 1000).run();
    t.equal(await node.gate.store.firstSeq(), node.journal.durableHead.seq - 1);
    t.equal(node.queues.get(queue.queueId), queue);
  },
);

void t.test('a queue that nobody asked for since the restart keeps its events', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.emit([1], 1);
  await node.journal.barrier();
  const next = await node.restart();
  await moveOn(next, 100);
  await retention(next, 10, 1000).run();
  const back = next.queues.find(queue.queueId, 1);
  await next.queues.restore(back, -1);
  t.match(eventsIn(back.pendingJson()), [{ n: 1 }]);
});

void t.test('a queue that ends while starts are moved leaves no document', async (t) => {
  const node = await CoreNode.start();
  const queues = [];
  for (let i = 0; i < 501; i++) queues.push(await node.register(i));
  await moveOn(node, 100);
  node.gate.holding = true;
  const pass = retention(node, 10, 1000).run();
  await node.gate.waiting(1);
  // The last one is of the second batch, which is written after the first is durable.
  node.queues.end(queues[500]!, 'delete');
  node.gate.holding = false;
  await node.gate.held.shift()!.accept();
  await pass;
  await node.journal.barrier();
  t.equal(node.memory.collections.get('queue')?.size, 500);
});

void t.test('one pass at a time, and another after a fault', async (t) => {
  const node = await CoreNode.start();
  await node.register(1);
  await moveOn(node, 100);
  const one = retention(node, 10, 1000);
  node.gate.beforeRead = () => Promise.reject(new Error('not now'));
  await t.rejects(one.run(), { message: 'not now' });
  let reads = 0;
  node.gate.beforeRead = () => void (reads += 1);
  await Promise.all([one.run(), one.run()]);
  t.equal(reads, 1);
  t.ok((await node.gate.store.firstSeq())! > 50);
});

void t.test('what a start needs beside the queues stays, up to the maximum', async (t) => {
  const node = await CoreNode.start();
  await moveOn(node, 100);
  const keeping = (maximum: number, needed: number | null): Promise<void> =>
    new Retention(node.runtime, node.gate.store, { slack: 10, maximum }, () => needed).run();
  await keeping(1000, 40);
  t.equal(await node.gate.store.firstSeq(), 40);
  const head = node.journal.durableHead.seq;
  await keeping(30, 40);
  t.equal(await node.gate.store.firstSeq(), head - 30);
  await keeping(1000, null);
  t.equal(await node.gate.store.firstSeq(), head);
});
