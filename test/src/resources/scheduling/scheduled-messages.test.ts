import { unfollow } from '../../../fixtures/following/follow-every-entry.js';
import t from 'tap';
import { Value } from 'typebox/value';
import { EMPTY_TOPIC_DISPLAY_NAME, MAX_MESSAGE_LENGTH } from '../../../../schemas/limits.js';
import { createScheduledMessage } from '../../../../schemas/scheduling/scheduled-messages.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import {
  deliverScheduledMessage,
  failScheduledMessage,
} from '../../../../src/organization/scheduling/scheduled-messages.js';
import { DELIVERY_INDEX } from '../../../../src/organization/state/scheduled/scheduled-collection.js';
import { START_SECONDS, type Body } from '../../../fixtures/living-organization.js';
import { LATER, markdown, refused, World } from './fixtures/scheduling-world.js';

const UI = 'ZulipFlutter';

// [c:scheduled-direct]
void t.test('Create a scheduled message: direct', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const reply = await world.create({ to: [ophelia.user_id, hamlet.user_id, ophelia.user_id] });
  t.strictSame(reply, { scheduled_message_id: 1 });
  t.ok(Value.Check(createScheduledMessage.response, reply));
  const record = {
    scheduled_message_id: 1,
    type: 'private',
    to: [ophelia.user_id],
    content: '**hi**',
    rendered_content: '<p><strong>hi</strong></p>',
    scheduled_delivery_timestamp: LATER,
    failed: false,
    split_group_id: null,
  };
  t.strictSame(await world.list(), [record]);
  t.strictSame(world.seen(), [
    { type: 'scheduled_messages', op: 'add', scheduled_messages: [record] },
  ]);
  t.strictSame(world.seen(ophelia), [], 'events go only to the author');
  t.strictSame(await world.list(ophelia), []);
  t.same(world.lastDue, [{ index: DELIVERY_INDEX, id: 'scheduled_message:1', at: LATER * 1000 }]);
});

// [c:scheduled-types]
void t.test('type: direct, channel, stream, private', async (t) => {
  const world = new World();
  for (const [type, shown] of [
    ['direct', 'private'],
    ['private', 'private'],
    ['channel', 'stream'],
    ['stream', 'stream'],
  ] as const) {
    const id = await world.id(
      shown === 'stream' ? world.toChannel({ type }) : world.create({ type }),
    );
    t.match(
      (await world.list()).find((record) => record.scheduled_message_id === id),
      { type: shown },
    );
  }
  const [, , channel] = await world.list();
  t.match(channel, { to: world.general.stream_id, topic: 'plot' });
  t.notOk('topic' in (await world.list())[0]!, 'topic only for channel messages');
});

// [c:scheduled-to-users]
void t.test('to: a list of user IDs for direct messages', async (t) => {
  const world = new World();
  const { hamlet, ophelia, owner } = world;
  const self = await world.id(world.create({ to: [hamlet.user_id] }));
  t.same(world.document(self).context.to, [hamlet.user_id], 'to oneself');
  const group = await world.id(world.create({ to: [ophelia.user_id, owner.user_id] }));
  t.same(world.document(group).context.to, [owner.user_id, ophelia.user_id], 'without the sender');
  await refused(t, world, () => world.create({ to: [999] }), { message: 'Invalid user ID 999' });
  await refused(t, world, () => world.create({ to: [] }), {
    message: 'Message must have recipients',
  });
  for (const to of ['x', 7, null, {}]) {
    await refused(t, world, () => world.create({ to }), {
      message: 'Invalid data type for recipients',
    });
  }
  await refused(t, world, () => world.create({ to: ['a@b.c'] }), {
    message: 'Recipient list may only contain user IDs',
  });
  await refused(t, world, () => world.create({ to: new Array(1001).fill(1) }), {
    message: 'Too many recipients (maximum 1000).',
  });
});

// [c:scheduled-to-channel]
void t.test(
  'to: a channel ID; a channel that does not exist is STREAM_DOES_NOT_EXIST',
  async (t) => {
    const world = new World();
    await refused(t, world, () => world.toChannel({ to: 99 }), {
      code: 'STREAM_DOES_NOT_EXIST',
      message: "Channel with ID '99' does not exist",
      fields: { stream_id: 99 },
    });
    for (const to of ['general', [1], null]) {
      await refused(t, world, () => world.toChannel({ to }), {
        message: 'Invalid data type for channel ID',
      });
    }
    const guest = world.addUser('guest@example.com', { role: ROLE.guest, channels: [] });
    await refused(t, world, () => world.toChannel({}, guest), { code: 'STREAM_DOES_NOT_EXIST' });
  },
);

// [c:scheduled-content]
void t.test('content: an empty text is refused and a long one cut, as in sending', async (t) => {
  const world = new World();
  await refused(t, world, () => world.create({ content: ' \n' }), {
    message: 'Message must not be empty',
  });
  await refused(t, world, () => world.create({ content: 'a\0' }), {
    message: 'Message must not contain null bytes',
  });
  const id = await world.id(world.create({ content: 'x'.repeat(MAX_MESSAGE_LENGTH + 1) }));
  const { content } = world.document(id).context;
  t.equal(content.length, MAX_MESSAGE_LENGTH, 'max_message_length is respected');
  t.ok(content.endsWith('\n[message truncated]'));
});

// [c:scheduled-topic-required]
void t.test('topic: required for channel messages, ignored otherwise', async (t) => {
  const world = new World();
  await refused(t, world, () => world.toChannel({ topic: undefined }), {
    message: 'Missing topic',
  });
  const direct = await world.id(world.create({ topic: 'ignored' }));
  t.equal(world.document(direct).context.topic, '');
  for (const topic of ['', '(no topic)', EMPTY_TOPIC_DISPLAY_NAME, ' (no topic) ']) {
    const id = await world.id(world.toChannel({ topic }));
    t.equal(world.document(id).context.topic, '', `${topic} is the empty topic`);
  }
  const long = await world.id(world.toChannel({ topic: 'x'.repeat(61) }));
  t.equal(
    world.document(long).context.topic,
    `${'x'.repeat(57)}...`,
    'max_topic_length is respected',
  );
  await refused(t, world, () => world.toChannel({ topic: 'a\0' }), {
    message: 'Topic must not contain null bytes',
  });
});

// [c:scheduled-topic-empty]
void t.test('topic: when required it cannot be empty by any name', async (t) => {
  const world = new World();
  world.setRealm({ topics_policy: 'disable_empty_topic' });
  for (const topic of ['', '(no topic)', EMPTY_TOPIC_DISPLAY_NAME]) {
    await refused(t, world, () => world.toChannel({ topic }), {
      message: 'Topics are required in this organization.',
    });
  }
});

// [c:scheduled-past-time]
void t.test('scheduled_delivery_timestamp: a time in the past is refused', async (t) => {
  const world = new World();
  for (const at of [0, START_SECONDS - 1, START_SECONDS]) {
    await refused(t, world, () => world.create({ scheduled_delivery_timestamp: at }), {
      message: 'Scheduled delivery time must be in the future.',
    });
  }
  await world.create({ scheduled_delivery_timestamp: START_SECONDS + 1 });
  await world.create({ scheduled_delivery_timestamp: 8_640_000_000_000 });
  t.equal((await world.list()).length, 2);
});

// [c:scheduled-read-by-sender]
void t.test('read_by_sender: given, or by client name and recipient', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const read = async (params: Body, client: string): Promise<boolean> =>
    world.document(await world.id(world.create(params, hamlet, client))).context.read_by_sender;
  t.equal(await read({}, UI), true, 'a program with a person in front of it');
  t.equal(await read({}, 'Zulip Desktop App'), true);
  t.equal(await read({}, 'curl'), false);
  t.equal(await read({ to: [hamlet.user_id] }, UI), false, 'a note to oneself stays unread');
  t.equal(await read({ read_by_sender: false }, UI), false);
  t.equal(await read({ read_by_sender: true }, 'curl'), true);
  t.equal(await read({ read_by_sender: true, to: [hamlet.user_id] }, 'curl'), true);
});

void t.test('every check of sending is made', async (t) => {
  const world = new World();
  const { ophelia, general } = world;
  const nobody = world.system('role:nobody');
  world.setRealm({ direct_message_permission_group: nobody });
  await refused(t, world, () => world.create(), {
    message: 'Direct messages are disabled in this organization.',
  });
  world.alter(ophelia.user_id, { is_active: false });
  await refused(t, world, () => world.create(), {
    message: `'ophelia@example.com' is no longer using Zulip.`,
  });
  world.transact((tx) =>
    tx.org.channels.update(general.stream_id, { can_send_message_group: nobody }),
  );
  await refused(t, world, () => world.toChannel(), {
    message: 'You do not have permission to post in this channel.',
  });
  world.transact((tx) => tx.org.channels.update(general.stream_id, { is_archived: true }));
  await refused(t, world, () => world.toChannel(), {
    message: "Not authorized to send to channel 'general'",
  });
});

void t.test('a wildcard mention needs the right to make it', async (t) => {
  const world = new World();
  for (let i = 0; i < 20; i++) world.addUser(`u${i}@example.com`);
  const nobody = world.system('role:nobody');
  world.setRealm({ can_mention_many_users_group: nobody });
  await refused(t, world, () => world.toChannel({ content: '@**all**' }), {
    code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  });
});

void t.test('there is a bound for each user', async (t) => {
  const world = new World();
  const { index } = world.org.scheduledMessages;
  unfollow(world.org);
  for (let id = 1; id <= 10_000; id++)
    index.put({ id, owner: world.hamlet.user_id, state: 'pending', due: 1 });
  await refused(t, world, () => world.create(), {
    message: 'Too many scheduled messages (maximum 10000).',
  });
  t.ok(await world.create({}, world.ophelia));
});

void t.test('the text of all of a user has a bound', async (t) => {
  const world = new World();
  const { index } = world.org.scheduledMessages;
  unfollow(world.org);
  const { scheduled_message_id } = await world.create();
  index.put(
    { id: 9999, owner: world.hamlet.user_id, state: 'pending', due: 1 },
    16 * 1024 * 1024 - 100,
  );
  await refused(t, world, () => world.create({ content: 'x'.repeat(200) }), {
    message: 'Too much text in scheduled messages (maximum 16777216 characters).',
  });
  await refused(
    t,
    world,
    () => world.edit(Number(scheduled_message_id), { content: 'x'.repeat(200) }),
    { message: 'Too much text in scheduled messages (maximum 16777216 characters).' },
  );
  t.ok(await world.create({ content: 'x'.repeat(200) }, world.ophelia), 'each has their own');
  index.remove(9999);
  t.ok(await world.create({ content: 'x'.repeat(200) }), 'until there is room again');
});

void t.test('GET: undelivered, failed ones included, by delivery time', async (t) => {
  const world = new World();
  for (const at of [30, 10, 20, 10]) {
    await world.create({ scheduled_delivery_timestamp: START_SECONDS + at });
  }
  const [failing, sent] = [world.wake(3), world.wake(2)];
  world.transact((tx) => failScheduledMessage(tx, markdown, failing, 'why'));
  world.transact((tx) => deliverScheduledMessage(tx, markdown, sent, Infinity));
  t.match(await world.list(), [
    { scheduled_message_id: 4, failed: false },
    { scheduled_message_id: 3, failed: true },
    { scheduled_message_id: 1, failed: false },
  ]);
});
