import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { storedTime } from '../../../../../schemas/store/stored-time.js';
import { MODERN } from '../../../../fixtures/living-organization.js';
import { DeletingNode } from '../../../../fixtures/deleting-node.js';
import { DELETION_BATCH } from '../../../../../src/organization/messages/deletion/topic-deletions.js';
import { messageSource } from '../../../../../src/organization/state/load.js';

/** Turns of the event loop until something is so. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !holds(); i++) await nextTurn();
}

// [c:topic-deletion-batches]
void t.test(
  'messages are deleted in batches, newest first, each a commit of its own',
  async (t) => {
    const world = await DeletingNode.start();
    const { node, deletions, channel, owner } = world;
    const ids = await world.fill('lunch', 2 * DELETION_BATCH + 30);
    const other = await world.fill('dinner', 3);
    const queue = await node.register(owner.user_id, MODERN);
    const before = node.memory.journal.size;
    t.equal(await deletions.delete(channel, 'Lunch', owner), true, 'complete, by any spelling');
    t.equal(node.memory.journal.size - before, 4, 'the job, and three batches: four entries');
    const events = JSON.parse(`[${queue.pendingJson()}]`) as Record<string, unknown>[];
    const bodies = events.map(({ id: _id, ...body }) => body);
    t.strictSame(
      bodies.splice(2, 1),
      [
        {
          type: 'stream',
          op: 'update',
          stream_id: channel.stream_id,
          name: 'general',
          property: 'first_message_id',
          value: other[0],
        },
      ],
      'the oldest message went with the last batch',
    );
    t.strictSame(
      bodies,
      [
        [ids.length - DELETION_BATCH, ids.length],
        [ids.length - 2 * DELETION_BATCH, ids.length - DELETION_BATCH],
        [0, ids.length - 2 * DELETION_BATCH],
      ].map(([from, to]) => ({
        type: 'delete_message',
        message_type: 'stream',
        stream_id: channel.stream_id,
        topic: 'lunch',
        message_ids: ids.slice(from, to),
      })),
      'ids ascend inside an event',
    );
    t.equal(world.left('lunch'), 0);
    t.equal(world.left('dinner'), other.length, 'other topics stay');
    t.same(deletions.countByState(), {});
    t.same(world.faults, []);
  },
);

void t.test('a topic without messages is complete at once', async (t) => {
  const world = await DeletingNode.start();
  const before = world.node.journal.nextSeq;
  t.equal(await world.deletions.delete(world.channel, 'nothing', world.owner), true);
  t.equal(world.node.journal.nextSeq, before);
});

// [c:topic-deletion-resumed]
void t.test('partial when the time is over; a repeated request resumes', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  await world.fill('lunch', 3 * DELETION_BATCH);
  const answer = deletions.delete(channel, 'lunch', owner);
  await until(() => world.left('lunch') === 2 * DELETION_BATCH);
  node.clock.jumpTo(node.clock.now() + 50_000);
  t.equal(await answer, false);
  await until(() => deletions.countByState().deleting === undefined);
  t.same(deletions.countByState(), { partial: 1 }, 'the job rests');
  const left = world.left('lunch');
  t.ok(left > 0 && left <= 2 * DELETION_BATCH, 'some went');
  t.equal(await deletions.delete(channel, 'lunch', owner), true);
  t.equal(world.left('lunch'), 0);
});

void t.test('what is sent meanwhile stays', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  await world.fill('lunch', 2 * DELETION_BATCH);
  const answer = deletions.delete(channel, 'lunch', owner);
  await until(() => world.left('lunch') === DELETION_BATCH);
  const later = await world.fill('lunch', 2);
  t.equal(await answer, true);
  const { index } = node.org.messages;
  t.same(index.topic(channel.recipient_id, 'lunch')!.list.toArray(), later);
});

void t.test('concurrent requests for one topic share the job', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  await world.fill('lunch', 2 * DELETION_BATCH);
  const before = node.memory.journal.size;
  const answers = [1, 2, 3].map(() => deletions.delete(channel, 'lunch', owner));
  t.same(deletions.countByState(), { deleting: 1 });
  const { recipient_id: recipientId } = channel;
  const whole = { recipientId, deleted: 0, remaining: 2 * DELETION_BATCH };
  t.match(deletions.progress(), [{ ...whole, runningMs: 0, limitMs: 50_000 }]);
  await until(() => deletions.progress()[0]?.deleted !== 0);
  t.match(deletions.progress(), [{ deleted: DELETION_BATCH, remaining: DELETION_BATCH }]);
  t.same(await Promise.all(answers), [true, true, true]);
  t.equal(node.memory.journal.size - before, 3, 'the job, and two batches');
  t.same(deletions.progress(), []);
  t.same(deletions.countByState(), {});
});

void t.test('two topics are deleted side by side', async (t) => {
  const world = await DeletingNode.start();
  await world.fill('lunch', DELETION_BATCH + 1);
  await world.fill('dinner', DELETION_BATCH + 1);
  const { deletions, channel, owner } = world;
  const answers = ['lunch', 'dinner'].map((topic) => deletions.delete(channel, topic, owner));
  t.same(deletions.countByState(), { deleting: 2 });
  t.same(await Promise.all(answers), [true, true]);
});

void t.test('a message that very many starred makes its batch smaller', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  const ids = await world.fill('lunch', 10);
  node.runtime.transact(() => {
    for (let user = 1; user <= 1500; user++) {
      node.org.messageFlags.set(user, ids[9]!, 'starred', true);
      node.org.messageFlags.set(user, ids[8]!, 'starred', true);
    }
  });
  await node.journal.barrier();
  const before = node.memory.journal.size;
  t.equal(await deletions.delete(channel, 'lunch', owner), true);
  t.equal(
    node.memory.journal.size - before,
    3,
    'the job, and one for each of the starred messages and what follows',
  );
  t.equal(node.org.messageFlags.size, 0);
});

void t.test('nobody is answered before the batch is durable', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  await world.fill('lunch', 5);
  node.gate.holding = true;
  let answered = false;
  const answer = deletions.delete(channel, 'lunch', owner).finally(() => (answered = true));
  await node.gate.waiting(1);
  t.equal(world.left('lunch'), 0);
  for (let i = 0; i < 10; i++) await nextTurn();
  t.notOk(answered);
  await node.gate.held[0]!.accept();
  t.equal(await answer, true);
});

void t.test('a store that fails refuses; later a new request goes on', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  await world.fill('lunch', DELETION_BATCH + 5);
  node.gate.holding = true;
  const answer = deletions.delete(channel, 'lunch', owner);
  await node.gate.waiting(1);
  const recovered = node.recovered();
  node.gate.holding = false;
  node.gate.held[0]!.refuse(new Error('no disk'));
  await t.rejects(answer, /The store is not available/);
  await recovered;
  t.equal(await deletions.delete(channel, 'lunch', owner), true);
  t.equal(world.left('lunch'), 0);
  t.same(world.faults, [], 'which is no fault of the job');
});

void t.test('a server that stops answers and deletes no more', async (t) => {
  const world = await DeletingNode.start();
  const { deletions, channel, owner } = world;
  await world.fill('lunch', 3 * DELETION_BATCH);
  const answer = deletions.delete(channel, 'lunch', owner);
  await until(() => world.left('lunch') === 2 * DELETION_BATCH);
  deletions.stop();
  t.equal(await answer, false);
  const left = world.left('lunch');
  for (let i = 0; i < 10; i++) await nextTurn();
  t.equal(world.left('lunch'), left);
  t.throws(() => deletions.delete(channel, 'lunch', owner), /The server is stopping/);
});

// [c:topic-deletion-crash]
void t.test('a crash between batches loses nothing and keeps the progress', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  // So many that the job is under way when its process ends, however many batches go while it is waited for.
  const ids = await world.fill('lunch', 12 * DELETION_BATCH);
  void deletions.delete(channel, 'lunch', owner).catch(() => undefined);
  await until(() => world.left('lunch') === 11 * DELETION_BATCH);
  await node.journal.barrier();
  node.gate.holding = true;
  // No goodbye: a new process on what is stored.
  const again = await world.restart();
  const { index } = again.node.org.messages;
  const list = index.topic(channel.recipient_id, 'lunch')!.list.toArray();
  t.ok(list.length > 0 && list.length <= 11 * DELETION_BATCH);
  t.same(list, ids.slice(0, list.length), 'the oldest are left');
  const source = messageSource(again.node.gate.store);
  const stored = await source.getMany(ids);
  t.same(
    stored.map((document) => (document as { id: number } | undefined)?.id),
    ids.map((id, i) => (i < list.length ? id : undefined)),
    'documents went with their batches',
  );
  t.equal(await again.deletions.delete(again.channel, 'lunch', again.owner), true);
  t.equal(again.left('lunch'), 0);
});

void t.test('a job goes on by itself in the next process, with its count', async (t) => {
  const world = await DeletingNode.start();
  const { node, deletions, channel, owner } = world;
  await world.fill('lunch', 6 * DELETION_BATCH);
  void deletions.delete(channel, 'lunch', owner).catch(() => undefined);
  await until(() => world.left('lunch') === 4 * DELETION_BATCH);
  await node.journal.barrier();
  node.gate.holding = true;
  const again = await world.restart();
  t.match(again.node.org.topicDeletions.states.toRecord(), { deleting: 1 });
  const [job] = again.node.org.topicDeletions.values();
  t.ok(job!.context.deleted >= 2 * DELETION_BATCH);
  await until(() => again.left('lunch') === 0);
  t.equal(again.left('lunch'), 0, 'without another request');
  await again.node.journal.barrier();
  await until(() => again.node.org.topicDeletions.size === 0);
  t.equal(again.node.org.topicDeletions.size, 0);
});

void t.test('what a stored job does follows from its state', async (t) => {
  for (const value of ['deleting', 'partial', 'complete', 'failed'] as const) {
    const world = await DeletingNode.start();
    const { node, channel, owner } = world;
    const ids = await world.fill('lunch', 5);
    node.runtime.transact((tx) => {
      const context = {
        recipient_id: channel.recipient_id,
        topic: 'lunch',
        reader_id: null,
        actor_id: owner.user_id,
        newest: ids[3]!,
        deleted: 7,
        started_at: storedTime(tx.now),
        until: storedTime(tx.now, 50_000),
      };
      tx.org.topicDeletions.insert({ machine: 'topic-deletion', version: 2, value, context });
    });
    await node.journal.barrier();
    const again = await world.restart();
    for (let i = 0; i < 20; i++) await nextTurn();
    t.equal(again.left('lunch'), value === 'deleting' ? 1 : 5, value);
    const { states } = again.node.org.topicDeletions;
    t.same(states.toRecord(), value === 'partial' ? { partial: 1 } : {});
    t.equal(await again.deletions.delete(again.channel, 'lunch', again.owner), true);
    t.equal(again.left('lunch'), 0);
    t.same(states.toRecord(), {});
  }
});
