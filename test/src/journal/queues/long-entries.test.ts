/** What entries with very many ids, or of unknown length, cost those who come back (architecture.md#event-ids). */
import t from 'tap';
import { emitAny } from '../../../fixtures/emit-any.js';
import { CoreNode, codeOf, numbersIn } from '../../../fixtures/core-node.js';

void t.test(
  'an entry of a hundred thousand ids costs a restart few reads, and no queue an event',
  async (t) => {
    const node = await CoreNode.start();
    const [none, half, all, later] = [
      await node.register(1),
      await node.register(1),
      await node.register(1),
      await node.register(1),
    ];
    const seq = node.emit([1], 7, { slots: 100_000 });
    for (let n = 0; n < 300; n++) node.emit([1], n);
    await node.journal.barrier();
    const after = seq + 100_000;
    t.equal(node.journal.nextSeq, after + 300);
    const cursors = [
      { queue: none, cursor: -1, waiting: 301, reads: 6 },
      { queue: half, cursor: node.org.history.ids.at(seq + 50_000), waiting: 300, reads: 24 },
      { queue: all, cursor: node.org.history.ids.at(after - 1), waiting: 300, reads: 5 },
      { queue: later, cursor: node.org.history.ids.at(after + 299), waiting: 0, reads: 0 },
    ];
    for (const { queue, cursor, waiting, reads } of cursors) {
      const next = await node.restart();
      let count = 0;
      next.gate.beforeRead = () => void count++;
      const restored = next.queues.find(queue.queueId, 1);
      await next.queues.restore(restored, cursor);
      t.equal(restored.length, waiting, `from ${cursor}`);
      t.ok(count <= reads, `${count} reads from ${cursor}`);
      t.equal(numbersIn(restored).at(-1), waiting === 0 ? undefined : 299);
    }
  },
);

void t.test(
  'where the newest entry was damaged, a queue that needs it ends after few reads',
  async (t) => {
    const node = await CoreNode.start();
    const queues = [await node.register(1), await node.register(1)];
    node.emit([1], 1);
    await node.journal.barrier();
    const { seq } = node.journal.durableHead;
    node.memory.journal.set(seq, 'no entry');
    const next = await node.restart();
    next.emit([1], 2);
    const late = await next.register(1);
    const begun = late.newestId;
    next.emit([1], 3);
    await next.journal.barrier();
    t.equal(next.journal.durableHead.seq, seq + 2 ** 28 + 2, 'more than any entry takes');
    const last = await next.restart();
    let reads = 0;
    last.gate.beforeRead = () => void reads++;
    const cursors = [-1, last.org.history.ids.at(seq + 1000)];
    for (const [i, cursor] of cursors.entries()) {
      const queue = last.queues.find(queues[i]!.queueId, 1);
      t.equal(await codeOf(last.queues.restore(queue, cursor)), 'BAD_EVENT_QUEUE_ID');
    }
    t.ok(reads < 50, `${reads} reads`);
    const restored = last.queues.find(late.queueId, 1);
    await last.queues.restore(restored, begun);
    t.same(numbersIn(restored), [3]);
  },
);

void t.test('a long backlog is read in pieces, and others have turns meanwhile', async (t) => {
  const node = await CoreNode.start({ limits: { maxEvents: 10_000, maxBytes: 8_000_000 } });
  const queue = await node.register(1);
  const COUNT = 100;
  const text = '字'.repeat(20_000);
  for (let n = 0; n < COUNT; n++) {
    node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'users', users: [1] }, { n, text }));
  }
  await node.journal.barrier();
  const next = await node.restart();
  let [reads, rounds, isOver] = [0, 0, false];
  t.teardown(() => (isOver = true));
  next.gate.beforeRead = async () => void reads++;
  const turn = (): void => {
    if (isOver) return;
    rounds++;
    setImmediate(turn);
  };
  setImmediate(turn);
  const restored = next.queues.find(queue.queueId, queue.userId);
  await next.queues.restore(restored, -1);
  t.equal(restored.pending().length, COUNT);
  // Six of them fit a read of 128 Ki characters; the first has sixteen.
  t.ok(reads >= (COUNT - 16) / 6, `${reads} reads`);
  t.ok(rounds > 1, `${rounds} rounds`);
});
