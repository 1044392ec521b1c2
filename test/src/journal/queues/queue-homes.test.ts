import t from 'tap';
import { QueueHomes } from '../../../../src/journal/queues/queue-homes.js';
import { CoreNode, type NodeSettings } from '../../../fixtures/core-node.js';

const SECOND = 1000;

const lastIdOf = (seq: number): number => seq;

/** A leader, and what the follower `far` reports to it. */
async function setUp(settings: NodeSettings = {}) {
  const node = await CoreNode.start(settings);
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
  report({ claimed: [id] });
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
  report({ claimed: [id], kept: [[id, 1, true]] });
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
  report({ claimed: [id] });
  homes.used(brief);
  node.queues.end(brief, 'delete');
  t.same(report({}), { moved: [] }, 'the journal says why it ended');
});

void t.test('what a client acknowledges at one node drops its events at another', async (t) => {
  const { node, homes, report, brief, id } = await setUp();
  const seq = node.emit([1], 1);
  await node.journal.barrier();
  const event = lastIdOf(seq);
  report({ claimed: [id] });
  node.queues.acknowledge(id, 1, event);
  t.equal(brief.acknowledgedId, -1, 'the leader does not serve the queue');
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

void t.test('a node that did not hear that a queue left hears it again', async (t) => {
  const { node, homes, report, id } = await setUp();
  report({ claimed: [id] });
  homes.report({ node: 'third', claimed: [id], kept: [], overflowed: [] });
  t.same(report({}).moved, [id], 'a reply that is lost');
  node.clock.advance(300);
  const heard = { moved: [id], moved_ages: [300] };
  t.same(
    report({ kept: [[id, 1, true]] }),
    heard,
    'it can tell whether its client came back since',
  );
});

void t.test('a leader that serves a queue says so to a node that says the same', async (t) => {
  const { node, homes, report, brief, id } = await setUp();
  node.queues.find(id, 1);
  const poll = node.attach(brief);
  node.clock.advance(200);
  const kept = report({ kept: [[id, 1, true]] });
  t.same(kept, { moved: [id], moved_ages: [200] }, 'with the time at which its client came');
  t.notOk(homes.isElsewhere(brief));
  t.same(poll.ended, []);
  report({ claimed: [id] });
  t.ok(homes.isElsewhere(brief), 'who knows of a later time claims it');
  t.same(poll.ended, ['superseded']);
  t.ok(brief.needsReplay);
});

void t.test('a new leader is told of queues that it has not served', async (t) => {
  const former = await setUp();
  const node = await former.node.restart();
  const homes = new QueueHomes(node.queues, () => node.steady.now(), true);
  node.queues.shareWith(homes);
  const { id } = former;
  const queue = node.queues.get(id)!;
  const report = (name: string, kept: boolean) =>
    homes.report({ node: name, claimed: [], kept: kept ? [[id, 1, true]] : [], overflowed: [] });
  t.same(report('far', true), { moved: [] });
  t.ok(homes.isElsewhere(queue));
  node.clock.advance(1);
  node.queues.find(id, 1);
  t.same(report('far', false).moved, [id], 'its client came here, and its events are not read yet');
  t.same(report('far', true).moved, [id]);
});

void t.test('a queue that is served elsewhere is not ended by what waits here', async (t) => {
  const limits = { maxEvents: 2, maxBytes: 1_000_000 };
  const { node, report, brief, id, exists } = await setUp({ limits });
  node.queues.find(id, 1);
  const poll = node.attach(brief);
  report({});
  const seqs = [1, 2, 3].map((value) => node.emit([1], value));
  await node.journal.barrier();
  t.same(poll.ended, ['draining'], 'who is here is to come back: the queue has not ended');
  t.ok(exists(), 'another node may have it, and could not tell yet');
  t.equal(brief.length, 0, 'nothing is held for it');
  await node.queues.restore(brief, lastIdOf(seqs[0]!));
  t.equal(brief.length, 2, 'its client has gone on there, and comes back');
  node.queues.moveAway(id);
  const last = node.emit([1], 4);
  await node.journal.barrier();
  await t.rejects(node.queues.restore(brief, lastIdOf(last - 3)), { code: 'BAD_EVENT_QUEUE_ID' });
  t.notOk(exists(), 'it has missed more than it may');
});

void t.test('where nobody else serves queues, one that exceeds its bounds ends', async (t) => {
  const { node, exists } = await setUp({ limits: { maxEvents: 2, maxBytes: 1_000_000 } });
  for (const value of [1, 2, 3]) node.emit([1], value);
  await node.journal.barrier();
  t.notOk(exists());
});
