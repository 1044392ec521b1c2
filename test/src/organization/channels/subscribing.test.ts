import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { CHANNEL_COLORS } from '../../../../src/organization/views/channel-colors.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';
import { queueFilter, received } from '../../../fixtures/receive.js';

type Data = Record<string, unknown>;

void t.test(
  'others learn of new subscribers of a public channel, new ones get it whole',
  async (t) => {
    const test = new TestOrganization();
    const [ann, bob, cat] = [test.user(), test.user(), test.user()];
    const channel = test.channel();
    test.subscribe(ann, channel);
    const { events } = test.run((tx) =>
      subscribeUsers(tx, { channels: [channel], userIds: [cat.user_id, bob.user_id] }),
    );
    t.strictSame(
      events.map(({ type, audience, data }) => [type, data.op, audience]),
      [
        ['subscription', 'add', { to: 'users', users: [bob.user_id, cat.user_id] }],
        ['subscription', 'peer_add', { to: 'all', except: [bob.user_id, cat.user_id] }],
      ],
    );
    t.strictSame(events[1]!.data, {
      op: 'peer_add',
      stream_ids: [channel.stream_id],
      user_ids: [bob.user_id, cat.user_id],
    });
    const [added] = received(events, bob.user_id, queueFilter({ include_subscribers: true }));
    t.match((added!.subscriptions as Data[])[0], {
      stream_id: channel.stream_id,
      subscribers: [ann.user_id, bob.user_id, cat.user_id],
      subscriber_count: 3,
      color: CHANNEL_COLORS[0],
      is_muted: false,
      in_home_view: true,
      pin_to_top: false,
      push_notifications: false,
      wildcard_mentions_notify: true,
    });
  },
);

void t.test('a private channel is introduced before the subscription', async (t) => {
  const test = new TestOrganization();
  const [ann, bob] = [test.user(), test.user()];
  const admin = test.user({ role: ROLE.administrator });
  const outsider = test.user();
  const channel = test.channel({ invite_only: true });
  test.subscribe(ann, channel);
  const { events } = test.run((tx) =>
    subscribeUsers(tx, { channels: [channel], userIds: [bob.user_id, admin.user_id] }),
  );
  t.strictSame(
    events.map(({ type, audience, data }) => [type, data.op, audience]),
    [
      // The administrator could see the channel already.
      ['stream', 'create', { to: 'users', users: [bob.user_id] }],
      ['subscription', 'add', { to: 'users', users: [bob.user_id, admin.user_id] }],
      ['subscription', 'peer_add', { to: 'users', users: [ann.user_id] }],
    ],
  );
  t.strictSame(received(events, outsider.user_id), []);
});

void t.test('guests see a public channel once they subscribe', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  const guest = test.user({ role: ROLE.guest });
  const other = test.user({ role: ROLE.guest });
  const channel = test.channel();
  const { events } = test.run((tx) =>
    subscribeUsers(tx, { channels: [channel], userIds: [guest.user_id] }),
  );
  const kinds = (id: number) => received(events, id).map((one) => `${one.type} ${String(one.op)}`);
  t.strictSame(kinds(guest.user_id), ['stream create', 'subscription add']);
  t.strictSame(kinds(ann.user_id), ['subscription peer_add']);
  t.strictSame(kinds(other.user_id), []);
});

void t.test('channels with the same newcomers share a peer event, others do not', async (t) => {
  const test = new TestOrganization();
  const [ann, bob] = [test.user(), test.user()];
  const channels = [test.channel(), test.channel(), test.channel()];
  test.subscribe(bob, channels[2]!);
  const { events, result } = test.run((tx) =>
    subscribeUsers(tx, { channels, userIds: [ann.user_id, bob.user_id] }),
  );
  const [first, second, third] = channels.map((channel) => channel.stream_id);
  t.strictSame(
    events.filter(({ data }) => data.op === 'peer_add').map(({ data }) => data),
    [
      { op: 'peer_add', stream_ids: [first, second], user_ids: [ann.user_id, bob.user_id] },
      { op: 'peer_add', stream_ids: [third], user_ids: [ann.user_id] },
    ],
  );
  t.strictSame(result.alreadySubscribed.get(bob.user_id), [channels[2]]);
  t.strictSame(result.subscribed.get(ann.user_id), channels);
  const adds = received(events, ann.user_id).filter((one) => one.op === 'add');
  t.equal(adds.length, 1, 'one event for all of a user’s new channels');
});

void t.test('subscribing the subscribed changes and tells nothing', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  const channel = test.channel();
  test.subscribe(ann, channel);
  const { content } = test.run((tx) =>
    subscribeUsers(tx, { channels: [channel], userIds: [ann.user_id] }),
  );
  t.strictSame(content.events, []);
  t.strictSame(content.writes, []);
});

void t.test(
  'colours: the next unused, then in turn; asked ones and former ones stay',
  async (t) => {
    const test = new TestOrganization();
    const ann = test.user();
    const channels = Array.from({ length: CHANNEL_COLORS.length + 1 }, () => test.channel());
    test.subscribe(ann, channels[0]!, { color: CHANNEL_COLORS[1] });
    const userIds = [ann.user_id];
    const colors = new Map([[channels[2]!.stream_id, CHANNEL_COLORS[2]]]);
    test.run((tx) => subscribeUsers(tx, { channels: channels.slice(1), userIds, colors }));
    const color = (i: number) =>
      test.org.subscriptions.of(ann.user_id, channels[i]!.stream_id)!.color;
    t.equal(color(1), CHANNEL_COLORS[0]);
    t.equal(color(2), CHANNEL_COLORS[2]);
    t.equal(color(3), CHANNEL_COLORS[3]);
    t.equal(color(24), CHANNEL_COLORS[0], 'all 24 are in use');
    test.run((tx) => unsubscribeUsers(tx, { channels: [channels[3]!], userIds }));
    test.run((tx) => subscribeUsers(tx, { channels: [channels[3]!], userIds }));
    t.equal(color(3), CHANNEL_COLORS[3]);
  },
);

void t.test('spans grow only when something was missed', async (t) => {
  const test = new TestOrganization();
  const [ann, bob] = [test.user(), test.user()];
  const channel = test.channel();
  const request = { channels: [channel], userIds: [ann.user_id] };
  const spans = () => test.org.subscriptions.of(ann.user_id, channel.stream_id)!.spans;
  const first = test.run((tx) => subscribeUsers(tx, request)).seq;
  t.strictSame(spans(), [[first, null]]);
  const left = test.run((tx) => unsubscribeUsers(tx, request)).seq;
  t.strictSame(spans(), [[first, left]]);
  test.run((tx) => subscribeUsers(tx, request));
  t.strictSame(spans(), [[first, null]], 'nothing was sent meanwhile');
  const again = test.run((tx) => unsubscribeUsers(tx, request)).seq;
  test.message(channel, bob);
  const back = test.run((tx) => subscribeUsers(tx, request)).seq;
  t.strictSame(spans(), [
    [first, again],
    [back, null],
  ]);
});

void t.test('a thousand users subscribe within a small entry', async (t) => {
  const test = new TestOrganization();
  const users = Array.from({ length: 1000 }, () => test.user());
  const channel = test.channel();
  const userIds = users.map((user) => user.user_id);
  const started = process.hrtime.bigint();
  const { content } = test.run((tx) => subscribeUsers(tx, { channels: [channel], userIds }));
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  t.comment(`1000 subscriptions in ${ms.toFixed(1)} ms`);
  t.equal(content.events.length, 2);
  const bytes = JSON.stringify(content.events).length;
  t.ok(bytes < 30_000, `events take ${bytes} bytes`);
  const data = content.events[0]!.data as { kinds: unknown[] };
  t.equal(data.kinds.length, 1, 'equal events are serialized once');
});

// [c:partial-subscribers-chosen]
void t.test('partial lists of large channels name bots and people seen lately', async (t) => {
  const test = new TestOrganization();
  const users = Array.from({ length: 300 }, () => test.user());
  const bot = test.user({ is_bot: true, bot_type: 1 });
  const presence = { idle_timestamp: null, update_id: 1 };
  const day = 86_400;
  test.load('presence', {
    ...presence,
    user_id: users[5]!.user_id,
    active_timestamp: test.seconds - day,
  });
  test.load('presence', {
    ...presence,
    user_id: users[6]!.user_id,
    active_timestamp: test.seconds - 15 * day,
  });
  // Noted once a day, so that they may have done something until a day later.
  for (const [i, days] of [
    [7, 1],
    [8, 14],
    [9, 15],
    [10, 16],
  ] as const) {
    const user_id = users[i]!.user_id;
    test.load('user_activity', { user_id, active_at: test.seconds - days * day });
  }
  const [large, small] = [test.channel(), test.channel()];
  for (const user of [...users, bot]) test.subscribe(user, large);
  const ann = test.user();
  const { events } = test.run((tx) =>
    subscribeUsers(tx, { channels: [large, small], userIds: [ann.user_id] }),
  );
  const filter = queueFilter({ include_subscribers: 'partial' });
  const [added] = received(events, ann.user_id, filter);
  const [first, second] = added!.subscriptions as Data[];
  t.strictSame(first!.partial_subscribers, [
    ...[5, 7, 8, 9].map((i) => users[i]!.user_id),
    bot.user_id,
  ]);
  t.notOk('subscribers' in first!);
  t.strictSame(second!.subscribers, [ann.user_id]);
  t.notOk('partial_subscribers' in second!, 'a list that is whole is none of them');
});
