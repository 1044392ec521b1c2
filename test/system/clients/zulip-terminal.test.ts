import t from 'tap';
import { exchange, type Body } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { has, mentions } from '../harness/required-fields.js';

const TERMINAL_EVENTS = [
  'message',
  'update_message',
  'reaction',
  'submessage',
  'subscription',
  'typing',
  'update_message_flags',
  'user_settings',
  'realm_emoji',
  'realm_user',
];
const TERMINAL_FETCHES = [
  'realm',
  'presence',
  'subscription',
  'message',
  'starred_messages',
  'update_message_flags',
  'muted_topics',
  'realm_user',
  'realm_user_groups',
  'user_settings',
  'realm_emoji',
  'custom_profile_fields',
  'zulip_version',
];

void t.test('the requests of zulip-terminal get what it reads', async (t) => {
  const { server, owner, hamlet } = await askOrganization(t);
  await owner.say('a', 'general', 'b');
  await hamlet.tell([owner.userId], 'direct');
  await hamlet.ok('POST', '/users/me/presence', { status: 'active', new_user_input: 'true' });

  await t.test('its login finds all fields that it reads', async (t) => {
    const { body } = await exchange(server.url, 'GET', '/api/v1/server_settings');
    has(t, body, 'realm_uri require_email_format_usernames email_auth_enabled', 'server_settings');
  });

  await t.test('its first page of messages', async (t) => {
    const page = await owner.ok('GET', '/messages', {
      anchor: 0,
      use_first_unread_anchor: 'true',
      num_before: 30,
      num_after: 10,
      apply_markdown: 'true',
      client_gravatar: 'true',
      narrow: '[]',
    });
    has(t, page, 'result messages anchor found_newest', 'messages');
    const messages = page.messages as Body[];
    t.ok(messages.length >= 2);
    for (const message of messages) {
      has(
        t,
        message,
        'id type display_recipient subject sender_id sender_email sender_full_name content ' +
          'timestamp flags reactions is_me_message topic_links submessages',
        'message',
      );
      if (message.type === 'stream') has(t, message, 'stream_id', 'channel message');
    }
  });

  await t.test('its registration, with everything it reads without a default', async (t) => {
    const snapshot = await owner.register({
      event_types: TERMINAL_EVENTS,
      fetch_event_types: TERMINAL_FETCHES,
      client_gravatar: true,
      apply_markdown: true,
      include_subscribers: true,
    });
    has(
      t,
      snapshot,
      'queue_id last_event_id max_message_id zulip_version user_id email full_name realm_name ' +
        'subscriptions muted_topics realm_user_groups realm_users cross_realm_bots presences ' +
        'unread_msgs realm_emoji custom_profile_fields realm_message_retention_days user_settings',
      'register',
    );
    has(
      t,
      snapshot.user_settings as Body,
      'send_private_typing_notifications twenty_four_hour_time pm_content_in_desktop_notifications',
      'user_settings',
    );
    for (const sub of snapshot.subscriptions as Body[]) {
      const keys =
        'stream_id name color pin_to_top is_muted desktop_notifications subscribers invite_only ' +
        'description date_created';
      has(t, sub, keys, 'subscription');
      mentions(t, sub, 'message_retention_days', 'subscription');
    }
    for (const group of snapshot.realm_user_groups as Body[]) {
      has(t, group, 'id name members description', 'group');
    }
    const presences = snapshot.presences as Record<string, Record<string, Body>>;
    const presence = presences[hamlet.email]!;
    has(t, presence.aggregated!, 'client status timestamp', 'aggregated presence');
    has(t, presence.website!, 'client status timestamp pushable', 'presence by client');
    const unread = snapshot.unread_msgs as Record<string, Body[]>;
    has(t, unread.pms![0]!, 'sender_id unread_message_ids', 'unread direct messages');
    for (const stream of unread.streams!) {
      has(t, stream, 'stream_id topic unread_message_ids', 'unread channel messages');
    }
    mentions(t, unread, 'huddles mentions', 'unread_msgs');
  });

  await t.test(
    'the settings that its published release 0.7.0 does not start without',
    async (t) => {
      const changed = { twenty_four_hour_time: true, pm_content_in_desktop_notifications: false };
      await owner.ok('PATCH', '/settings', changed);
      const fetch_event_types = [
        ...TERMINAL_FETCHES,
        'update_global_notifications',
        'update_display_settings',
      ];
      t.match(await owner.register({ event_types: TERMINAL_EVENTS, fetch_event_types }), changed);
      t.match(await owner.register({ event_types: fetch_event_types }), changed);
      for (const modern of [{ fetch_event_types: TERMINAL_FETCHES }, {}]) {
        const snapshot = await owner.register(modern);
        for (const name in changed) t.notOk(name in snapshot, `${name} has its place elsewhere`);
      }
    },
  );

  await t.test('its keep-alive wants everybody, by address', async (t) => {
    const reply = await owner.ok('POST', '/users/me/presence', {
      status: 'active',
      new_user_input: 'true',
    });
    const presences = reply.presences as Record<string, Body>;
    t.same(Object.keys(presences).sort(), [hamlet.email, owner.email].sort());
    const again = await owner.ok('POST', '/users/me/presence', {
      status: 'idle',
      new_user_input: 'false',
    });
    t.same(Object.keys(again.presences as object).sort(), Object.keys(presences).sort());
  });

  await t.test('registering again after it lost its queue', async (t) => {
    const snapshot = await owner.register({ event_types: TERMINAL_EVENTS });
    has(t, snapshot, 'max_message_id subscriptions realm_users user_settings', 'register');
    t.notOk('streams' in snapshot, 'only the data of its event types');
  });

  await t.test('its narrows by former names find the messages', async (t) => {
    const find = async (...narrow: [string, string][]) => {
      const query = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
      return (await owner.ok('GET', '/messages', query)).messages as Body[];
    };
    t.equal((await find(['stream', 'general'], ['topic', 'b'])).length, 1);
    t.match(await find(['pm-with', hamlet.email]), [{ content: /direct/ }]);
    t.match(await find(['is', 'private']), [{ content: /direct/ }]);
    t.same(await find(['is', 'starred']), []);
    const latest = await owner.ok('GET', '/messages', {
      anchor: 10_000_000_000_000_000,
      num_before: 1,
      num_after: 0,
      narrow: [['stream', 'general']],
    });
    t.match(latest.messages, [{ subject: 'b' }]);
  });

  await t.test('the poll it shows, from messages and from events', async (t) => {
    const { queue_id, last_event_id } = await owner.register({ event_types: TERMINAL_EVENTS });
    const id = await hamlet.say('/poll Lunch?\nSoup\nSalad', 'general', 'food');
    const vote = { type: 'vote', key: 'canned,1', vote: 1 };
    await hamlet.ok('POST', '/submessage', {
      message_id: id,
      msg_type: 'widget',
      content: JSON.stringify(vote),
    });
    const events = await owner.poll(queue_id, last_event_id);
    const event = events.find(({ type }) => type === 'submessage')!;
    has(t, event, 'message_id submessage_id sender_id msg_type content', 'submessage');
    const { message } = await owner.ok('GET', `/messages/${id}`);
    const parts = (message as Body).submessages as Body[];
    // The first says which widget it is; it reads the others one by one.
    const [widget, ...actions] = parts.map(({ content }) => JSON.parse(String(content)) as Body);
    t.match(widget, {
      widget_type: 'poll',
      extra_data: { question: 'Lunch?', options: ['Soup', 'Salad'] },
    });
    t.same(actions, [vote]);
    t.match(parts[1], { id: event.submessage_id, sender_id: hamlet.userId, msg_type: 'widget' });
  });
});
