import t from 'tap';
import { QueueHomes } from '../../../../src/journal/queues/queue-homes.js';
import { eventId } from '../../../../src/journal/entry.js';
import { CoreNode } from '../../../fixtures/core-node.js';

const SECOND = 1000;

const lastIdOf = (seq: number): number => eventId(seq, 0);

/** A leader, and what the follower `far` reports to it. */
async function setUp() {
  const node = await CoreNode.start();
  const homes = new QueueHomes(node.queues, () => node.steady.now());
  node.queues.shareWith(homes);
  const report = (parts: Partial<Parameters<QueueHomes['report']>[0]>) =>
    homes.report({ node: 'far', claimed: [], kept: [], overflowed: [], ...parts });
  const brief = await node.register(1, {}, SECOND);
  const exists = (): boolean => !brief.hasEnded;
  return { node, homes, report, brief, id: brief.queueId, exists };
}

void t.test('a queue lives as long as another node holds a consumer of it', async (t) => {
  const { node, report, id, exists } = await setUp();
  report({ claimed: [id] });
  report({ kept: [[id, 1, true]] });
  node.clock.advance(9 * SECOND);
  t.ok(exists(), 'held');
  report({ kept: [[id, 1, false]] });
  node.clock.advance(0.9 * SECOND);
  t.ok(exists(), 'its idle time counts from the report that nobody holds it');
  node.clock.advance(1.5 * SECOND);
  t.notOk(exists());
});

void t.test('a queue whose node is lost expires, however it was held', async (t) => {
  const { node, homes, report, id, exists } = await setUp();
  report({ claimed: [id], kept: [] });
  report({ kept: [[id, 1, true]] });
  node.clock.advance(9 * SECOND);
  homes.forgetLost();
  t.ok(exists(), 'not lost yet');
  node.clock.advance(2 * SECOND);
  homes.forgetLost();
  node.clock.advance(1.5 * SECOND);
  t.notOk(exists(), 'the last report is older than its idle timeout');
});

void t.test('a queue that its client takes elsewhere is not held where it was', async (t) => {
  const { node, homes, report, id, exists } = await setUp();
  report({ kept: [[id, 1, true]] });
  const { moved } = homes.report({ node: 'third', claimed: [id], kept: [], overflowed: [] });
  t.same(moved, []);
  node.clock.advance(100);
  t.same(report({}), { moved: [id], moved_ages: [100] }, 'the former node hears of it');
  report({ kept: [[id, 1, true]] });
  node.clock.advance(0.8 * SECOND);
  t.ok(exists());
  node.clock.advance(1.5 * SECOND);
  t.notOk(exists(), 'what the former node still says does not keep it');
});

void t.test('a queue that comes back is not said to have left', async (t) => {
  const { homes, report, id } = await setUp();
  report({ claimed: [id] });
  homes.report({ node: 'third', claimed: [id], kept: [], overflowed: [] });
  t.same(report({ claimed: [id] }).moved, []);
  t.same(homes.report({ node: 'third', claimed: [], kept: [], overflowed: [] }).moved, [id]);
});

void t.test('room for a queue is never made by one that another node holds', async (t) => {
  const { node, report, brief, id } = await setUp();
  report({ kept: [[id, 1, true]] });
  node.clock.advance(0.5 * SECOND);
  const younger = await node.register(1);
  for (let i = 2; i < 300; i++) await node.register(1);
  t.notOk(brief.hasEnded);
  t.notOk(younger.hasEnded);
  await node.register(1);
  t.notOk(brief.hasEnded, 'unused here for longest, but held there');
  t.ok(younger.hasEnded);
});

void t.test('a queue that its client deletes at the leader has not moved there', async (t) => {
  const { node, homes, report, id, brief } = await setUp();
  report({ kept: [[id, 1, true]] });
  homes.used(brief);
  node.queues.end(brief, 'delete');
  t.same(report({}), { moved: [] }, 'the journal says why it ended');
});

void t.test('what a client acknowledges at one node drops its events at another', async (t) => {
  const { node, homes, report, brief, id } = await setUp();
  const seq = node.emit([1], 1);
  await node.journal.barrier();
  const event = lastIdOf(seq);
  report({ kept: [[id, 1, true]] });
  node.queues.acknowledge(id, 1, event);
  t.equal(brief.length, 1, 'the leader does not serve the queue');
  t.same(report({}), { moved: [], acknowledged: [[id, event]] });
  t.same(report({}), { moved: [] }, 'once');
  homes.report({
    node: 'third',
    claimed: [],
    kept: [],
    overflowed: [],
    acknowledged: [
      [id, event],
      ['gone', 1],
    ],
  });
  t.same(report({}), { moved: [], acknowledged: [[id, event]] }, 'by way of the leader');

  const own = await node.register(1);
  const later = node.emit([1], 2);
  await node.journal.barrier();
  report({ acknowledged: [[own.queueId, lastIdOf(later) + 1_000_000]] });
  t.equal(own.length, 1, 'an id that nobody gave');
  report({ acknowledged: [[own.queueId, lastIdOf(later)]] });
  t.equal(own.length, 0, 'a queue that the leader serves');
});
