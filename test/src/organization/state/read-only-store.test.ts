import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { CounterName } from '../../../../src/organization/state/collections/realm.js';
import { StoreUnavailableError } from '../../../../src/store/port.js';
import { CoreNode, eventsIn } from '../../../fixtures/core-node.js';

/** A pause before a probe does not keep a process alive; these tests wait for it. */
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

const NAME: CounterName = 'draft';

/** The next number of a counter: a write whose result is a state of memory. */
function count(node: CoreNode): number {
  return node.runtime.transact((tx) => tx.org.counters.next(NAME));
}

function last(node: CoreNode): number | undefined {
  return node.org.counters.get(NAME)?.last;
}

/** What a request that only reads waits for. */
function read(node: CoreNode): Promise<number | undefined> {
  const value = last(node);
  return new Promise((resolve, reject) => node.journal.whenDurable(() => resolve(value), reject));
}

/** A node whose store has just refused three commits, and refuses all that come. */
async function full(t: Test) {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  t.equal(count(node), 1);
  await node.journal.barrier();
  node.gate.holding = true;
  t.equal(count(node), 2);
  const waiting = read(node);
  await node.gate.waiting(1);
  t.equal(count(node), 3);
  node.emit([1], 7);
  await node.gate.waiting(2);
  const refused = node.gate.held.splice(0);
  refused[0]!.refuse(new Error('no space left on the disk'));
  for (const held of refused.slice(1)) held.refuse(new Error('no space left on the disk'));
  await t.rejects(waiting, /not available/);
  return { node, queue };
}

void t.test('what a full store refuses is taken back, and reads go on', async (t) => {
  const { node, queue } = await full(t);
  t.ok(node.journal.isReadOnly);
  t.equal(await read(node), 1, 'memory is what the store has');
  t.throws(() => count(node), /not available/);
  t.equal(last(node), 1, 'and a refused write leaves it so');
  t.equal(queue.length, 0, 'nothing was told to anybody');

  await node.gate.waiting(1);
  const recovered = node.recovered();
  const [probe] = node.gate.held.splice(0);
  t.match(probe!.commit, { writes: [], due: [] }, 'an empty entry finds out whether it is over');
  node.gate.holding = false;
  await probe!.accept();
  await recovered;
  t.notOk(node.journal.isFailing);
  t.equal(count(node), 2, 'numbers that were taken back are given');
  node.emit([1], 8);
  await node.journal.barrier();
  t.same(
    eventsIn(queue.pendingJson()).map(({ n }) => n),
    [8],
  );
  const next = await node.restart();
  t.equal(last(next), 2);
});

void t.test('deleting is possible while the store is full', async (t) => {
  const { node } = await full(t);
  const [probe] = (await node.gate.waiting(1), node.gate.held.splice(0));
  const remove = () => node.runtime.transact((tx) => tx.org.counters.delete(NAME));
  t.throws(remove, /not available/, 'not while the store is being asked');
  probe!.refuse(new Error('no space left on the disk'));
  await new Promise((done) => setImmediate(done));
  t.ok(remove());
  const durable = new Promise<void>((resolve, reject) => node.journal.whenDurable(resolve, reject));
  await node.gate.waiting(1);
  const [freeing] = node.gate.held.splice(0);
  t.equal(freeing!.commit.frees, true);
  await freeing!.accept();
  await durable;
  t.equal(last(node), undefined);
  t.ok(node.journal.isReadOnly, 'other writes are still refused');
  t.throws(() => count(node), /not available/);
  node.gate.holding = false;
  await node.gate.waiting(0);
});

void t.test('a deletion that a full store refuses leads to no second probe', async (t) => {
  const { node } = await full(t);
  const { gate } = node;
  const refuse = async (): Promise<void> => {
    gate.held.splice(0)[0]!.refuse(new Error('no space left on the disk'));
    await new Promise((done) => setImmediate(done));
  };
  await gate.waiting(1);
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  await refuse();
  t.ok(node.runtime.transact((tx) => tx.org.counters.delete(NAME)));
  await refuse();
  mock.timers.tick(1000);
  t.equal(gate.held.length, 1, 'after recovery another one would take the position of an entry');
  t.match(gate.held[0]!.commit, { writes: [] });
  const recovered = node.recovered();
  await gate.held.splice(0)[0]!.accept();
  await recovered;
  t.equal(last(node), 1, 'what was refused is there');
});

void t.test('an abandoned journal is not read-only, and its probe revives nothing', async (t) => {
  const { node } = await full(t);
  await node.gate.waiting(1);
  node.journal.abandon();
  t.equal(node.journal.health, 'unavailable');
  await node.gate.held.splice(0)[0]!.accept();
  await new Promise((done) => setImmediate(done));
  t.equal(node.journal.health, 'unavailable');
  t.same(node.reports, ['failed']);
});

void t.test('what may have landed is not taken back', async (t) => {
  const node = await CoreNode.start();
  count(node);
  await node.journal.barrier();
  node.gate.holding = true;
  count(node);
  await node.gate.waiting(1);
  node.gate.held.splice(0)[0]!.refuse(new StoreUnavailableError('no answer', null));
  await new Promise((done) => setImmediate(done));
  t.notOk(node.journal.isReadOnly);
  await t.rejects(read(node), /not available/, 'nobody may see what may not be there');
  const recovered = node.recovered();
  await node.gate.waiting(1);
  node.gate.holding = false;
  await node.gate.held.splice(0)[0]!.accept();
  await recovered;
  t.equal(await read(node), 2);
});
