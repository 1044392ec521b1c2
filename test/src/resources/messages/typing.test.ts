import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { typingHandler } from '../../../../src/resources/messages/typing.js';
import {
  LivingOrganization,
  MODERN,
  PLAIN,
  type Body,
} from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly ophelia = this.addUser('ophelia@example.com');
  readonly guest = this.addUser('guest@example.com', { role: ROLE.guest, channels: [] });

  type(params: Body, caller = this.hamlet) {
    return this.call(typingHandler, caller, { op: 'start', ...params });
  }

  mute(userId: number, setting: string): void {
    this.transact((tx) =>
      tx.org.settings.insert({ user_id: userId, edited: [], [setting]: false }),
    );
  }

  seen(user = this.hamlet, filter = MODERN): Body[] {
    return this.received(user, this.mark, { ...filter, event_types: ['typing'] });
  }
}

// [c:typing-direct]
void t.test('direct: all participants hear of it, the caller included', async (t) => {
  const world = new World();
  const { hamlet, ophelia, guest } = world;
  const people = [
    { user_id: hamlet.user_id, email: 'hamlet@example.com' },
    { user_id: ophelia.user_id, email: 'ophelia@example.com' },
  ];
  const event = {
    type: 'typing',
    op: 'start',
    message_type: 'direct',
    sender: people[0],
    recipients: people,
  };
  t.strictSame(await world.type({ to: [ophelia.user_id, ophelia.user_id] }), {});
  t.strictSame(world.seen(ophelia, PLAIN), [event]);
  t.strictSame(world.seen(hamlet), [event]);
  t.strictSame(world.seen(guest), []);
  await world.type({ type: 'private', to: 'ophelia@example.com', op: 'stop' });
  await world.type({ to: ophelia.user_id, op: 'stop' });
  t.strictSame(world.seen(ophelia).slice(1), [
    { ...event, op: 'stop' },
    { ...event, op: 'stop' },
  ]);
});

void t.test('a typing notification stores nothing and waits for no disk write', async (t) => {
  const world = new World();
  await world.type({ to: [world.ophelia.user_id] });
  t.strictSame(world.entries.at(-1)!.content.writes, []);
  t.equal(world.deferMs, 50, 'and a notice waits for no sync of its own');
});

// [c:typing-unwanted]
void t.test('who does not want to see others type does not', async (t) => {
  const world = new World();
  world.mute(world.ophelia.user_id, 'receives_typing_notifications');
  await world.type({ to: [world.ophelia.user_id] });
  t.strictSame(world.seen(world.ophelia), []);
  t.equal(world.seen(world.hamlet).length, 1);
});

// [c:typing-channel]
void t.test('channel: subscribers whose queues declared it', async (t) => {
  const world = new World();
  const { hamlet, ophelia, guest, general } = world;
  const { stream_id } = general;
  await world.type({ type: 'channel', stream_id, topic: 'plot' });
  const event = {
    type: 'typing',
    op: 'start',
    message_type: 'stream',
    sender: { user_id: hamlet.user_id, email: 'hamlet@example.com' },
    stream_id,
    topic: 'plot',
  };
  t.strictSame(world.seen(ophelia), [event]);
  t.strictSame(world.seen(ophelia, PLAIN), [], 'not declared');
  t.strictSame(world.seen(guest), [], 'not subscribed');
});

void t.test('the empty topic has its name where the queue cannot show it', async (t) => {
  const world = new World();
  const { stream_id } = world.general;
  const old = { ...PLAIN, capabilities: { stream_typing_notifications: true } };
  for (const topic of ['', '(no topic)', 'general chat']) {
    await world.type({ type: 'stream', stream_id, topic });
  }
  t.strictSame(
    world.seen(world.ophelia).map((event) => event.topic),
    ['', '', ''],
  );
  t.strictSame(
    world.seen(world.ophelia, old).map((event) => event.topic),
    ['general chat', 'general chat', 'general chat'],
  );
});

void t.test('channels of more than 100 subscribers are spared', async (t) => {
  const world = new World();
  const { general } = world;
  const typed = { type: 'stream', stream_id: general.stream_id, topic: 'plot' };
  for (let i = 0; world.org.subscriptions.subscriberCount(general.stream_id) < 100; i++) {
    world.addUser(`u${i}@example.com`);
  }
  world.mark = world.position;
  await world.type(typed);
  t.equal(world.seen(world.ophelia).length, 1, 'at 100 they are told');
  world.transact((tx) =>
    subscribeUsers(tx, { channels: [general], userIds: [world.guest.user_id] }),
  );
  world.mark = world.position;
  t.strictSame(await world.type(typed), {});
  t.strictSame(world.seen(world.ophelia), []);
});

void t.test('refusals are worded as the contract says', async (t) => {
  const world = new World();
  const { hamlet, ophelia, guest, general } = world;
  const { stream_id } = general;
  const refusals: [Body, Body][] = [
    [{}, { code: 'REQUEST_VARIABLE_MISSING', message: "Missing 'to' argument" }],
    [{ to: [] }, { message: "Empty 'to' list" }],
    [{ to: [999] }, { message: 'Invalid user ID 999' }],
    [{ to: ['nobody@example.com'] }, { message: 'No such user' }],
    // As the reference answers (`Json[list[int]]`).
    [{ to: [4, '4'] }, { message: 'to[1] is not an integer' }],
    [{ type: 'stream', topic: 'x' }, { message: 'Missing stream_id' }],
    [{ type: 'stream', stream_id }, { message: 'Missing topic' }],
    [{ type: 'stream', stream_id: 99, topic: 'x' }, { message: 'Invalid channel ID' }],
  ];
  for (const [params, error] of refusals) {
    await t.rejects(world.type(params), { status: 400, code: 'BAD_REQUEST', ...error });
  }
  const typed = { type: 'stream', stream_id, topic: 'x' };
  await t.rejects(world.type(typed, guest), { message: 'Invalid channel ID' });
  const nobody = world.system('role:nobody');
  world.transact((tx) => tx.org.channels.update(stream_id, { can_send_message_group: nobody }));
  await t.rejects(world.type(typed), {
    message: 'You do not have permission to post in this channel.',
  });
  world.transact((tx) => tx.org.channels.update(stream_id, { is_archived: true }));
  await t.rejects(world.type(typed), { message: "Not authorized to send to channel 'general'" });
  world.mute(hamlet.user_id, 'send_private_typing_notifications');
  await t.rejects(world.type({ to: [ophelia.user_id] }), {
    message: 'User has disabled typing notifications for direct messages',
  });
  world.mute(hamlet.user_id, 'send_stream_typing_notifications');
  await t.rejects(world.type(typed), {
    message: 'User has disabled typing notifications for channel messages',
  });
});
