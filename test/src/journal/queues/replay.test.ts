import { emitAny } from '../../../fixtures/emit-any.js';
import fc from 'fast-check';
import t from 'tap';
import type { EventQueue } from '../../../../src/journal/queues/event-queue.js';
import type { Journal } from '../../../../src/journal/journal.js';
import type { EventRenderers } from '../../../../src/journal/renderers/event-renderer.js';
import {
  SUBSCRIPTION_DEFAULTS,
  type SubscriptionDocument,
} from '../../../../schemas/channels/subscriptions.js';
import {
  account,
  CoreNode,
  eventsIn,
  codeOf,
  moveOn,
  numbersIn,
} from '../../../fixtures/core-node.js';

/** Events of type `many` have a body for each of their slots. */
const EVENT_RENDERERS: EventRenderers = new Map([
  [
    'many',
    {
      variant: () => '',
      bodies: ({ data }) =>
        Array.from({ length: data.n as number }, (_, i) => ({ type: 'many', n: i })),
    },
  ],
]);

async function comeBack(node: CoreNode, queue: EventQueue, cursor = -1) {
  const next = await node.restart();
  const restored = next.queues.find(queue.queueId, queue.userId);
  t.ok(restored.needsReplay);
  await next.queues.restore(restored, cursor);
  return { next, restored };
}

void t.test('what waited before a restart waits after it, byte for byte', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const other = await node.register(2);
  for (let n = 0; n < 5; n++) node.emit([1, 2], n);
  node.emit([2], 5);
  node.emit([1], 6, { type: 'other' });
  await node.journal.barrier();
  const before = queue.pendingJson();
  const ids = queue.pending().map(({ id }) => id);
  const { next, restored } = await comeBack(node, queue);
  t.equal(restored.pendingJson(), before);
  t.same(
    restored.pending().map(({ id }) => id),
    ids,
  );
  const second = next.queues.find(other.queueId, 2);
  await next.queues.restore(second, ids[2]!);
  t.same(numbersIn(second), [3, 4, 5]);
});

void t.test('a filtered queue is filtered in the replay', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1, { event_types: ['other'] });
  node.emit([1], 1);
  node.emit([1], 2, { type: 'other' });
  await node.journal.barrier();
  t.same(numbersIn(queue), [2]);
  t.same(numbersIn((await comeBack(node, queue)).restored), [2]);
});

void t.test('every event exactly once, in order, while entries are written', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 }),
      fc.nat(600),
      fc.nat(20),
      async (batches, gap, acknowledged) => {
        const node = await CoreNode.start();
        const queue = await node.register(1);
        let n = 0;
        for (const batch of batches) {
          for (let i = 0; i < batch; i++) node.emit([1], n++);
          await moveOn(node, Math.floor(gap / batches.length));
        }
        const cursor = queue.pending()[acknowledged]?.id ?? -1;
        const next = await node.restart();
        // Each read of the journal finds that more was written meanwhile.
        let more = 5;
        next.gate.beforeRead = async () => {
          if (more-- > 0) next.emit([1], n++);
          await next.journal.barrier();
        };
        const restored = next.queues.find(queue.queueId, 1);
        const poll = next.attach(restored);
        await next.queues.restore(restored, cursor);
        next.emit([1], n++);
        await next.journal.barrier();
        const first = cursor < 0 ? 0 : acknowledged + 1;
        const expected = Array.from({ length: n - first }, (_, i) => first + i);
        t.equal(poll.ended.length, 0);
        return numbersIn(restored).join() === expected.join();
      },
    ),
    { numRuns: 25 },
  );
});

void t.test(
  'an entry that becomes durable as a replay ends is replayed or delivered',
  async (t) => {
    // Replies that arrive together continue in any order of the microtasks: the entry comes in each place among them.
    for (let turns = 0; turns < 32; turns++) {
      const node = await CoreNode.start();
      const { queueId } = await node.register(1);
      node.emit([1], 0);
      await node.journal.barrier();
      const { durableHead } = node.journal;
      const seq = node.emit([1], 1);
      await node.journal.barrier();
      const next = await node.restart();
      const queue = next.queues.find(queueId, 1);
      const { journal } = next;
      next.journal = { durableHead } as Journal;
      const delivered: number[] = [];
      const commit = async () => {
        for (let i = 0; i < turns; i++) await Promise.resolve();
        next.journal = journal;
        const takesIt = !queue.needsReplay && queue.newestId < next.org.history.ids.at(seq);
        if (takesIt) delivered.push(1);
      };
      let committed: Promise<void> | undefined;
      next.gate.beforeRead = () => void (committed ??= commit());
      await next.replay.restore(queue, -1);
      await committed;
      t.same([...numbersIn(queue), ...delivered], [0, 1], `after ${turns} turns`);
    }
  },
);

void t.test('a block that grew while it was cached is read on, not again', async (t) => {
  const node = await CoreNode.start();
  const queues = [await node.register(1), await node.register(1), await node.register(1)];
  for (let n = 0; n < 10; n++) node.emit([1], n);
  await node.journal.barrier();
  const next = await node.restart();
  const ranges: [number, number][] = [];
  next.gate.beforeRead = (from, to) => void ranges.push([from, to]);
  const [a, b, c] = queues.map(({ queueId }) => next.queues.find(queueId, 1));
  await Promise.all([next.queues.restore(a!, -1), next.queues.restore(b!, -1)]);
  t.same(ranges, [[0, 13]]);
  t.equal(a!.pending()[0], b!.pending()[0], 'both refer to one text');
  next.emit([1], 10);
  await next.journal.barrier();
  await next.queues.restore(c!, -1);
  t.same(ranges, [
    [0, 13],
    [14, 14],
  ]);
  t.same(numbersIn(c!), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  t.equal(c!.pendingJson(), a!.pendingJson());
});

void t.test('entries of several positions around the end of a block', async (t) => {
  for (const start of [253, 254, 255, 256]) {
    for (const slots of [513, 1500, 3000]) {
      const node = await CoreNode.start({ renderers: EVENT_RENDERERS });
      const queue = await node.register(1);
      await moveOn(node, start - node.journal.nextSeq);
      t.equal(node.journal.nextSeq, start);
      node.emit([1], slots, { slots, type: 'many' });
      await node.journal.barrier();
      const upTo = await comeBack(node, queue);
      t.equal(eventsIn(upTo.restored.pendingJson()).length, slots);
      upTo.next.emit([1], 1);
      await upTo.next.journal.barrier();
      const after = await comeBack(upTo.next, queue, upTo.restored.pending()[0]!.id);
      t.same(numbersIn(after.restored), [1]);
    }
  }
});

void t.test('a cursor in the upper ids of an entry of several positions', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  await moveOn(node, 255 - node.journal.nextSeq);
  const seq = node.runtime.transact((tx) => {
    for (let n = 0; n < 2000; n++) emitAny(tx, 'note', { to: 'users', users: [1] }, { n });
    return tx.seq;
  });
  t.equal(seq, 255);
  await node.journal.barrier();
  for (const seen of [0, 511, 1022, 1023, 1500, 1998, 1999]) {
    const { restored } = await comeBack(node, queue, queue.pending()[seen]!.id);
    t.equal(restored.length, 1999 - seen, `after event ${seen}`);
    t.equal(numbersIn(restored)[0], seen === 1999 ? undefined : seen + 1);
  }
});

void t.test('an empty journal part, and a queue without events, end the replay', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  await moveOn(node, 700);
  const { next, restored } = await comeBack(node, queue);
  t.equal(restored.length, 0);
  next.emit([1], 1);
  await next.journal.barrier();
  t.same(numbersIn(restored), [1]);
});

void t.test('any heartbeat id of before the restart is known after it', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  await node.runtime.tick(16);
  const id = node.journal.durableHead.seq + 15;
  queue.issueHeartbeat(id);
  const { restored } = await comeBack(node, queue);
  t.doesNotThrow(() => restored.acknowledge(id));
});

void t.test('a cursor from another journal, or from before this one begins, ends it', async (t) => {
  const node = await CoreNode.start();
  const [a, b, c] = [await node.register(1), await node.register(1), await node.register(1)];
  node.emit([1], 1);
  await moveOn(node, 20);
  const next = await node.restart();
  const beyond = next.journal.durableHead.seq + 1;
  const first = next.queues.find(a.queueId, 1);
  t.equal(await codeOf(next.queues.restore(first, beyond)), 'BAD_EVENT_QUEUE_ID');
  t.notOk(next.queues.get(a.queueId));
  await next.queues.restore(next.queues.find(c.queueId, 1), beyond - 1);
  await next.gate.store.trimJournal(10);
  const second = next.queues.find(b.queueId, 1);
  t.equal(await codeOf(next.queues.restore(second, -1)), 'BAD_EVENT_QUEUE_ID');
});

void t.test('more than a queue may hold ends it', async (t) => {
  const limits = { maxEvents: 3, maxBytes: 1_000_000 };
  const node = await CoreNode.start({ limits });
  const queue = await node.register(1);
  for (let n = 0; n < 3; n++) node.emit([1], n);
  await node.journal.barrier();
  const { next, restored } = await comeBack(node, queue);
  t.equal(restored.length, 3, 'exactly as many');
  const last = await next.restart();
  last.emit([1], 3);
  await last.journal.barrier();
  const found = last.queues.find(queue.queueId, 1);
  t.equal(await codeOf(last.queues.restore(found, -1)), 'BAD_EVENT_QUEUE_ID');
  t.notOk(last.queues.get(queue.queueId));
});

void t.test('a store that fails to read leaves the queue for the next try', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.emit([1], 1);
  await node.journal.barrier();
  const next = await node.restart();
  const restored = next.queues.find(queue.queueId, 1);
  next.gate.beforeRead = () => Promise.reject(new Error('not now'));
  await t.rejects(next.queues.restore(restored, -1), { message: 'not now' });
  next.gate.beforeRead = () => undefined;
  await next.queues.restore(restored, -1);
  t.same(numbersIn(restored), [1]);
});

void t.test(
  'two polls with different cursors during one replay lose nothing silently',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1);
    for (let n = 0; n < 4; n++) node.emit([1], n);
    await node.journal.barrier();
    const ids = queue.pending().map(({ id }) => id);
    const open = async (next: CoreNode, cursors: number[]) => {
      const restored = next.queues.find(queue.queueId, 1);
      const results = await Promise.all(
        cursors.map((cursor) =>
          codeOf(next.queues.restore(restored, cursor).then(() => restored.acknowledge(cursor))),
        ),
      );
      return { results, left: numbersIn(restored) };
    };
    t.same(await open(await node.restart(), [ids[2]!, ids[0]!]), {
      results: [undefined, 'BAD_EVENT_QUEUE_ID'],
      left: [3],
    });
    t.same(await open(await node.restart(), [ids[0]!, ids[2]!]), {
      results: [undefined, undefined],
      left: [3],
    });
    t.same(await open(await node.restart(), [-1, ids[0]!]), {
      results: [undefined, undefined],
      left: [1, 2, 3],
    });
  },
);

void t.test('a queue that ends during its replay is gone for those who waited', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.emit([1], 1);
  await node.journal.barrier();
  const next = await node.restart();
  const restored = next.queues.find(queue.queueId, 1);
  next.gate.beforeRead = () => next.queues.revokeAllOf(1);
  const codes = await Promise.all([
    codeOf(next.queues.restore(restored, -1)),
    codeOf(next.queues.restore(restored, -1)),
  ]);
  t.same(codes, ['BAD_EVENT_QUEUE_ID', 'BAD_EVENT_QUEUE_ID']);
  t.equal(next.queues.size, 0);
});

function subscription(spans: SubscriptionDocument['spans']): SubscriptionDocument {
  const active = spans.at(-1)?.[1] === null;
  return { ...SUBSCRIPTION_DEFAULTS, user_id: 1, stream_id: 5, active, spans, color: '#76ce90' };
}

void t.test('who was subscribed then gets it, whoever is subscribed now', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const spans: SubscriptionDocument['spans'] = [];
  for (const n of [0, 1, 2, 3, 4]) {
    node.runtime.transact((tx) => {
      const { seq, org } = tx;
      if (n === 1 || n === 3) spans.push([seq, null]);
      if (n === 2 || n === 4) spans.push([spans.pop()![0], seq]);
      if (n > 0) org.subscriptions.insert(subscription([...spans]));
      emitAny(tx, 'note', { to: 'subscribers', channel: 5 }, { n });
    });
    await moveOn(node, 3);
  }
  t.same(numbersIn(queue), [1, 3]);
  t.same(numbersIn((await comeBack(node, queue)).restored), [1, 3]);
});

void t.test(
  'queues beyond the audience see public events, except guests and those left out by name',
  async (t) => {
    const node = await CoreNode.start();
    node.runtime.transact((tx) => {
      tx.org.users.insert(account(3, { role: 600 }));
      tx.org.subscriptions.insert(subscription([[tx.seq, null]]));
    });
    const narrowed = { narrow: [['is', 'whatever']] as [string, string][] };
    const queues = [];
    for (const userId of [1, 2, 3, 4]) queues.push(await node.register(userId, narrowed));
    queues.push(await node.register(2));
    const data = { n: 1, public: true };
    node.runtime.transact((tx) =>
      emitAny(tx, 'note', { to: 'subscribers', channel: 5, except: [4] }, data),
    );
    await node.journal.barrier();
    const expected = [[1], [1], [], [], []];
    t.same(queues.map(numbersIn), expected);
    const next = await node.restart();
    const restored = queues.map(({ queueId, userId }) => next.queues.find(queueId, userId));
    for (const queue of restored) await next.queues.restore(queue, -1);
    t.same(restored.map(numbersIn), expected);
  },
);
