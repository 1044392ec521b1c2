import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { channelView, postPolicy } from '../../../../src/organization/views/channel-view.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

const DAY = 86_400;

void t.test('a channel object has every field of the contract', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel({ name: 'design', creator_id: 7, folder_id: null });
  const everyone = test.system('role:everyone');
  const nobody = test.system('role:nobody');
  t.strictSame(channelView(test.org, channel), {
    stream_id: channel.stream_id,
    name: 'design',
    description: '',
    rendered_description: '',
    date_created: channel.date_created,
    creator_id: 7,
    invite_only: false,
    is_web_public: false,
    history_public_to_subscribers: true,
    is_archived: false,
    is_announcement_only: false,
    stream_post_policy: 1,
    message_retention_days: null,
    first_message_id: null,
    folder_id: null,
    is_recently_active: false,
    topics_policy: 'inherit',
    subscriber_count: 0,
    stream_weekly_traffic: 0,
    default_push_notifications: false,
    can_add_subscribers_group: nobody,
    can_administer_channel_group: nobody,
    can_create_topic_group: everyone,
    can_delete_any_message_group: nobody,
    can_delete_own_message_group: nobody,
    can_move_messages_out_of_channel_group: nobody,
    can_move_messages_within_channel_group: nobody,
    can_remove_subscribers_group: test.system('role:administrators'),
    can_resolve_topics_group: nobody,
    can_send_message_group: everyone,
    can_subscribe_group: nobody,
  });
});

// [c:channel-activity]
void t.test('first message, activity and traffic follow from messages', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  const channel = test.channel();
  const view = () => channelView(test.org, channel);
  const at = (daysAgo: number) => ({ timestamp: test.seconds - daysAgo * DAY });
  const first = test.message(channel, ann, at(181));
  t.match(view(), { first_message_id: first.id, is_recently_active: false });
  test.message(channel, ann, at(179));
  t.match(view(), { first_message_id: first.id, is_recently_active: true });
  for (let i = 0; i < 10; i++) test.message(channel, ann, at(20));
  // Ten messages in four weeks are two and a half a week.
  t.equal(view().stream_weekly_traffic, 2.5);
  for (let i = 0; i < 4000; i++) test.message(channel, ann, at(1));
  t.equal(view().stream_weekly_traffic, 1000, 'to two digits');
});

void t.test('young channels are active and have no traffic yet', async (t) => {
  const test = new TestOrganization();
  const view = (days: number) =>
    channelView(test.org, test.channel({ date_created: test.seconds - days * DAY }));
  t.match(view(6), { is_recently_active: true, stream_weekly_traffic: null });
  t.match(view(7), { is_recently_active: true, stream_weekly_traffic: 0 });
  t.match(view(179), { is_recently_active: true });
  t.match(view(181), { is_recently_active: false });
});

void t.test('traffic of a channel younger than four weeks is averaged over its life', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel({ date_created: test.seconds - 14 * DAY });
  const ann = test.user();
  for (let i = 0; i < 6; i++) test.message(channel, ann);
  t.equal(channelView(test.org, channel).stream_weekly_traffic, 3);
});

void t.test('only active users count as subscribers', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel();
  test.subscribe(test.user(), channel);
  test.subscribe(test.user({ is_active: false }), channel);
  t.equal(channelView(test.org, channel).subscriber_count, 1);
  t.equal(channelView(test.org, channel, 0).subscriber_count, 0);
});

// [c:post-policy-from-groups]
void t.test(
  'the post policy is the smallest set of roles that holds all who may post',
  async (t) => {
    const test = new TestOrganization({ waiting_period_threshold: 10 });
    const { org } = test;
    const expected = {
      'role:nobody': 2,
      'role:owners': 2,
      'role:administrators': 2,
      'role:moderators': 4,
      'role:fullmembers': 3,
      'role:members': 1,
      'role:everyone': 1,
    } as const;
    for (const [name, policy] of Object.entries(expected)) {
      t.equal(postPolicy(org, test.system(name as keyof typeof expected)), policy, name);
    }
    const admin = test.user({ role: ROLE.administrator });
    const moderator = test.user({ role: ROLE.moderator });
    const veteran = test.user();
    const novice = test.user({ date_joined: test.now });
    const ofUsers = (...users: { user_id: number }[]) => ({
      direct_members: users.map((user) => user.user_id),
      direct_subgroups: [],
    });
    t.equal(postPolicy(org, ofUsers(admin)), 2);
    t.equal(postPolicy(org, ofUsers(admin, moderator)), 4);
    t.equal(postPolicy(org, ofUsers(moderator, veteran)), 3);
    t.equal(postPolicy(org, ofUsers(admin, novice)), 1);
    const inner = test.group({ members: [moderator.user_id] });
    const outer = test.group({ members: [admin.user_id], direct_subgroup_ids: [inner.id] });
    t.equal(postPolicy(org, outer.id), 4);
    t.equal(
      postPolicy(org, { direct_members: [veteran.user_id], direct_subgroups: [outer.id] }),
      3,
    );
    t.ok(channelView(org, test.channel({ can_send_message_group: 1 })).is_announcement_only);
  },
);

void t.test(
  'without a waiting period only guests widen the post policy to everybody',
  async (t) => {
    const test = new TestOrganization({ waiting_period_threshold: 0 });
    const { org } = test;
    const admin = test.user({ role: ROLE.administrator });
    const moderator = test.user({ role: ROLE.moderator });
    const novice = test.user({ date_joined: test.now });
    const gone = test.user({ role: ROLE.guest, is_active: false });
    const guest = test.user({ role: ROLE.guest });
    const policy = (...users: { user_id: number }[]) => {
      const direct_members = users.map(({ user_id }) => user_id);
      return postPolicy(org, { direct_members, direct_subgroups: [] });
    };
    const check = (): void => {
      t.equal(policy(), 2);
      t.equal(policy(admin, gone), 2);
      t.equal(policy(admin, moderator, gone), 4);
      t.equal(policy(admin, novice, moderator), 3);
      t.equal(policy(admin, novice, guest), 1);
      t.equal(policy(guest), 1);
    };
    check();
    // So many that they are not looked for one by one.
    for (let i = 0; i < 20; i++) test.user({ role: ROLE.guest });
    check();
  },
);
