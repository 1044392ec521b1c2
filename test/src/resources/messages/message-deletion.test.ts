import t, { type Test } from 'tap';
import { deleteTopic } from '../../../../schemas/messages/message-deletion.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { ApiError } from '../../../../src/errors/index.js';
import { checkAccess } from '../../../../src/organization/access/endpoint-access.js';
import type { TopicDeletions } from '../../../../src/organization/messages/deletion/topic-deletions.js';
import { messageDeletionHandlers } from '../../../../src/resources/messages/message-deletion.js';
import { TestOrganization, type Outcome } from '../../../fixtures/chat-organization.js';
import { DeletingNode } from '../../../fixtures/deleting-node.js';
import { handlerOf } from '../../../fixtures/handler-of.js';

const handlers = messageDeletionHandlers(null as unknown as TopicDeletions);
const deletion = handlerOf(handlers, 'delete-message');
const topicDeletion = handlerOf(handlers, 'delete-topic');

/** Calls `DELETE /messages/{id}`; `between` happens after the first look at the message. */
async function remove(
  test: TestOrganization,
  user: UserDocument,
  message_id: number,
  between: () => void = () => undefined,
): Promise<Outcome<object>> {
  const request = { params: { message_id }, user } as never;
  const loaded = await (async () => deletion.prepare!(test.org, request))();
  between();
  return test.run((tx) => deletion.run(tx, request, loaded));
}

async function refused(t: Test, answer: Promise<unknown>, wording: string): Promise<void> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  t.ok(error instanceof ApiError, wording);
  t.strictSame((error as ApiError).body(), { result: 'error', msg: wording, code: 'BAD_REQUEST' });
}

const NO_PERMISSION = "You don't have permission to delete this message";
const TOO_LATE = 'The time limit for deleting this message has passed';
const INVALID = 'Invalid message(s)';

/** An owner, an administrator, two members and a guest in a public channel. */
function team(realm: Partial<RealmDocument> = {}) {
  const test = new TestOrganization(realm);
  const admin = test.user({ role: ROLE.administrator });
  const [ann, bob] = [test.user(), test.user()];
  const guest = test.user({ role: ROLE.guest });
  const channel = test.channel();
  for (const user of [ann, bob]) test.subscribe(user, channel);
  return { test, admin, ann, bob, guest, channel };
}

void t.test('own message, with can_delete_own_message_group of the organization', async (t) => {
  const { test, ann, bob, channel } = team();
  test.message(channel, ann);
  const { id } = test.message(channel, ann);
  const { result, events } = await remove(test, ann, id);
  t.strictSame(result, {}, 'an empty success');
  t.notOk(test.org.messages.has(id));
  t.strictSame(
    events.map(({ type, audience, slots }) => ({ type, audience, slots })),
    [
      {
        type: 'delete_message',
        audience: { to: 'subscribers', channel: channel.stream_id },
        slots: 1,
      },
    ],
  );
  t.strictSame(events[0]!.data, {
    message_type: 'stream',
    message_ids: [id],
    stream_id: channel.stream_id,
    topic: 'topic',
  });
  const other = test.message(channel, ann).id;
  await refused(t, remove(test, bob, other), NO_PERMISSION);
  t.ok(test.org.messages.has(other), 'a refusal changes nothing');
});

void t.test('own message without the right', async (t) => {
  const nobody = new TestOrganization().system('role:nobody');
  const { test, ann, channel } = team({ can_delete_own_message_group: nobody });
  await refused(t, remove(test, ann, test.message(channel, ann).id), NO_PERMISSION);
});

void t.test("own message, with the channel's can_delete_own_message_group", async (t) => {
  const nobody = new TestOrganization().system('role:nobody');
  const { test, ann, bob } = team({ can_delete_own_message_group: nobody });
  const group = { direct_members: [ann.user_id], direct_subgroups: [] };
  const channel = test.channel({ can_delete_own_message_group: group });
  await remove(test, ann, test.message(channel, ann).id);
  await refused(t, remove(test, bob, test.message(channel, bob).id), NO_PERMISSION);
});

void t.test("a message of a bot one owns counts as one's own", async (t) => {
  const { test, ann, bob, channel } = team();
  const bot = test.user({ is_bot: true, bot_type: 1, bot_owner_id: ann.user_id });
  await refused(t, remove(test, bob, test.message(channel, bot).id), NO_PERMISSION);
  await remove(test, ann, test.message(channel, bot).id);
});

void t.test('any message, with can_delete_any_message_group of the organization', async (t) => {
  const { test, admin, ann, channel } = team({ message_content_delete_limit_seconds: 60 });
  const { id } = test.message(channel, ann, { timestamp: test.seconds - 1_000_000 });
  await remove(test, admin, id);
  t.notOk(test.org.messages.has(id), 'no time limit applies');
});

void t.test("any message, with the channel's can_delete_any_message_group", async (t) => {
  const { test, ann, bob } = team({ message_content_delete_limit_seconds: 60 });
  const group = { direct_members: [bob.user_id], direct_subgroups: [] };
  const channel = test.channel({ can_delete_any_message_group: group });
  const { id } = test.message(channel, ann, { timestamp: test.seconds - 1_000_000 });
  await remove(test, bob, id);
  t.notOk(test.org.messages.has(id));
});

void t.test(
  'message_content_delete_limit_seconds bounds how old an own message may be',
  async (t) => {
    const { test, ann, channel } = team({ message_content_delete_limit_seconds: 60 });
    const at = (age: number) => test.message(channel, ann, { timestamp: test.seconds - age }).id;
    await remove(test, ann, at(60));
    await refused(t, remove(test, ann, at(61)), TOO_LATE);
  },
);

void t.test('without a time limit the sender deletes a message of any age', async (t) => {
  const { test, ann, channel } = team({ message_content_delete_limit_seconds: null });
  const { id } = test.message(channel, ann, { timestamp: 1 });
  await remove(test, ann, id);
  t.notOk(test.org.messages.has(id));
});

void t.test('a message that does not exist, or that the caller does not see', async (t) => {
  const { test, admin, ann, guest, channel } = team();
  await refused(t, remove(test, admin, 999), INVALID);
  await refused(t, remove(test, admin, 2 ** 50), INVALID);
  const secret = test.channel({ invite_only: true });
  const hidden = test.message(secret, ann).id;
  await refused(t, remove(test, admin, hidden), INVALID);
  await refused(t, remove(test, guest, test.message(channel, ann).id), INVALID);
  t.ok(test.org.messages.has(hidden));
});

void t.test('a message of an archived channel can be read, not deleted', async (t) => {
  const { test, admin, ann } = team();
  const channel = test.channel({ is_archived: true });
  await refused(t, remove(test, admin, test.message(channel, ann).id), INVALID);
});

void t.test('a message that somebody else deleted meanwhile', async (t) => {
  const { test, admin, ann, channel } = team();
  const { id } = test.message(channel, ann);
  const both = remove(test, ann, id, () => {
    test.run((tx) => deletion.run(tx, { params: { message_id: id }, user: admin } as never, null));
  });
  await refused(t, both, 'Message already deleted');
  await refused(t, remove(test, ann, id), INVALID);
});

void t.test('a right that was lost meanwhile', async (t) => {
  const { test, ann, channel } = team();
  const { id } = test.message(channel, ann);
  const late = remove(test, ann, id, () => {
    const nobody = test.system('role:nobody');
    test.run((tx) => tx.org.realm.update('realm', { can_delete_own_message_group: nobody }));
  });
  await refused(t, late, NO_PERMISSION);
  t.ok(test.org.messages.has(id));
});

void t.test('a direct message goes for all participants', async (t) => {
  const { test, ann, bob } = team();
  const gone = test.user({ is_active: false });
  const user_ids = [ann.user_id, bob.user_id, gone.user_id];
  test.load('conversation', { recipient_id: 900, user_ids });
  const direct = { recipient_id: 900, stream_id: null, topic: '' };
  const { id } = test.message(test.channel(), ann, direct);
  await refused(t, remove(test, bob, id), NO_PERMISSION);
  const { events } = await remove(test, ann, id);
  t.strictSame(
    events.map(({ audience, data }) => ({ audience, data })),
    [
      {
        audience: { to: 'users', users: [ann.user_id, bob.user_id] },
        data: { message_type: 'private', message_ids: [id] },
      },
    ],
  );
});

// [c:delete-topic-refused]
void t.test('delete_topic: a caller who is no administrator is refused', async (t) => {
  t.equal(deleteTopic.access, 'administrator');
  const test = new TestOrganization();
  for (const role of [ROLE.moderator, ROLE.member, ROLE.guest]) {
    const user = test.user({ role });
    try {
      checkAccess(deleteTopic, user);
      t.fail('was allowed');
    } catch (error) {
      t.strictSame((error as ApiError).body(), {
        result: 'error',
        msg: 'Must be an organization administrator',
        code: 'UNAUTHORIZED_PRINCIPAL',
      });
    }
  }
  for (const role of [ROLE.administrator, ROLE.owner]) {
    t.doesNotThrow(() => checkAccess(deleteTopic, test.user({ role })));
  }
});

// [c:delete-topic-unknown-channel]
void t.test('delete_topic: a channel that is not there, or archived', async (t) => {
  const test = new TestOrganization();
  const user = test.user({ role: ROLE.administrator });
  const archived = test.channel({ is_archived: true });
  for (const stream_id of [999, archived.stream_id]) {
    const request = { params: { stream_id, topic_name: 'x' }, user } as never;
    const answer = (async () => topicDeletion.job!(test.org, request))();
    await refused(t, answer, 'Invalid channel ID');
  }
});

/** Calls `POST /streams/{id}/delete_topic` of a node. */
async function deleteOn(world: DeletingNode, topic_name: string): Promise<object> {
  const handler = handlerOf(messageDeletionHandlers(world.deletions), 'delete-topic');
  const { node, owner } = world;
  const request = { params: { stream_id: world.channel.stream_id, topic_name }, user: owner };
  return handler.job!(node.org, request as never);
}

// [c:delete-topic]
void t.test('delete_topic: topic_name in any case; complete', async (t) => {
  const world = await DeletingNode.start();
  await world.fill('Lunch', 3);
  await world.fill('dinner', 1);
  t.strictSame(await deleteOn(world, ' lUNCH '), { complete: true });
  t.equal(world.left('lunch'), 0);
  t.equal(world.left('dinner'), 1);
  t.strictSame(await deleteOn(world, 'lunch'), { complete: true }, 'also when nothing is there');
});

// [c:delete-topic-empty-name]
void t.test('delete_topic: the empty topic by each of its names', async (t) => {
  const world = await DeletingNode.start();
  for (const name of ['', 'general chat', 'General Chat', '(no topic)']) {
    await world.fill('', 2);
    await world.fill('other', 1);
    t.strictSame(await deleteOn(world, name), { complete: true }, name);
    t.equal(world.left(''), 0, name);
  }
  t.equal(world.left('other'), 4);
});

/** Makes a channel private, with what the owner may read of it ending now. */
async function hide(world: DeletingNode, fields: Partial<ChannelDocument> = {}): Promise<void> {
  const { node, channel, owner } = world;
  node.runtime.transact(({ org, seq }) => {
    org.channels.update(channel.stream_id, { invite_only: true, ...fields });
    const id = `${owner.user_id}:${channel.stream_id}`;
    const { spans } = org.subscriptions.get(id)!;
    org.subscriptions.update(id, { active: false, spans: [[spans[0]![0], seq]] });
  });
  await node.journal.barrier();
}

void t.test('delete_topic: a private channel that the administrator cannot read', async (t) => {
  for (const history_public_to_subscribers of [true, false]) {
    const world = await DeletingNode.start();
    const ids = await world.fill('lunch', 2);
    await hide(world, { history_public_to_subscribers });
    await refused(t, deleteOn(world, 'lunch'), 'Invalid channel ID');
    t.ok(ids.every((id) => world.node.org.messages.has(id)));
  }
});

void t.test('delete_topic: without a shared history only what the actor may read', async (t) => {
  const world = await DeletingNode.start();
  const { node, channel, owner } = world;
  const read = await world.fill('lunch', 3);
  await hide(world, { history_public_to_subscribers: false });
  const missed = await world.fill('lunch', 600);
  node.runtime.transact(({ org, seq }) => {
    const id = `${owner.user_id}:${channel.stream_id}`;
    const { spans } = org.subscriptions.get(id)!;
    org.subscriptions.update(id, { active: true, spans: [...spans, [seq, null]] });
  });
  await node.journal.barrier();
  const again = await world.fill('lunch', 2);
  t.strictSame(await deleteOn(world, 'lunch'), { complete: true });
  t.notOk([...read, ...again].some((id) => node.org.messages.has(id)));
  t.ok(missed.every((id) => node.org.messages.has(id)));
});

void t.test('delete_topic: who is demoted meanwhile deletes nothing more', async (t) => {
  const world = await DeletingNode.start();
  const { node, owner } = world;
  await world.fill('lunch', 1200);
  const answer = deleteOn(world, 'lunch');
  const demoted = t.rejects(answer, { message: 'Must be an organization administrator' });
  node.runtime.transact(({ org }) => org.users.update(owner.user_id, { role: ROLE.member }));
  await demoted;
  t.ok(world.left('lunch') >= 700, `${world.left('lunch')} are left`);
});
