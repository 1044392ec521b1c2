import t from 'tap';
import { CoreNode } from '../../../fixtures/core-node.js';

const MESSAGES = { event_types: ['message'] };

void t.test('a queue for messages that ends tells how long it was not used', async (t) => {
  const node = await CoreNode.start();
  const told: [userId: number, seconds: number, expired: boolean][] = [];
  node.queues.onLost = (userId, unusedMs, expired) =>
    told.push([userId, Math.floor(unusedMs / 1000), expired]);
  const deleted = await node.register(1, MESSAGES);
  await node.register(2, MESSAGES, 60_000);
  await node.register(3, { event_types: ['presence'] }, 60_000);
  node.clock.advance(5000);
  node.queues.find(deleted.queueId, 1);
  node.clock.advance(2000);
  node.queues.end(deleted, 'delete');
  t.strictSame(told, [[1, 2, false]]);
  node.clock.advance(54_000);
  t.match(told.slice(1), [[2, 60, true]], 'and not of others');
  t.equal(told.length, 2);
});

void t.test('unused since a client used one of the queues for messages', async (t) => {
  const node = await CoreNode.start();
  t.equal(node.queues.unusedFor(1), Infinity);
  const first = await node.register(1, MESSAGES);
  await node.register(1, { event_types: ['presence'] });
  node.clock.advance(5000);
  const second = await node.register(1);
  node.clock.advance(1000);
  t.equal(node.queues.unusedFor(1), 1000);
  const poll = node.attach(first);
  t.equal(node.queues.unusedFor(1), 0, 'while one is held');
  node.queues.consumers.release(first, poll);
  node.clock.advance(3000);
  t.equal(node.queues.unusedFor(1), 3000);
  second.heldElsewhere = true;
  t.equal(node.queues.unusedFor(1), 0, 'at another node, too');
});

void t.test('what a process loads, or another node led, says nothing of use', async (t) => {
  const before = await CoreNode.start();
  const { queueId } = await before.register(1, MESSAGES);
  const node = await before.restart();
  node.clock.advance(1000);
  t.equal(node.queues.isAttended(1, 600_000), true, 'but it may be used');
  t.equal(node.queues.unusedFor(1), Infinity);
  node.queues.find(queueId, 1);
  node.clock.advance(1000);
  t.equal(node.queues.unusedFor(1), 1000);
  node.queues.touchAll(3000);
  t.equal(node.queues.unusedFor(1), Infinity);
  node.clock.advance(4000);
  node.queues.find(queueId, 1);
  t.equal(node.queues.unusedFor(1), 0);
});
