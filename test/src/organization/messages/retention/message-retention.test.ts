import t from 'tap';
import type { AttachmentDocument } from '../../../../../schemas/uploads/uploads.js';
import {
  ARCHIVE_COLLECTION,
  ARCHIVE_INDEX,
} from '../../../../../src/organization/messages/retention/archives.js';
import { retentionDays } from '../../../../../src/organization/messages/retention/expired-messages.js';
import { restoreMessages } from '../../../../../src/organization/messages/retention/restore-messages.js';
import { addAttachment, newPathId } from '../../../../../src/organization/uploads/attachments.js';
import { AgingNode, KEPT_DAYS } from '../../../../fixtures/aging-node.js';
import { PLAIN } from '../../../../fixtures/living-organization.js';
import type { EventQueue } from '../../../../../src/journal/queues/event-queue.js';

type Body = Record<string, unknown>;

function bodies(queue: EventQueue): Body[] {
  return (JSON.parse(`[${queue.pendingJson()}]`) as Body[]).map(({ id: _id, ...body }) => body);
}

void t.test('the period of a channel precedes that of the organization', (t) => {
  const realm = (message_retention_days: number) => ({ message_retention_days });
  const channel = (message_retention_days: number | null) => ({ message_retention_days });
  t.equal(retentionDays(realm(-1), null), null, 'for ever');
  t.equal(retentionDays(realm(7), null), 7, 'direct messages follow the organization');
  t.equal(retentionDays(realm(7), channel(null)), 7, 'inherited');
  t.equal(retentionDays(realm(7), channel(30)), 30);
  t.equal(retentionDays(realm(7), channel(-1)), null, 'for ever, in an organization that forgets');
  t.equal(retentionDays(realm(-1), channel(3)), 3);
  t.end();
});

void t.test('messages past the period go as a deletion by the server', async (t) => {
  const node = await AgingNode.start();
  const { channel } = node.world;
  const old = [...(await node.world.fill('lunch', 3)), ...(await node.world.fill('dinner', 2))];
  const direct = await node.tell('psst');
  node.pass(4);
  const young = await node.world.fill('lunch', 2);
  node.pass(4);
  t.same(await node.retention.run(), { removed: 0, dropped: 0, more: false }, 'kept for ever');
  await node.keep(7);
  const [modern, plain] = [await node.listen(), await node.listen(PLAIN)];
  const result = await node.retention.run();
  t.ok(result.removed >= old.length + 1, 'and what the organization began with');
  t.same(node.there([...old, direct, ...young]), young);
  const told = bodies(modern).filter(({ type }) => type === 'delete_message');
  const place = { type: 'delete_message', message_type: 'stream', stream_id: channel.stream_id };
  for (const body of [
    { ...place, topic: 'lunch', message_ids: old.slice(0, 3) },
    { ...place, topic: 'dinner', message_ids: old.slice(3) },
    { type: 'delete_message', message_type: 'private', message_ids: [direct] },
  ]) {
    t.ok(
      told.some((one) => JSON.stringify(one) === JSON.stringify(sorted(one, body))),
      JSON.stringify(body),
    );
  }
  const single = bodies(plain).filter(({ type }) => type === 'delete_message');
  t.equal(single.length, result.removed, 'one by one, without the capability');
  t.ok(single.some(({ message_id }) => message_id === old[0]));
  t.ok(
    bodies(modern).some((one) => one.property === 'first_message_id' && one.value === young[0]),
    'the oldest message is another one',
  );
  t.same(await node.retention.run(), { removed: 0, dropped: 0, more: false });
});

/** The properties of `body` in the order of `like`. */
function sorted(like: Body, body: Body): Body {
  return Object.fromEntries(Object.keys(like).map((name) => [name, body[name]]));
}

// [c:channel-retention]
void t.test('a channel has a period of its own', async (t) => {
  const node = await AgingNode.start();
  const ids = await node.world.fill('lunch', 3);
  const direct = await node.tell('psst');
  await node.keep(7);
  await node.keep(-1, node.world.channel);
  node.pass(8);
  await node.retention.run();
  t.same(node.there([...ids, direct]), ids, 'for ever');
  await node.keep(9, node.world.channel);
  await node.retention.run();
  t.same(node.there(ids), ids, 'longer');
  node.pass(1);
  await node.retention.run();
  t.same(node.there(ids), [], 'to the second');
});

void t.test('in batches, each durable by itself; a crash between them loses nothing', async (t) => {
  const node = await AgingNode.start();
  const ids = await node.world.fill('lunch', 1200);
  const more = await node.world.fill('dinner', 300);
  await node.keep(1);
  node.pass(2);
  const { gate } = node.node;
  gate.holding = true;
  void node.retention.run().catch(() => undefined);
  await gate.waiting(1);
  await gate.held[0]!.accept();
  await gate.waiting(2);
  t.ok(gate.held[0]!.commit.writes.length < 200 + 20, 'one batch');
  // The process dies with the second batch on its way.
  const after = await node.restart();
  const left = after.there([...ids, ...more]);
  t.ok(left.length > 900 && left.length < 1500, `${left.length} left`);
  const archived = after.archives;
  t.ok(archived > 0);
  t.match(await after.retention.run(), { more: false });
  t.same(after.there([...ids, ...more]), []);
  const { store } = after.node.gate;
  const kept: number[] = [];
  for await (const batch of store.scan(ARCHIVE_COLLECTION)) {
    for (const { document } of batch) {
      for (const { id } of document.messages as unknown as { id: number }[]) kept.push(id);
    }
  }
  const wanted = new Set([...ids, ...more]);
  t.same(
    kept.filter((id) => wanted.has(id)).sort((a, b) => a - b),
    [...wanted].sort((a, b) => a - b),
    'each was archived once',
  );
});

void t.test('a pass tells queues of a bounded number of deletions', async (t) => {
  const node = await AgingNode.start();
  const ids: number[] = [];
  for (let i = 0; i < 1700; i++) ids.push(...(await node.world.fill(`topic ${i}`, 1)));
  await node.keep(1);
  node.pass(2);
  const queue = await node.listen();
  const first = await node.retention.run();
  t.equal(first.more, true);
  const told = bodies(queue).filter(({ type }) => type === 'delete_message').length;
  t.ok(told >= 1000 && told < 1600, `${told} events`);
  t.match(await node.retention.run(), { more: false });
  t.same(node.there(ids), []);
});

void t.test('what changes while a batch is read is archived as it is', async (t) => {
  const node = await AgingNode.start();
  const [edited, moved, gone, same] = (await node.world.fill('lunch', 4)) as [
    number,
    number,
    number,
    number,
  ];
  await node.keep(1);
  node.pass(2);
  const { messages } = node.org;
  const fetch = messages.fetch.bind(messages);
  messages.fetch = async (ids, cached) => {
    const documents = await fetch(ids, cached);
    messages.fetch = fetch;
    node.node.runtime.transact((tx) => {
      const document = (id: number) => documents.get(id)!;
      messages.update(document(edited), { content: 'newer' }, tx.seq);
      messages.update(document(moved), { topic: 'elsewhere' }, tx.seq);
      messages.delete(document(gone));
    });
    return documents;
  };
  await node.retention.run();
  t.same(node.there([edited, moved, gone, same]), []);
  const archived: Body[] = [];
  for await (const batch of node.node.gate.store.scan(ARCHIVE_COLLECTION)) {
    for (const { document } of batch) archived.push(...(document.messages as unknown as Body[]));
  }
  const mine = archived.filter(({ id }) => Number(id) >= edited);
  t.match(
    mine.sort((a, b) => Number(a.id) - Number(b.id)),
    [
      { id: edited, content: 'newer', topic: 'lunch' },
      { id: moved, content: 'x', topic: 'elsewhere' },
      { id: same, content: 'x' },
    ],
  );
  t.equal(mine.length, 3, 'what was deleted is not kept');
});

void t.test('a message from the future, of a clock that was wrong, stops nothing', async (t) => {
  const node = await AgingNode.start();
  const [wrong, ...ids] = await node.world.fill('lunch', 4);
  const { messages } = node.org;
  const documents = await messages.fetch([wrong!]);
  const timestamp = Math.floor(node.node.clock.now() / 1000) + 3650 * 86_400;
  node.node.runtime.transact((tx) =>
    messages.update(documents.get(wrong!)!, { timestamp }, tx.seq),
  );
  await node.keep(1);
  node.pass(2);
  await node.retention.run();
  t.same(node.there([wrong!, ...ids]), [wrong]);
});

void t.test('files stay while their messages can be restored, and not longer', async (t) => {
  const node = await AgingNode.start();
  const path_id = newPathId('plan.txt');
  const file = node.node.runtime.transact((tx) =>
    addAttachment(tx, node.world.owner, { name: 'plan.txt', path_id, size: 4 }),
  );
  await node.tell('see', [path_id]);
  await node.keep(1);
  node.pass(2);
  const queue = await node.listen();
  await node.retention.run();
  const now = (): AttachmentDocument => node.org.attachments.get(file.id)!;
  t.same(now().message_ids, []);
  t.notOk(node.org.attachments.unclaimed.has(file.id), 'still claimed');
  const update = bodies(queue).find(({ type }) => type === 'attachment');
  t.match(update, { op: 'update', attachment: { id: file.id, message_ids: [] } });
  t.notOk('archived_message_ids' in (update!.attachment as object), 'no news to its uploader');
  const restarted = await node.restart();
  t.notOk(restarted.org.attachments.unclaimed.has(file.id), 'also after a restart');
  node.pass(KEPT_DAYS);
  t.match(await node.retention.run(), { more: false });
  t.ok(node.org.attachments.unclaimed.has(file.id), 'free to go');
  t.equal(now().released_at, Math.floor(node.node.clock.now() / 1000), 'from now on');
});

void t.test(`archives are dropped after ${KEPT_DAYS} days`, async (t) => {
  const node = await AgingNode.start();
  const ids = await node.world.fill('lunch', 5);
  await node.keep(1);
  node.pass(2);
  const { removed } = await node.retention.run();
  t.ok(removed >= ids.length);
  t.ok(node.archives > 0);
  await node.keep(-1);
  node.pass(KEPT_DAYS - 1);
  t.match(await node.retention.run(), { dropped: 0 });
  node.pass(1);
  t.same(await node.retention.run(), { removed: 0, dropped: removed, more: false });
  t.equal(node.archives, 0);
  t.equal(node.node.memory.due.get(ARCHIVE_INDEX)?.size, 0);
});

void t.test(
  'the due index drops no archive early, and none is kept because it lacks it',
  async (t) => {
    const first = await AgingNode.start();
    await first.world.fill('lunch', 5);
    await first.keep(1);
    first.pass(2);
    const { removed } = await first.retention.run();
    await first.keep(-1);
    const slots = first.node.memory.due.get(ARCHIVE_INDEX)!;
    const whole = new Map(slots);
    for (const id of slots.keys()) slots.set(id, 1);
    t.match(await first.retention.run(), { dropped: 0 });
    t.ok(first.archives > 0);
    const floored = [...whole].map(([id, at]) => [id, at - (at % 1000)]);
    t.strictSame([...slots], floored, 'as the documents say');

    slots.clear();
    const node = await first.restart();
    t.match(await node.retention.run(), { dropped: 0 });
    t.strictSame(node.remade, [floored.length]);
    t.strictSame([...node.node.memory.due.get(ARCHIVE_INDEX)!], floored);
    node.pass(KEPT_DAYS);
    t.match(await node.retention.run(), { dropped: removed });
    t.equal(node.archives, 0);
    t.strictSame(node.remade, [floored.length]);
  },
);

void t.test('ids of archives that another history skipped are not asked for', async (t) => {
  const first = await AgingNode.start();
  const expire = async (): Promise<void> => {
    await first.world.fill('lunch', 5);
    await first.keep(1);
    first.pass(2);
    await first.retention.run();
    await first.keep(-1);
  };
  await expire();
  const { node: before } = first;
  before.runtime.transact((tx) => tx.org.counters.skip('message_archive', 28_000_000));
  await before.journal.barrier();
  await expire();
  const ids = [...before.memory.collections.get(ARCHIVE_COLLECTION)!.keys()].map(Number);
  t.ok(ids.some((id) => id > 28_000_000) && ids.some((id) => id < 100));
  before.memory.due.get(ARCHIVE_INDEX)!.clear();
  const { node, remade, retention } = await first.restart();
  const { store } = node.gate;
  const getMany = store.getMany.bind(store);
  let asked = 0;
  store.getMany = (keys) => {
    if (keys[0]?.collection === ARCHIVE_COLLECTION) asked += keys.length;
    return getMany(keys);
  };
  await retention.run();
  t.strictSame(remade, [ids.length]);
  t.equal(node.memory.due.get(ARCHIVE_INDEX)!.size, ids.length);
  t.ok(
    asked <= 1500,
    `${asked} were asked for: the first and the last ones, and one reach between`,
  );
});

void t.test('an operator who keeps nothing', async (t) => {
  const node = await AgingNode.start(null);
  const ids = await node.world.fill('lunch', 5);
  await node.keep(1);
  node.pass(2);
  await node.retention.run();
  t.same(node.there(ids), []);
  t.equal(node.archives, 0);
});

void t.test('restored: the messages, their stars, their files', async (t) => {
  const node = await AgingNode.start();
  const { owner } = node.world;
  const path_id = newPathId('plan.txt');
  const file = node.node.runtime.transact((tx) =>
    addAttachment(tx, owner, { name: 'plan.txt', path_id, size: 4 }),
  );
  const ids = await node.world.fill('lunch', 3);
  const direct = await node.tell('see', [path_id]);
  node.node.runtime.transact((tx) =>
    tx.org.messageFlags.set(owner.user_id, ids[1]!, 'starred', true),
  );
  await node.node.journal.barrier();
  const before = await node.org.messages.fetch([...ids, direct]);
  await node.keep(1);
  node.pass(2);
  await node.retention.run();
  const stopped = async (wanted: readonly string[]) => {
    const { store } = node.node.gate;
    node.node.memory.held = false;
    const lease = (await store.acquireLease('operator', 1000))!;
    const options = { now: () => node.node.clock.now(), still: () => Promise.resolve() };
    return restoreMessages(store, lease, wanted, options);
  };
  const refused = await stopped(['general']);
  t.same([...refused.restored], [], 'they would go again');
  t.match([...refused.refused], [['#general', { days: 1 }]]);
  await t.rejects(stopped(['nowhere']), { message: 'There is no channel nowhere' });

  const again = await node.restart();
  await again.keep(-1);
  const done = await (async () => {
    const { store } = again.node.gate;
    again.node.memory.held = false;
    const lease = (await store.acquireLease('operator', 1000))!;
    const options = { now: () => again.node.clock.now(), still: () => Promise.resolve() };
    const channel = await restoreMessages(store, lease, ['#General'], options);
    t.same([...channel.restored.keys()], ['#general'], 'only what was asked for');
    return restoreMessages(store, lease, [], options);
  })();
  t.same(done.refused.size, 0);
  const after = await again.restart();
  t.same(await after.org.messages.fetch([...ids, direct]), before, 'as they were');
  t.ok(after.org.messageFlags.of(owner.user_id, ids[1]!)?.starred);
  t.same(after.org.attachments.get(file.id)!.message_ids, [direct]);
  t.equal(after.archives, 0);
  t.equal(after.node.memory.due.get(ARCHIVE_INDEX)?.size, 0);
  t.same(await after.retention.run(), { removed: 0, dropped: 0, more: false });
  const next = await after.world.fill('lunch', 1);
  t.ok(next[0]! > direct, 'and ids go on');
});
