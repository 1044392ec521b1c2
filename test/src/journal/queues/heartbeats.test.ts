import t from 'tap';
import { CoreNode, eventsIn } from '../../../fixtures/core-node.js';
import { HEARTBEATS_PER_ENTRY } from '../../../../src/journal/queues/heartbeats.js';

const HEARTBEAT_MS = 45_000;
/** The wheel's granularity. */
const TICK_MS = 500;

function turn(): Promise<void> {
  return new Promise((done) => setImmediate(() => setImmediate(done)));
}

void t.test('heartbeats grow, and later events have larger ids', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  await node.runtime.tick(HEARTBEATS_PER_ENTRY);
  const socket = node.attach(queue, 'socket');
  for (let i = 0; i < 3; i++) node.clock.advance(HEARTBEAT_MS + TICK_MS);
  node.emit([1], 1);
  await node.journal.barrier();
  const ids = socket.heard.flatMap((json) => eventsIn(json)).map(({ id }) => id);
  t.equal(ids.length, 4);
  t.same(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
  t.match(eventsIn(socket.heard[0]!), [{ type: 'heartbeat' }]);
  t.strictSame(Object.keys(eventsIn(socket.heard[0]!)[0]!).sort(), ['id', 'type']);
});

void t.test(
  'where others get events, heartbeats have the ids of these, and write nothing',
  async (t) => {
    const node = await CoreNode.start();
    const queue = await node.register(1);
    const socket = node.attach(queue, 'socket');
    for (let n = 0; n < 5; n++) {
      const seq = node.emit([2], n);
      await node.journal.barrier();
      node.clock.advance(HEARTBEAT_MS + TICK_MS);
      t.equal(eventsIn(socket.heard[n]!)[0]!.id, seq);
      t.equal(node.journal.nextSeq, seq + 1);
    }
    const seq = node.emit([1], 5);
    await node.journal.barrier();
    t.match(
      eventsIn(queue.pendingJson()),
      [{ type: 'note', id: seq }],
      'a later event has a later id',
    );
    const { newestId } = queue;
    const next = await node.restart();
    const restored = next.queues.get(queue.queueId)!;
    await next.queues.restore(restored, newestId - 1);
    t.match(eventsIn(restored.pendingJson()), [{ type: 'note', id: seq }]);
  },
);

void t.test('a heartbeat that waited is not given to another consumer', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.attach(queue);
  queue.issueHeartbeat(node.journal.nextSeq - 1);
  node.clock.advance(HEARTBEAT_MS + TICK_MS);
  const newer = node.attach(queue);
  await node.journal.barrier();
  await turn();
  t.same(newer.heard, []);
});

void t.test('a heartbeat without a store is left out, and nothing breaks', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  const poll = node.attach(queue);
  queue.issueHeartbeat(node.journal.nextSeq - 1);
  await node.journal.close();
  node.clock.advance(HEARTBEAT_MS + TICK_MS);
  await turn();
  t.same(poll.heard, []);
  t.same(node.faults, []);
  t.equal(queue.consumer, poll, 'it is still waited on');
});
