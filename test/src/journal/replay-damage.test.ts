import t from 'tap';
import { CoreNode, codeOf, moveOn, numbersIn } from '../../fixtures/core-node.js';

void t.test('a damaged or missing entry ends the queues that need it, and no others', async (t) => {
  const damages: Readonly<Record<string, (journal: Map<number, string>, seq: number) => void>> = {
    garbled: (journal, seq) => journal.set(seq, journal.get(seq)!.slice(0, -1)),
    'of another form': (journal, seq) => journal.set(seq, '{"changes":[],"events":[7]}'),
    missing: (journal, seq) => journal.delete(seq),
  };
  for (const [damage, apply] of Object.entries(damages)) {
    const node = await CoreNode.start();
    const early = await node.register(1);
    await moveOn(node, 300);
    node.emit([1], 1);
    await node.journal.barrier();
    const [seen] = early.pending();
    node.emit([1], 2);
    const late = await node.register(1);
    node.emit([1], 3);
    await node.journal.barrier();
    const broken = late.since - 1;
    apply(node.memory.journal, broken);
    const next = await node.restart();
    const restore = (id: string, cursor: number) =>
      next.queues.restore(next.queues.find(id, 1), cursor);
    t.equal(await codeOf(restore(early.queueId, seen!.id)), 'BAD_EVENT_QUEUE_ID', damage);
    t.equal(next.queues.get(early.queueId), undefined, 'it has ended');
    await restore(late.queueId, -1);
    t.same(numbersIn(next.queues.find(late.queueId, 1)), [3], `${damage}: who began later goes on`);
    next.emit([1], 4);
    await next.journal.barrier();
    t.same(numbersIn(next.queues.find(late.queueId, 1)), [3, 4]);
  }
});

void t.test('when the newest entry is damaged, no id is given a second time', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.emit([1], 1);
  node.emit([1], 2);
  await node.journal.barrier();
  const newest = queue.newestId;
  const [head] = [...node.memory.journal.keys()].slice(-1);
  node.memory.journal.set(head!, 'x');
  const next = await node.restart();
  t.equal(
    await codeOf(next.queues.restore(next.queues.find(queue.queueId, 1), -1)),
    'BAD_EVENT_QUEUE_ID',
  );
  const again = await next.register(1);
  next.emit([1], 3);
  await next.journal.barrier();
  t.ok(again.newestId > newest, 'ids go on behind it');
  const third = await next.restart();
  await third.queues.restore(third.queues.find(again.queueId, 1), -1);
  t.same(numbersIn(third.queues.find(again.queueId, 1)), [3]);
});
