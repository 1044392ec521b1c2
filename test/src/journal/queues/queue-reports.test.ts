import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { QueueReport } from '../../../../src/journal/queues/queue-homes.js';
import { replacePlatform } from '../../../../src/platform/bound.js';
import { nodePlatform } from '../../../../src/platform/node-platform.js';
import { QueueReports } from '../../../../src/journal/queues/queue-reports.js';
import { CoreNode } from '../../../fixtures/core-node.js';

/** A follower's queues, and what it reports of them. */
async function setUp(t: Test) {
  const node = await CoreNode.start();
  const sent: QueueReport[] = [];
  const leader = { moved: [] as string[], ageMs: 0, isAway: false, asked: 0 };
  const reports = new QueueReports({
    node: 'far',
    queues: node.queues,
    now: () => node.steady.now(),
    head: () => 7,
    send: (report) => {
      leader.asked += 1;
      if (leader.isAway) return Promise.reject(new Error('the leader is away'));
      sent.push(report);
      const moved = leader.moved.splice(0);
      return Promise.resolve({ moved, moved_ages: moved.map(() => leader.ageMs) });
    },
    failed: () => undefined,
  });
  node.queues.shareWith(reports);
  const brief = await node.register(1, {}, 2000);
  const long = await node.register(1);
  mock.timers.enable({ apis: ['setTimeout'] });
  const time = { ...nodePlatform.time, monotonicTime: () => node.steady.now() };
  const restore = replacePlatform({ ...nodePlatform, time });
  t.teardown(() => {
    reports.stop();
    restore();
    mock.timers.reset();
  });
  reports.start();
  /** Lets time pass in steps of 50 ms. @returns what was reported of queues in use meanwhile */
  const pass = async (ms: number): Promise<QueueReport['kept'][number][]> => {
    const before = sent.length;
    for (let at = 0; at < ms; at += 50) {
      node.clock.advance(50);
      mock.timers.tick(50);
      await new Promise((done) => setImmediate(done));
    }
    return sent.slice(before).flatMap(({ kept }) => kept);
  };
  const use = (queue = brief): unknown => node.queues.find(queue.queueId, 1);
  return { node, sent, leader, brief, long, pass, use };
}

void t.test(
  'a queue that its client uses here is claimed at once, and then not again',
  async (t) => {
    const { sent, brief, long, pass, use } = await setUp(t);
    use(brief);
    use(long);
    await pass(50);
    t.same(
      sent.map(({ node, claimed }) => ({ node, claimed })),
      [{ node: 'far', claimed: [brief.queueId, long.queueId] }],
    );
    use(brief);
    await pass(100);
    t.same(
      sent.flatMap(({ claimed }) => claimed),
      [brief.queueId, long.queueId],
    );
  },
);

void t.test('a held queue is reported four times within its idle timeout', async (t) => {
  const { node, brief, pass, use } = await setUp(t);
  use();
  const poll = node.attach(brief);
  const held = [brief.queueId, 7, true];
  t.same(await pass(1100), [held, held], 'after 500 and 1000 ms');
  node.queues.consumers.release(brief, poll);
  t.same(await pass(1800), [[brief.queueId, 7, false]], 'that nobody holds it is said once');
});

void t.test(
  'a queue that is polled near the end of its idle time is reported at once',
  async (t) => {
    const { brief, pass, use } = await setUp(t);
    use();
    await pass(1000);
    t.same(await pass(900), [], 'nobody used it');
    use();
    t.same(await pass(50), [[brief.queueId, 7, false]]);
  },
);

void t.test('what the leader did not hear is said again', async (t) => {
  const { node, leader, brief, pass, use } = await setUp(t);
  use();
  const poll = node.attach(brief);
  await pass(600);
  node.queues.consumers.release(brief, poll);
  leader.isAway = true;
  t.same(await pass(600), []);
  leader.isAway = false;
  t.same(await pass(600), [[brief.queueId, 7, false]]);
});

void t.test(
  'a leader that refuses is asked four times a second, and not without end',
  async (t) => {
    const { leader, sent, brief, pass, use } = await setUp(t);
    leader.isAway = true;
    use();
    await pass(1000);
    t.ok(leader.asked > 1 && leader.asked <= 10, `${leader.asked} times in a second`);
    leader.isAway = false;
    await pass(300);
    t.same(
      sent.flatMap(({ claimed }) => claimed),
      [brief.queueId],
    );
  },
);

void t.test('a queue whose client went away and came back stays, and is claimed', async (t) => {
  const { node, sent, leader, brief, pass, use } = await setUp(t);
  use();
  node.attach(brief);
  await pass(100);
  const before = sent.length;
  // Meanwhile it was used elsewhere.
  await pass(50);
  use();
  const poll = node.attach(brief);
  Object.assign(leader, { moved: [brief.queueId], ageMs: 2000 });
  await pass(1000);
  t.same(poll.ended, [], 'the newest consumer is here');
  const claims = sent.slice(before).flatMap(({ claimed }) => claimed);
  t.same(claims, [brief.queueId], 'and the other node is to let go');
});

void t.test('a queue that moved away is let go', async (t) => {
  const { node, sent, leader, brief, pass, use } = await setUp(t);
  use();
  const poll = node.attach(brief);
  await pass(100);
  leader.moved = [brief.queueId];
  await pass(1000);
  t.same(poll.ended, ['superseded']);
  t.ok(brief.needsReplay);
  t.same(await pass(700), [], 'it is reported no more');
  use();
  await pass(50);
  t.same(sent.at(-1)?.claimed, [brief.queueId], 'until its client comes back');
});
