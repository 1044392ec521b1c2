/** specification.md#events: what `subscription` event objects carry. */
import t from 'tap';
import { TOPICS_POLICIES } from '../../../../schemas/channels/channel.js';
import { PARTIAL_SUBSCRIBERS_THRESHOLD } from '../../../../schemas/limits.js';
import type { SystemGroupName } from '../../../../schemas/groups/permissions.js';
import type { QueueFilter } from '../../../../src/journal/queues/queue-filter.js';
import { channelWorld, type Params } from '../../../fixtures/channel-world.js';
import { queueFilter, received } from '../../../fixtures/receive.js';

/** The channel of an owner, and what Ann's queue is told when she joins it. */
function joining(settings: Params = {}, filter: Partial<QueueFilter> = {}) {
  const world = channelWorld();
  const { test, owner, ann, run } = world;
  test.load('channel_folder', {
    id: 5,
    name: 'Plays',
    description: '',
    rendered_description: '',
    creator_id: null,
    date_created: 0,
    order: 0,
    is_archived: false,
  });
  run('create-channel', owner, {
    name: 'stage',
    description: '**All**',
    subscribers: [owner.user_id],
    ...settings,
  });
  const channel = test.org.channels.byName('stage')!;
  const { id } = test.message(channel, owner);
  const join = () => {
    const { events } = run('subscribe', ann, {
      subscriptions: [{ name: 'stage', color: '#ABC' }],
      send_new_subscription_messages: false,
    });
    const [event] = received(events, ann.user_id, queueFilter(filter));
    return (event!.subscriptions as Params[])[0]!;
  };
  return { ...world, channel, messageId: id, join };
}

const nulls = { capabilities: { notification_settings_null: true } } as const;

// [c:subscription-fields]
void t.test('every field of the list, and its value', async (t) => {
  const { test, owner, ann, channel, messageId, join } = joining(
    { message_retention_days: 30, folder_id: 5, topics_policy: 'disable_empty_topic' },
    { ...nulls, include_subscribers: true },
  );
  t.match(join(), {
    stream_id: channel.stream_id,
    name: 'stage',
    description: '**All**',
    rendered_description: '<p><strong>All</strong></p>',
    date_created: test.seconds,
    creator_id: owner.user_id,
    invite_only: false,
    subscribers: [owner.user_id, ann.user_id],
    desktop_notifications: null,
    email_notifications: null,
    wildcard_mentions_notify: null,
    push_notifications: null,
    audible_notifications: null,
    pin_to_top: false,
    is_muted: false,
    in_home_view: true,
    is_announcement_only: false,
    is_web_public: false,
    color: '#aabbcc',
    stream_post_policy: 1,
    message_retention_days: 30,
    history_public_to_subscribers: true,
    first_message_id: messageId,
    folder_id: 5,
    topics_policy: 'disable_empty_topic',
  });
});

// [c:subscription-nulls]
void t.test('fields that may be null, and the other privacies', async (t) => {
  const { test, ann, channel, join } = joining();
  // As a store may hold it from before such channels were refused.
  test.load('channel', { ...channel, is_web_public: true });
  const plain = join();
  t.match(plain, {
    message_retention_days: null,
    folder_id: null,
    is_web_public: true,
    desktop_notifications: false,
    push_notifications: false,
    wildcard_mentions_notify: true,
  });
  t.notOk('subscribers' in plain, 'only if include_subscribers is true');
  t.notOk('partial_subscribers' in plain);
  t.equal(test.org.subscriptions.isSubscribed(ann.user_id, channel.stream_id), true);
  const secret = joining({ invite_only: true, can_subscribe_group: 6 }, nulls);
  t.match(secret.join(), { invite_only: true, history_public_to_subscribers: false });
  t.equal(joining({ message_retention_days: 'unlimited' }).join().message_retention_days, -1);
});

// [c:stream-post-policy]
void t.test(
  '`stream_post_policy`: 1 any user, 2 administrators, 3 full members, 4 moderators',
  async (t) => {
    const policies: [SystemGroupName, number][] = [
      ['role:everyone', 1],
      ['role:members', 1],
      ['role:administrators', 2],
      ['role:nobody', 2],
      ['role:fullmembers', 3],
      ['role:moderators', 4],
    ];
    const { test } = channelWorld();
    for (const [name, stream_post_policy] of policies) {
      const told = joining({ can_send_message_group: test.system(name) }).join();
      t.match(told, { stream_post_policy, is_announcement_only: stream_post_policy === 2 }, name);
    }
  },
);

// [c:topics-policy]
void t.test('`topics_policy`: each of its values', async (t) => {
  for (const topics_policy of TOPICS_POLICIES) {
    t.equal(joining({ topics_policy }).join().topics_policy, topics_policy);
  }
});

// [c:partial-subscribers]
void t.test(
  '`partial_subscribers`: all bot subscribers and all users active in the last 14 days',
  async (t) => {
    const { test, owner, channel, join } = joining({}, { include_subscribers: 'partial' });
    const bot = test.user({ is_bot: true, bot_type: 1, bot_owner_id: owner.user_id });
    test.subscribe(bot, channel);
    for (let i = 0; i < PARTIAL_SUBSCRIBERS_THRESHOLD; i++) test.subscribe(test.user(), channel);
    const active = test.user();
    test.subscribe(active, channel);
    const DAYS = 86_400;
    const seen = (user_id: number, ago: number) =>
      test.load('presence', {
        user_id,
        active_timestamp: test.seconds - ago,
        idle_timestamp: test.seconds - ago,
        update_id: user_id,
        clients: {},
      });
    seen(active.user_id, 13 * DAYS);
    seen(owner.user_id, 15 * DAYS);
    const told = join();
    t.strictSame(told.partial_subscribers, [bot.user_id, active.user_id]);
    t.notOk('subscribers' in told);
  },
);

void t.test('null in place of a description or a colour leaves it out', async (t) => {
  const { test, owner, run } = channelWorld();
  run('subscribe', owner, { subscriptions: [{ name: 'new', description: null, color: null }] });
  t.equal(test.org.channels.byName('new')!.description, '');
});
