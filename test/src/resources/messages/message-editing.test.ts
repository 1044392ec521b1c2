import { createHash } from 'node:crypto';
import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import { START_SECONDS, type Body } from '../../../fixtures/living-organization.js';

void t.test(
  'a content edit: one event with exactly these fields, and the message changed',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet, ophelia, general } = world;
    const id = await world.say('hello');
    world.clock.advance(5000);
    t.strictSame(await world.edit(id, { content: '@**ophelia** hi' }), { detached_uploads: [] });
    const event = {
      type: 'update_message',
      user_id: hamlet.user_id,
      edit_timestamp: START_SECONDS + 5,
      message_id: id,
      message_ids: [id],
      rendering_only: false,
      stream_id: general.stream_id,
      stream_name: 'general',
      orig_content: 'hello',
      orig_rendered_content: '<p>hello</p>',
      content: '@**ophelia** hi',
      rendered_content: `<p><span class="user-mention" data-user-id="${ophelia.user_id}">@ophelia</span> hi</p>`,
      is_me_message: false,
    };
    t.strictSame(world.seen(), [{ ...event, flags: [] }]);
    t.strictSame(world.seen(ophelia), [{ ...event, flags: ['mentioned'] }]);
    const message = await world.message(id, ophelia);
    t.match(message, {
      content: event.rendered_content,
      last_edit_timestamp: START_SECONDS + 5,
      flags: ['mentioned'],
      edit_history: [
        {
          user_id: hamlet.user_id,
          timestamp: START_SECONDS + 5,
          prev_content: 'hello',
          prev_rendered_content: '<p>hello</p>',
        },
      ],
    });
    t.notOk('last_moved_timestamp' in message);
  },
);

void t.test('empty new content becomes (deleted)', async (t) => {
  const world = new MessagesWorld();
  const id = await world.say('hello');
  await world.edit(id, { content: ' \n' });
  t.match(await world.message(id), { content: '<p>(deleted)</p>' });
});

void t.test('a direct message: content only, to its participants', async (t) => {
  const world = new MessagesWorld();
  const id = await world.tell('psst');
  t.equal(
    await world.refusal(id, { stream_id: 1 }),
    'Direct messages cannot be moved to channels.',
  );
  t.equal(await world.refusal(id, { topic: 'x' }), 'Direct messages cannot have topics.');
  await world.edit(id, { content: '/me whispers' });
  const [event, ...more] = world.seen(world.ophelia);
  t.same(more, []);
  t.match(event, { message_ids: [id], is_me_message: true, flags: [] });
  t.notOk('stream_id' in event!);
  t.same(world.seen(world.moderator), []);
});

// [c:change-all-counts]
void t.test('checks, in order, in these words', async (t) => {
  const world = new MessagesWorld();
  const { ophelia, owner, moderator, verona } = world;
  const id = await world.say('hello');
  const other = { content: 'x' };
  t.equal(await world.refusal(99_999, other), 'Invalid message(s)');
  t.equal(await world.refusal(id, {}), 'Nothing to change');
  t.equal(await world.refusal(id, { topic: ' lunch ' }), 'Nothing to change');
  t.equal(
    await world.refusal(id, { ...other, topic: 'lunch', propagate_mode: 'change_all' }),
    'Invalid propagate_mode without topic edit',
  );
  t.equal(
    await world.refusal(id, { ...other, stream_id: verona.stream_id }),
    'Cannot change message content while changing channel',
  );
  t.equal(
    await world.refusal(id, other, ophelia),
    "You don't have permission to edit this message",
  );
  t.equal(
    await world.refusal(id, { ...other, prev_content_sha256: 'ab' }),
    "'prev_content_sha256' value does not match the expected value.",
  );
  t.equal(await world.refusal(id, { content: 'a\0b' }), 'Message must not contain null bytes');
  t.equal(await world.refusal(id, { stream_id: 99 }), 'Invalid channel ID');

  world.clock.advance(620_000);
  const digest = createHash('sha256').update('hello').digest('hex');
  await world.edit(id, { content: 'in time', prev_content_sha256: digest.toUpperCase() });
  world.clock.advance(1000);
  const passed = 'The time limit for editing this message has passed';
  const noText = { content: 'a\0b' };
  t.equal(await world.refusal(id, other), passed);
  t.equal(await world.refusal(id, noText), passed);
  for (const message_content_edit_limit_seconds of [601, null]) {
    world.setRealm({ message_content_edit_limit_seconds });
    t.equal(await world.refusal(id, noText), 'Message must not contain null bytes');
  }
  world.setRealm({ message_content_edit_limit_seconds: 600 });
  world.setRealm({ allow_message_editing: false });
  t.equal(
    await world.refusal(id, other, ophelia),
    'Your organization has turned off message editing',
  );

  const nobody = world.system('role:nobody');
  world.setRealm({ can_move_messages_between_topics_group: nobody });
  t.equal(
    await world.refusal(id, { topic: 'x' }),
    "You don't have permission to edit this message",
  );
  world.setRealm({ can_resolve_topics_group: nobody });
  const resolve = { topic: '✔ lunch', propagate_mode: 'change_all' };
  t.equal(await world.refusal(id, resolve), "You don't have permission to resolve topics.");
  world.setRealm({ can_move_messages_between_channels_group: nobody });
  t.equal(
    await world.refusal(id, { stream_id: verona.stream_id }),
    "You don't have permission to move this message",
  );
  const everyone = world.system('role:everyone');
  world.setRealm({
    can_move_messages_between_topics_group: everyone,
    can_move_messages_between_channels_group: everyone,
    can_resolve_topics_group: everyone,
    move_messages_within_stream_limit_seconds: 100,
    move_messages_between_streams_limit_seconds: 100,
  });
  t.equal(
    await world.refusal(id, { topic: 'x' }),
    "The time limit for editing this message's topic has passed.",
  );
  t.equal(
    await world.refusal(id, { stream_id: verona.stream_id }),
    "The time limit for editing this message's channel has passed",
  );
  const late = await world.say('late');
  t.equal(
    await world.refusal(late, { topic: 'x', propagate_mode: 'change_all' }),
    'You only have permission to move the 1/2 most recent messages in this topic.',
  );
  await t.rejects(world.edit(late, { topic: 'x', propagate_mode: 'change_all' }), {
    code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    fields: {
      first_message_id_allowed_to_move: late,
      total_messages_in_topic: 2,
      total_messages_allowed_to_move: 1,
    },
  });
  await t.rejects(world.edit(id, { topic: 'x', propagate_mode: 'change_all' }), {
    code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    message: 'You only have permission to move the 1/2 most recent messages in this topic.',
    fields: { first_message_id_allowed_to_move: late },
  });
  const elsewhere = { stream_id: verona.stream_id, propagate_mode: 'change_all' };
  await t.rejects(world.edit(id, elsewhere), { code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED' });
  const lone = await world.say('alone', 'quiet');
  world.clock.advance(200_000);
  t.equal(
    await world.refusal(lone, { topic: 'x', propagate_mode: 'change_all' }),
    "The time limit for editing this message's topic has passed.",
    'without a message within the limit there is nothing to count',
  );
  await world.edit(late, resolve);
  t.pass('no time limit applies to resolving');
  await world.edit(id, { topic: 'x', propagate_mode: 'change_all' }, moderator);
  t.pass('nor to moderators');
  await world.edit(id, { topic: 'y', propagate_mode: 'change_all' }, owner);
});

void t.test('policies of the place: as when sending', async (t) => {
  const world = new MessagesWorld();
  const id = await world.say('hello');
  const update = (fields: Partial<ChannelDocument>) =>
    world.transact((tx) => tx.org.channels.update(world.verona.stream_id, fields));
  const move = (more: Body = {}) =>
    world.refusal(id, { stream_id: world.verona.stream_id, ...more });
  update({ topics_policy: 'empty_topic_only' });
  t.equal(await move(), 'Only the general chat topic is allowed in this channel.');
  update({ topics_policy: 'disable_empty_topic' });
  t.equal(
    await move({ topic: '' }),
    'Sending messages to general chat is not allowed in this channel.',
  );
  update({ can_create_topic_group: world.system('role:administrators') });
  t.equal(await move(), 'You do not have permission to create new topics in this channel.');
  update({ can_send_message_group: world.system('role:administrators') });
  t.equal(await move(), 'You do not have permission to post in this channel.');
  update({ is_archived: true });
  t.equal(await move(), "Not authorized to send to channel 'verona'");
  world.transact((tx) => tx.org.channels.update(world.general.stream_id, { is_archived: true }));
  t.equal(await world.refusal(id, { content: 'x' }), 'Invalid message(s)');
});
