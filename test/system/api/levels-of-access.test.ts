import t from 'tap';
import { ApiClient, type Body } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

/** What feature levels changed about who may do what (levels.md), asked of a running server. */

void t.test('what the feature levels promise of access holds', async (t) => {
  const { owner, hamlet, iago } = await askOrganization(t);

  await t.test('354: content access to a private channel without a subscription', async (t) => {
    const only = { direct_members: [hamlet.userId], direct_subgroups: [] };
    const { id: stream } = await owner.ok('POST', '/channels/create', {
      name: 'secret',
      subscribers: [owner.userId],
      invite_only: true,
      history_public_to_subscribers: true,
      can_subscribe_group: only,
    });
    const message = await owner.say('psst', 'secret', 'plot');
    await owner.ok('PATCH', '/realm', { enable_read_receipts: true });
    await hamlet.ok('GET', `/messages/${message}`);
    await hamlet.ok('GET', `/messages/${message}/read_receipts`);
    await hamlet.ok('POST', `/messages/${message}/reactions`, { emoji_name: '+1' });
    await hamlet.ok('DELETE', `/messages/${message}/reactions`, { emoji_name: '+1' });
    const poll = await owner.say('/poll When?\nNow', 'secret', 'plot');
    const content = '{"type":"vote","key":"canned,0","vote":1}';
    await hamlet.ok('POST', '/submessage', { message_id: poll, msg_type: 'widget', content });
    const own = await hamlet.say('me too', 'secret', 'plot');
    await hamlet.ok('PATCH', `/messages/${own}`, { content: 'me, too' });
    await hamlet.ok('POST', `/messages/${own}/typing`, { op: 'start' });
    const narrow = [['channel', stream]];
    const range = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
    const unread = await hamlet.ok('POST', '/messages/flags/narrow', {
      ...range,
      op: 'remove',
      flag: 'read',
    });
    t.strictSame(unread.ignored_because_not_subscribed_channels, [stream], '355');
    t.equal(unread.updated_count, 0, '355');
    const refused = await iago.call('GET', `/messages/${message}`);
    t.match(refused.body, { msg: 'Invalid message(s)' });
    const accessible = await hamlet.ok('GET', '/streams', {
      include_public: false,
      include_subscribed: false,
      include_can_access_content: true,
    });
    const ids = (accessible.streams as Body[]).map(({ stream_id }) => stream_id);
    t.ok(ids.includes(stream), '356');
  });

  await t.test('349: a channel administrator who is no subscriber', async (t) => {
    const { id } = await owner.ok('POST', '/channels/create', {
      name: 'guarded',
      subscribers: [owner.userId, iago.userId],
      invite_only: true,
      can_administer_channel_group: { direct_members: [hamlet.userId], direct_subgroups: [] },
    });
    const events = await QueueReader.open(hamlet, { event_types: ['stream'] });
    await hamlet.ok('PATCH', `/streams/${String(id)}`, { description: 'mine' });
    t.match(await events.now(), [{ property: 'description', value: 'mine' }], 'is told');
    const { never_subscribed } = await hamlet.register({ fetch_event_types: ['subscription'] });
    t.ok(
      (never_subscribed as Body[]).some((one) => one.stream_id === id),
      'sees it',
    );
    const privacy = await hamlet.call('PATCH', `/streams/${String(id)}`, { is_private: false });
    t.equal(privacy.status, 400, 'but privacy takes content access');
    const { removed } = await hamlet.ok('DELETE', '/users/me/subscriptions', {
      subscriptions: ['guarded'],
      principals: [iago.userId],
    });
    t.strictSame(removed, ['guarded']);
    const policy = { can_delete_any_message_group: { new: 1 } };
    const deletions = await hamlet.call('PATCH', `/streams/${String(id)}`, {
      can_delete_any_message_group: {
        new: { direct_members: [hamlet.userId], direct_subgroups: [] },
      },
    });
    t.match(deletions.body, { msg: 'Insufficient permission' }, '407: takes a right of its own');
    await owner.ok('PATCH', `/streams/${String(id)}`, policy);
  });

  await t.test('396: who moves messages within a channel, and out of it', async (t) => {
    const only = { direct_members: [hamlet.userId], direct_subgroups: [] };
    const [{ id: from }, { id: to }] = (await Promise.all(
      ['from', 'to'].map((name) =>
        owner.ok('POST', '/channels/create', { name, subscribers: [owner.userId, hamlet.userId] }),
      ),
    )) as [Body, Body];
    const nobody = { new: { direct_members: [], direct_subgroups: [] } };
    await owner.ok('PATCH', '/realm', {
      can_move_messages_between_topics_group: nobody,
      can_move_messages_between_channels_group: nobody,
    });
    const message = await hamlet.say('a', 'from', 'topic');
    const move = async (change: Body) =>
      (await hamlet.call('PATCH', `/messages/${message}`, change)).body.msg;
    t.equal(
      await move({ topic: 'other' }),
      "You don't have permission to edit this message",
      'without the right',
    );
    t.equal(await move({ stream_id: to }), "You don't have permission to move this message");
    await owner.ok('PATCH', `/streams/${String(from)}`, {
      can_move_messages_within_channel_group: { new: only },
    });
    t.equal(await move({ topic: 'other' }), '');
    t.equal(await move({ stream_id: to }), "You don't have permission to move this message");
    await owner.ok('PATCH', `/streams/${String(from)}`, {
      can_move_messages_out_of_channel_group: { new: only },
    });
    t.equal(await move({ stream_id: to }), '');
  });

  await t.test('bots: groups, channels, statuses, a new owner', async (t) => {
    const made = await hamlet.ok('POST', '/bots', { full_name: 'Echo', short_name: 'echo' });
    const { user } = (await hamlet.ok('GET', `/users/${String(made.user_id)}`)) as { user: Body };
    const bot = new ApiClient(
      owner.url,
      String(user.email),
      String(made.api_key),
      Number(user.user_id),
    );
    const key = await hamlet.ok('GET', `/bots/${bot.userId}/api_key`);
    t.equal(key.api_key, bot.key, '463');
    const renamed = await QueueReader.open(hamlet, { event_types: ['realm_user', 'realm_bot'] });
    await hamlet.ok('PATCH', `/bots/${bot.userId}`, { short_name: 'voice' });
    t.match(
      (await renamed.now()).map(({ type, person }) => [type, Object.keys(person as Body)[1]]),
      [
        ['realm_user', 'delivery_email'],
        ['realm_user', 'avatar_source'],
        ['realm_user', 'new_email'],
      ],
      '447, 474: told as of any account',
    );
    bot.email = 'voice-bot@' + bot.email.split('@')[1]!;
    const { realm_bots: bots } = await hamlet.register({ fetch_event_types: ['realm_bot'] });
    t.strictSame(
      Object.keys((bots as Body[])[0]!).sort(),
      [
        'default_all_public_streams',
        'default_events_register_stream',
        'default_sending_stream',
        'services',
        'user_id',
      ],
      '474',
    );
    const { group_id } = await bot.ok('POST', '/user_groups/create', {
      name: 'voices',
      description: '',
      members: [bot.userId],
    });
    const member = `/user_groups/${String(group_id)}/members/${bot.userId}`;
    t.match(await bot.ok('GET', member), { is_user_group_member: true }, '496');
    t.match(await hamlet.ok('GET', member), { is_user_group_member: true }, '458');
    const { subscribed_channel_ids: none } = await hamlet.ok(
      'GET',
      `/users/${bot.userId}/channels`,
    );
    t.strictSame(none, [], '440, 458');
    const { id } = await hamlet.ok('POST', '/channels/create', {
      name: 'echoes',
      subscribers: [hamlet.userId, bot.userId],
      invite_only: true,
    });
    await owner.ok('PATCH', `/bots/${bot.userId}`, { bot_owner_id: iago.userId });
    const { is_subscribed } = await hamlet.ok(
      'GET',
      `/users/${bot.userId}/subscriptions/${String(id)}`,
    );
    t.equal(is_subscribed, true, '359: a new owner takes no subscription away');
    const path = `/users/${hamlet.userId}/status`;
    t.match(await bot.call('GET', '/users/me'), { status: 401 }, 'the former owner knows this key');
    const { api_key } = await iago.ok('GET', `/bots/${bot.userId}/api_key`);
    const renewed = new ApiClient(owner.url, bot.email, String(api_key), bot.userId);
    const plain = await renewed.call('POST', path, { status_text: 'by a bot' });
    t.match(plain.body, { code: 'UNAUTHORIZED_PRINCIPAL' });
    await owner.ok('PATCH', `/users/${bot.userId}`, { role: 200 });
    await renewed.ok('POST', path, { status_text: 'by a bot' });
    t.match(await iago.ok('GET', path), { status: { status_text: 'by a bot' } }, '262, 407, 473');
  });

  await t.test('428: a deactivation is told in archived channels too', async (t) => {
    const { id } = await owner.ok('POST', '/channels/create', {
      name: 'attic',
      subscribers: [owner.userId, iago.userId],
    });
    await owner.ok('DELETE', `/streams/${String(id)}`);
    const register = { event_types: ['subscription'] };
    const old = await QueueReader.open(owner, register);
    const modern = await QueueReader.open(owner, {
      ...register,
      client_capabilities: { archived_channels: true },
    });
    await owner.ok('DELETE', `/users/${iago.userId}`);
    const told = async (queue: QueueReader) =>
      (await queue.now()).flatMap(({ op, stream_ids }) =>
        op === 'peer_remove' ? (stream_ids as number[]) : [],
      );
    t.ok((await told(modern)).includes(id as number));
    t.notOk((await told(old)).includes(id as number), 'but where archived channels are hidden');
  });

  await t.test('endpoints that ended or that nothing here serves', async (t) => {
    for (const [path, level] of [
      ['/users/me/tutorial_status', 282],
      ['/users/me/hotspots', 259],
      ['/message_edit_typing', 361],
      ['/remotes/server/register/transfer', 345],
    ] as const) {
      const { status } = await owner.call('POST', path);
      t.equal(status, 404, `${level} ${path}`);
    }
  });
});
