import t from 'tap';
import type { Body } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

/**
 * What feature levels changed about messages, channels, groups and presence (levels.md), asked of a running server.
 * Facts that need more than a request have tests of their own, which levels.md names.
 */

/** Permissions of a channel that levels brought. */
const CHANNEL_PERMISSIONS: readonly (readonly [number, string])[] = [
  [320, 'can_remove_subscribers_group'],
  [325, 'can_administer_channel_group'],
  [333, 'can_send_message_group'],
  [342, 'can_add_subscribers_group'],
  [357, 'can_subscribe_group'],
  [396, 'can_move_messages_within_channel_group'],
  [396, 'can_move_messages_out_of_channel_group'],
  [402, 'can_resolve_topics_group'],
  [407, 'can_delete_any_message_group'],
  [407, 'can_delete_own_message_group'],
  [441, 'can_create_topic_group'],
];

/** Permissions of a group that levels brought. */
const GROUP_PERMISSIONS: readonly (readonly [number, string])[] = [
  [258, 'can_mention_group'],
  [283, 'can_manage_group'],
  [301, 'can_join_group'],
  [305, 'can_add_members_group'],
  [308, 'can_leave_group'],
  [324, 'can_remove_members_group'],
];

void t.test('what the feature levels promise of messages and channels holds', async (t) => {
  const { owner, hamlet, iago } = await askOrganization(t);
  const { stream_id: general } = await owner.ok('GET', '/get_stream_id', { stream: 'general' });
  const first = await hamlet.say('one');
  const found = async (narrow: unknown[], more: Body = {}): Promise<number[]> => {
    const range = { anchor: 'newest', num_before: 50, num_after: 0, ...more };
    const { messages } = await hamlet.ok('GET', '/messages', { ...range, narrow });
    return (messages as { id: number }[]).map(({ id }) => id);
  };

  await t.test('`channel` is a type of messages, scheduled messages and typing', async (t) => {
    const events = await QueueReader.open(iago, {
      event_types: ['typing'],
      client_capabilities: { stream_typing_notifications: true, empty_topic_name: true },
    });
    const topics = ['test', '(no topic)'];
    for (const topic of topics) {
      await hamlet.ok('POST', '/typing', {
        type: 'channel',
        op: 'start',
        stream_id: general,
        topic,
      });
    }
    t.match(
      await events.until(({ topic }) => topic === ''),
      [
        { message_type: 'stream', stream_id: general, topic: 'test' },
        { message_type: 'stream', stream_id: general, topic: '' },
      ],
      '248, and 372: (no topic) is the empty topic',
    );
    const later = { scheduled_delivery_timestamp: 4_000_000_000, topic: 'test', content: 'x' };
    const { scheduled_message_id: id } = await hamlet.ok('POST', '/scheduled_messages', {
      ...later,
      type: 'channel',
      to: general,
    });
    const path = `/scheduled_messages/${String(id)}`;
    await hamlet.ok('PATCH', path, { type: 'channel', to: general, topic: '(no topic)' });
    const { scheduled_messages } = await hamlet.ok('GET', '/scheduled_messages');
    t.match(scheduled_messages, [{ type: 'stream', to: general, topic: '' }], '248, 370');
  });

  await t.test('each filter of a narrow finds the messages that its level names', async (t) => {
    t.strictSame(await found([['has', 'reaction']]), [], '249');
    await iago.ok('POST', `/messages/${first}/reactions`, { emoji_name: '+1' });
    t.strictSame(await found([['has', 'reaction']]), [first], '249');
    for (const operator of ['channel', 'stream']) {
      t.strictSame(
        await found([
          [operator, 'general'],
          ['topic', 'test'],
        ]),
        [first],
        `250 ${operator}`,
      );
    }
    t.ok((await found([['channels', 'public']])).includes(first), '250');
    t.strictSame(await found([['channels', 'archived']]), [], '489: general is none');
    t.ok((await found([['is', 'followed']])).includes(first), '265: who starts a topic follows it');
    t.notOk((await found([['is', 'muted']])).includes(first), '366');
    await hamlet.ok('POST', '/user_topics', {
      stream_id: general,
      topic: 'test',
      visibility_policy: 1,
    });
    t.strictSame(await found([['is', 'muted']]), [first], '366');
    t.strictSame(await found([['with', first]]), [first], '271');
    const mention = await iago.say('@**Hamlet**', 'general', 'other');
    t.strictSame(await found([['mentions', hamlet.userId]]), [mention], '446');
    t.strictSame(await found([['mentions', iago.userId]]), [], '446');
    const narrowed = await hamlet.call('POST', '/register', {
      narrow: [['mentions', String(hamlet.userId)]],
      event_types: ['message'],
    });
    t.match(narrowed.body, { msg: 'Operator mentions not supported.' }, 'refused for queues');
    const since = await found([], {
      anchor: 'date',
      anchor_date: '2020-01-01T00:00:00Z',
      num_before: 0,
      num_after: 0,
    });
    t.equal(since.length, 1, '445: the first message since a date');
    const { messages } = await hamlet.ok('GET', '/messages', { message_ids: [mention, first] });
    t.strictSame(
      (messages as Body[]).map(({ id }) => id),
      [first, mention],
      '300',
    );
  });

  await t.test('edits: what entries of the history and messages say', async (t) => {
    const id = await hamlet.say('old', 'general', 'edits');
    const wrong = { content: 'new', prev_content_sha256: '0'.repeat(64) };
    const refused = await hamlet.call('PATCH', `/messages/${id}`, wrong);
    t.match(refused.body, { code: 'EXPECTATION_MISMATCH' }, '379');
    const reply = await hamlet.ok('PATCH', `/messages/${id}`, { content: 'new' });
    t.strictSame(reply.detached_uploads, [], '285');
    const message = async () =>
      (await hamlet.ok('GET', `/messages/${id}`)).message as {
        edit_history: Body[];
        last_edit_timestamp?: number;
        last_moved_timestamp?: number;
      };
    const edited = await message();
    t.strictSame(
      Object.keys(edited.edit_history[0]!).sort(),
      ['prev_content', 'prev_rendered_content', 'timestamp', 'user_id'],
      '284',
    );
    t.type(edited.last_edit_timestamp, 'number', '365');
    t.equal(edited.last_moved_timestamp, undefined, '365');
    const moved = await hamlet.say('moved', 'general', 'here');
    await hamlet.ok('PATCH', `/messages/${moved}`, { topic: 'there' });
    const { message: other } = (await hamlet.ok('GET', `/messages/${moved}`)) as { message: Body };
    t.type(other.last_moved_timestamp, 'number', '365');
    t.notOk('last_edit_timestamp' in other, '365');
  });

  await t.test('both directions of a direct conversation have one recipient_id', async (t) => {
    const [there, back] = [
      await hamlet.tell([iago.userId], 'there'),
      await iago.tell([hamlet.userId], 'back'),
    ];
    const seen = await Promise.all(
      [hamlet, iago].flatMap((client) =>
        [there, back].map(async (id) => {
          const { message } = await client.ok('GET', `/messages/${id}`);
          return (message as Body).recipient_id;
        }),
      ),
    );
    t.equal(new Set(seen).size, 1, '327, 482');
  });

  await t.test('permissions of channels and groups: a group, or any set of people', async (t) => {
    const people = { direct_members: [hamlet.userId], direct_subgroups: [] };
    const { id } = await owner.ok('POST', '/channels/create', {
      name: 'stage',
      subscribers: [owner.userId, hamlet.userId],
    });
    t.type(id, 'number', '417');
    for (const [level, name] of CHANNEL_PERMISSIONS) {
      await owner.ok('PATCH', `/streams/${String(id)}`, { [name]: { new: people } });
      const { stream } = await hamlet.ok('GET', `/streams/${String(id)}`);
      t.strictSame((stream as Body)[name], people, `${level} ${name}`);
    }
    const { stream } = (await hamlet.ok('GET', `/streams/${String(id)}`)) as { stream: Body };
    t.match(stream, {
      creator_id: owner.userId, // 254
      is_archived: false, // 315
      is_recently_active: true, // 323
      stream_post_policy: 3, // 333: full members, the smallest set of roles that holds Hamlet
      folder_id: null, // 389
      topics_policy: 'inherit', // 392
      subscriber_count: 2, // 394
    });
    const ended = await owner.ok('PATCH', `/streams/${String(id)}`, {
      stream_post_policy: 1,
      is_announcement_only: true,
    });
    t.strictSame(
      ended.ignored_parameters_unsupported,
      ['is_announcement_only', 'stream_post_policy'],
      '333',
    );
    const { group_id } = await owner.ok('POST', '/user_groups/create', {
      name: 'cast',
      description: '',
      members: [hamlet.userId],
      subgroups: [],
    });
    t.type(group_id, 'number', '317');
    for (const [level, name] of GROUP_PERMISSIONS) {
      await owner.ok('PATCH', `/user_groups/${String(group_id)}`, { [name]: { new: people } });
      const { user_groups } = await hamlet.ok('GET', '/user_groups');
      const group = (user_groups as Body[]).find((one) => one.id === group_id)!;
      t.strictSame(group[name], people, `${level} ${name}`);
    }
    const bare = await owner.call('PATCH', `/user_groups/${String(group_id)}`, {
      can_mention_group: 1,
    });
    t.match(bare.body, { code: 'BAD_REQUEST' }, '260: old and new');
    const { status } = await owner.call('DELETE', `/user_groups/${String(group_id)}`);
    t.equal(status, 405, '294');
  });

  await t.test('archived channels stay readable', async (t) => {
    const { id } = await owner.ok('POST', '/channels/create', {
      name: 'closed',
      subscribers: [owner.userId, hamlet.userId],
    });
    const message = await owner.say('last', 'closed', 'end');
    const old = await QueueReader.open(hamlet, { event_types: ['stream'] });
    await owner.ok('DELETE', `/streams/${String(id)}`);
    t.match(
      await old.now(),
      [{ op: 'delete', stream_ids: [id], streams: [{ stream_id: id }] }],
      '343, 378',
    );
    const path = `/streams/${String(id)}`;
    t.match(await hamlet.ok('GET', path), { stream: { is_archived: true } }, '480');
    t.match(
      await hamlet.ok('GET', `${path}/members`),
      { subscribers: [owner.userId, hamlet.userId] },
      '480',
    );
    const { topics } = await hamlet.ok('GET', `/users/me/${String(id)}/topics`);
    t.match(topics, [{ name: 'end', max_id: message }, { name: 'channel events' }], '480');
    t.match(await hamlet.ok('GET', `/messages/${message}`), { message: { id: message } }, '360');
    t.ok((await found([['channels', 'archived']])).includes(message), '489');
    const listed = async (parameters: Body) => {
      const { streams } = await hamlet.ok('GET', '/streams', parameters);
      return (streams as Body[]).some((one) => one.stream_id === id);
    };
    t.notOk(await listed({}), '315');
    t.ok(await listed({ exclude_archived: false }), '315');
    const { subscribed } = await owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'closed' }],
      principals: [iago.userId],
    });
    t.strictSame(subscribed, { [iago.userId]: ['closed'] }, '362, and 289: by user id');
  });

  await t.test('presence events by capability, and one person’s presence', async (t) => {
    const modern = await QueueReader.open(owner, {
      event_types: ['presence'],
      client_capabilities: { simplified_presence_events: true },
    });
    const legacy = await QueueReader.open(owner, { event_types: ['presence'] });
    const reply = await hamlet.ok('POST', '/users/me/presence', {
      status: 'active',
      last_update_id: -1,
    });
    t.type(reply.presence_last_update_id, 'number', '263');
    const key = String(hamlet.userId);
    const times = { active_timestamp: Number, idle_timestamp: Number };
    t.match(reply.presences, { [key]: times }, '263');
    const [event] = await modern.next();
    t.strictSame(Object.keys(event!).sort(), ['id', 'presences', 'type'], '419');
    t.match(event!.presences, { [key]: times }, '419');
    t.match(await legacy.next(), [{ email: hamlet.email, presence: { website: {} } }], '419');
    const one = await owner.ok('GET', `/users/${key}/presence`);
    t.strictSame(
      Object.keys(one.presence as Body).sort(),
      ['active_timestamp', 'aggregated', 'idle_timestamp', 'website'],
      '487 and 497',
    );
    t.type(one.server_timestamp, 'number', '497');
    const none = await hamlet.register({
      fetch_event_types: ['presence'],
      presence_history_limit_days: 0,
    });
    t.strictSame(none.presences, {}, '288');
  });
});
