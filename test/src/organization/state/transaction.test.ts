import { emitAny } from '../../../fixtures/emit-any.js';
import t from 'tap';
import type { ApiError } from '../../../../src/errors/index.js';
import { FollowedJournal } from '../../../../src/journal/followed-journal.js';
import { Transaction } from '../../../../src/organization/state/transaction.js';
import { account, CoreNode, eventsIn } from '../../../fixtures/core-node.js';

/** A pause before a retry does not keep a process alive; these tests wait for it. */
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

function statusOf(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as ApiError).status;
  }
}

void t.test('memory changes at once, events go out when the entry is durable', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.gate.holding = true;
  node.runtime.transact((tx) => {
    tx.org.users.insert(account(9));
    emitAny(tx, 'note', { to: 'users', users: [1] }, { n: 1 });
  });
  t.ok(node.org.users.has(9));
  await node.gate.waiting(1);
  t.equal(queue.length, 0);
  await node.gate.held.shift()!.accept();
  await node.journal.barrier();
  t.equal(queue.length, 1);
  t.ok(node.memory.collections.get('user')?.has('9'));
});

void t.test(
  'a document that no store keeps refuses its own transaction, and nobody else',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1);
    node.gate.holding = true;
    node.emit([1], 1);
    await node.gate.waiting(1);
    const refused: readonly [number, string][] = [
      [NaN, 'The document user:9 has the number NaN'],
      [Infinity, 'The document user:9 has the number Infinity'],
    ];
    for (const [date_joined, message] of refused) {
      const work = (tx: Transaction): void => {
        tx.org.users.insert(account(8));
        tx.org.users.insert(account(9, { date_joined }));
        emitAny(tx, 'note', { to: 'users', users: [1] }, { n: 2 });
      };
      t.throws(() => node.runtime.transact(work), { name: 'UnstorableError', message });
    }
    t.notOk(node.org.users.has(8), 'nothing of it is in memory');
    node.emit([1], 3);
    t.equal(node.journal.health, 'ready');
    node.gate.holding = false;
    await node.gate.held.shift()!.accept();
    await node.journal.barrier();
    t.equal(queue.length, 2, 'those before and behind it are delivered');
    t.equal(node.runtime.takenBackEntries, 0);
    t.notOk(node.memory.collections.get('user')?.has('8'));
  },
);

void t.test('nothing is written by a node that follows', async (t) => {
  const node = await CoreNode.start();
  const journal = new FollowedJournal(node.journal.durableHead);
  node.runtime.use(journal, null);
  const refusal = { status: 503, code: 'SERVICE_UNAVAILABLE' };
  t.throws(() => node.runtime.transact((tx) => tx.org.users.insert(account(9))), refusal);
  t.notOk(node.org.users.has(9), 'nor in memory');
  t.throws(() => node.runtime.mark(), refusal);
  t.equal(
    node.runtime.transact(({ org }) => org.users.size),
    node.org.users.size,
    'reads go on',
  );
});

void t.test('what waits for an entry is done once it is durable, before its events', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const done: number[] = [];
  node.gate.holding = true;
  node.runtime.transact((tx) => {
    emitAny(tx, 'note', { to: 'users', users: [1] }, { n: 1 });
    tx.onceDurable(() => done.push(queue.length));
  });
  await node.gate.waiting(1);
  t.same(done, []);
  await node.gate.held.shift()!.accept();
  await node.journal.barrier();
  t.same(done, [0]);
  t.equal(queue.length, 1);
  t.throws(() =>
    node.runtime.transact((tx) => {
      tx.onceDurable(() => done.push(-1));
      throw new Error('refused');
    }),
  );
  node.emit([1], 2);
  await node.gate.waiting(1);
  await node.gate.held.shift()!.accept();
  await node.journal.barrier();
  t.same(done, [0], 'a transaction that failed leaves nothing to do');
});

void t.test('queues that a transaction ends are gone with it, on every node', async (t) => {
  const node = await CoreNode.start();
  const [own, other] = [await node.register(1), await node.register(2)];
  const documents = () => [...(node.memory.collections.get('queue')?.keys() ?? [])];
  t.strictSame(documents(), [own.queueId, other.queueId]);
  t.throws(() =>
    node.runtime.transact((tx) => {
      tx.endQueuesOf(2);
      throw new Error('refused');
    }),
  );
  node.runtime.transact((tx) => {
    tx.endQueuesOf(1);
    emitAny(tx, 'note', { to: 'users', users: [2] }, { n: 1 });
  });
  await node.journal.barrier();
  t.notOk(node.queues.get(own.queueId), 'its client gets BAD_EVENT_QUEUE_ID');
  t.strictSame(documents(), [other.queueId]);
  t.equal(other.length, 1);
});

void t.test('subscribers are those of the moment the entry was made', async (t) => {
  const node = await CoreNode.start();
  const [early, late] = [await node.register(1), await node.register(2)];
  const subscribe = (userId: number, active: boolean): void =>
    node.runtime.transact((tx) => {
      const spans = active ? [[tx.seq, null]] : [[0, tx.seq]];
      const fields = { user_id: userId, stream_id: 5, active, spans };
      tx.org.subscriptions.insert(fields as never);
    });
  subscribe(1, true);
  node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'subscribers', channel: 5 }, { n: 1 }));
  subscribe(1, false);
  subscribe(2, true);
  await node.journal.barrier();
  t.equal(early.length, 1);
  t.equal(late.length, 0);
});

void t.test(
  'an all-public queue gets a message once, whatever its user does meanwhile',
  async (t) => {
    const renderers = new Map([
      [
        'note',
        {
          variant: (_event: unknown, { inAudience }: { inAudience: boolean }) => String(inAudience),
          bodies: (_event: unknown, variant: string) => [{ type: 'note', variant }],
        },
      ],
    ]);
    const node = await CoreNode.start({ renderers });
    const filter = { all_public_streams: true };
    const [leaver, joiner] = [await node.register(1, filter), await node.register(2, filter)];
    const subscribe = (userId: number, spans: (seq: number) => unknown[], active: boolean): void =>
      node.runtime.transact((tx) => {
        const fields = { user_id: userId, stream_id: 5, active, spans: spans(tx.seq) };
        tx.org.subscriptions.insert(fields as never);
      });
    let began = 0;
    subscribe(1, (seq) => [[(began = seq), null]], true);
    node.runtime.transact((tx) =>
      emitAny(tx, 'note', { to: 'subscribers', channel: 5 }, { public: true }),
    );
    // Both change before the message is durable.
    subscribe(1, (seq) => [[began, seq]], false);
    subscribe(2, (seq) => [[seq, null]], true);
    await node.journal.barrier();
    t.match(eventsIn(leaver.pendingJson()), [{ variant: 'true' }]);
    t.match(eventsIn(joiner.pendingJson()), [{ variant: 'false' }]);
  },
);

void t.test('the events of an entry have ids in their order, each with its slots', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const seq = node.runtime.transact((tx) => {
    emitAny(tx, 'note', { to: 'users', users: [2] }, { n: 0 }, { slots: 600 });
    emitAny(tx, 'note', { to: 'users', users: [1] }, { n: 1 });
    tx.org.users.insert(account(4));
    emitAny(tx, 'note', { to: 'users', users: [1] }, { n: 2 });
    return tx.seq;
  });
  node.emit([1], 3);
  await node.journal.barrier();
  const ids = eventsIn(queue.pendingJson()).map(({ id }) => id);
  t.same(ids, [seq + 600, seq + 601, seq + 602]);
});

void t.test('a transaction that changes and tells nothing writes nothing', async (t) => {
  const node = await CoreNode.start();
  const before = node.journal.nextSeq;
  t.equal(
    node.runtime.transact((tx) => tx.seconds),
    1_800_000_000,
  );
  t.equal(node.journal.nextSeq, before);
});

void t.test('while the store fails, changes are refused and taken back', async (t) => {
  const node = await CoreNode.start();
  node.gate.holding = true;
  node.emit([1], 1);
  await node.gate.waiting(1);
  const again = node.recovered();
  node.gate.held.shift()!.refuse(new Error('gone'));
  await t.rejects(node.journal.barrier(), { message: 'The store is not available' });
  t.equal(
    statusOf(() => node.runtime.transact((tx) => tx.org.users.insert(account(9)))),
    503,
  );
  t.notOk(node.org.users.has(9));
  t.equal(
    statusOf(() => node.emit([1], 2)),
    503,
  );
  await t.rejects(node.runtime.tick(), { message: 'The store is not available' });
  t.equal(
    node.runtime.transact(() => 'read'),
    'read',
  );
  node.gate.holding = false;
  await again;
  node.runtime.transact((tx) => tx.org.users.insert(account(9)));
  await node.journal.barrier();
  t.same(node.reports, ['failed', 'recovered']);
});

void t.test('a handler that throws changes nothing and tells nothing', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  t.throws(
    () =>
      node.runtime.transact((tx) => {
        tx.org.users.insert(account(9));
        emitAny(tx, 'note', { to: 'all' }, { n: 1 });
        throw new Error('no');
      }),
    { message: 'no' },
  );
  node.emit([1], 2);
  await node.journal.barrier();
  t.notOk(node.org.users.has(9));
  t.match(eventsIn(queue.pendingJson()), [{ n: 2 }]);
});

void t.test('what is emitted for nobody is not kept, and one slot is the rule', async (t) => {
  const { org } = await CoreNode.start();
  const tx = new Transaction(org, 1, 0);
  emitAny(tx, 'a', { to: 'users', users: [] }, {});
  emitAny(tx, 'b', { to: 'all' }, { x: 1 }, { slots: undefined, first: 4 });
  emitAny(tx, 'c', { to: 'all' }, {}, { slots: 3 });
  t.match(tx.events, [
    { type: 'b', slots: 1, first: 4, data: { x: 1 } },
    { type: 'c', slots: 3 },
  ]);
  t.equal(tx.events.length, 2);
});
