import t from 'tap';
import { HEARTBEATS_PER_ENTRY } from '../../../../src/journal/queues/heartbeats.js';
import { CoreNode, Witness } from '../../../fixtures/core-node.js';

const HEARTBEAT_MS = 45_000;
/** The wheel's granularity. */
const TICK_MS = 500;

void t.test('an actor that fails comes back, as its queue is', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  await node.runtime.tick(HEARTBEATS_PER_ENTRY);
  const broken = new Witness('poll', queue, node.clock.now());
  broken.heartbeat = () => {
    throw new Error('a fault of ours');
  };
  node.queues.consumers.attach(queue, broken);
  node.clock.advance(HEARTBEAT_MS + TICK_MS);
  t.equal(node.faults.length, 1);
  const next = node.attach(queue);
  node.clock.advance(55_000 + TICK_MS);
  t.match(next.heard, [/heartbeat/], 'it is waited on again');
  node.queues.consumers.release(queue, next);
  node.clock.advance(600_000 + 2 * TICK_MS);
  t.ok(queue.hasEnded, 'and expires');
});

void t.test('clients that poll again and again make no transition of their actor', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.queues.consumers.release(queue, node.attach(queue));
  const { snapshot } = queue;
  for (let i = 0; i < 40; i++) {
    node.clock.advance(1000);
    node.queues.consumers.release(queue, node.attach(queue));
  }
  t.equal(queue.snapshot, snapshot);
  t.notOk(queue.hasEnded);
});

void t.test('a queue with a shorter idle time than a heartbeat expires in time', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1, {}, 1000);
  const poll = node.attach(queue);
  node.clock.advance(10_000);
  t.notOk(queue.hasEnded, 'not while somebody waits');
  node.queues.consumers.release(queue, poll);
  node.clock.advance(999);
  t.notOk(queue.hasEnded);
  node.clock.advance(1 + TICK_MS);
  t.ok(queue.hasEnded);
});

void t.test('a consumer that comes to an idle queue gets its heartbeat in time', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1, {}, 70_000);
  await node.runtime.tick(HEARTBEATS_PER_ENTRY);
  node.queues.consumers.release(queue, node.attach(queue));
  node.clock.advance(61_000);
  const poll = node.attach(queue);
  node.clock.advance(44_999);
  t.same(poll.heard, []);
  node.clock.advance(10_001 + TICK_MS);
  t.match(poll.heard, [/heartbeat/]);
});
