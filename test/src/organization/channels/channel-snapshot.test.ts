import fc from 'fast-check';
import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import type { JournalEvent } from '../../../../src/journal/entry.js';
import {
  channelSettings,
  createChannel,
} from '../../../../src/organization/channels/channel-creation.js';
import {
  channelsSeenBy,
  subscriptionList,
} from '../../../../src/organization/channels/channel-snapshot.js';
import type { PartedChange } from '../../../../src/organization/state/parted-change.js';
import { channelView } from '../../../../src/organization/views/channel-view.js';
import { channelText } from '../../../../src/resources/snapshot-fragments/channel-texts.js';
import { emitDefaultChannels } from '../../../../src/organization/views/channel-events.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { changeSubscription } from '../../../../src/organization/channels/subscription-change.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import { everyViewer, freshState } from '../../../fixtures/channel-viewer.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';
import { queueFilter } from '../../../fixtures/receive.js';
import { costsLess, processorTime } from '../../../fixtures/machine-load.js';

/** People of all kinds and channels of all kinds, some of whom are together already. */
function populated(): {
  test: TestOrganization;
  users: UserDocument[];
  channels: ChannelDocument[];
} {
  const test = new TestOrganization({ enable_spectator_access: true });
  const users = [
    test.user({ role: ROLE.owner }),
    test.user({ role: ROLE.administrator }),
    test.user(),
    test.user(),
    test.user({ role: ROLE.guest }),
    test.user({ role: ROLE.guest }),
    test.user({ is_bot: true, bot_type: 1 }),
  ];
  const holders = { direct_members: [users[3]!.user_id], direct_subgroups: [] };
  const channels = [
    test.channel(),
    test.channel({ is_default: true }),
    test.channel({ is_web_public: true }),
    test.channel({ invite_only: true }),
    test.channel({ invite_only: true, can_subscribe_group: holders }),
    test.channel({ is_archived: true }),
    test.channel({ is_archived: true, invite_only: true }),
  ];
  test.load('user_settings', {
    user_id: users[2]!.user_id,
    edited: [],
    enable_stream_push_notifications: true,
  });
  const inactive = test.user({ is_active: false });
  for (const channel of channels) {
    test.subscribe(inactive, channel);
    test.subscribe(users[2]!, channel);
    test.subscribe(users[5]!, channel, { push_notifications: true });
  }
  return { test, users, channels };
}

type World = ReturnType<typeof populated>;
type Step = (world: World) => readonly JournalEvent[];

const indexes = (count: number) =>
  fc.uniqueArray(fc.nat(count - 1), { minLength: 1, maxLength: 4 });
const pick = <T>(items: readonly T[], places: readonly number[]): T[] =>
  places.map((place) => items[place % items.length]!);

function subscribing(people: number[], places: number[]): Step {
  return ({ test, users, channels }) => {
    const current = pick(channels, places).map((one) => test.org.channels.get(one.stream_id)!);
    const wanted = [...new Set(current)].filter((channel) => !channel.is_archived);
    const userIds = pick(users, people).map((user) => user.user_id);
    return test.run((tx) => subscribeUsers(tx, { channels: wanted, userIds })).events;
  };
}

function unsubscribing(people: number[], places: number[]): Step {
  return ({ test, users, channels }) => {
    const current = pick(channels, places).map((one) => test.org.channels.get(one.stream_id)!);
    const userIds = pick(users, people).map((user) => user.user_id);
    return test.run((tx) => unsubscribeUsers(tx, { channels: [...new Set(current)], userIds }))
      .events;
  };
}

function creating(people: number[], privacy: 'public' | 'private' | 'web' | 'default'): Step {
  return ({ test, users, channels }) => {
    const request = {
      invite_only: privacy === 'private',
      is_web_public: false,
      is_default_stream: privacy === 'default',
      message_retention_days: 'realm_default',
      topics_policy: 'inherit',
    } as const;
    const name = `made ${test.org.channels.size}`;
    return test.run((tx) => {
      // As an organization has them from before they were refused.
      const is_web_public = privacy === 'web';
      const settings = {
        ...channelSettings(tx.org, users[0]!, request, () => false),
        is_web_public,
      };
      const channel = createChannel(
        tx,
        { name, description: '', rendered_description: '' },
        settings,
      );
      channels.push(channel);
      subscribeUsers(tx, {
        channels: [channel],
        userIds: pick(users, people).map((user) => user.user_id),
      });
      if (channel.is_default) emitDefaultChannels(tx);
    }).events;
  };
}

function changing(person: number, place: number, property: string, value: boolean): Step {
  return ({ test, users, channels }) => {
    const user = users[person]!;
    const { stream_id } = channels[place % channels.length]!;
    if (!test.org.subscriptions.isSubscribed(user.user_id, stream_id)) return [];
    return test.run((tx) => changeSubscription(tx, user, { stream_id, property, value })).events;
  };
}

const people = indexes(7);
const places = indexes(8);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(people, places).map((args) => subscribing(...args)),
  fc.tuple(people, places).map((args) => unsubscribing(...args)),
  fc
    .tuple(
      people,
      fc.constantFrom('public' as const, 'private' as const, 'web' as const, 'default' as const),
    )
    .map((args) => creating(...args)),
  fc
    .tuple(
      fc.nat(6),
      fc.nat(8),
      fc.constantFrom('is_muted', 'in_home_view', 'pin_to_top', 'push_notifications'),
      fc.boolean(),
    )
    .map((args) => changing(...args)),
);

void t.test('a snapshot with the events since is a fresh snapshot, for every viewer', async (t) => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 8 }), (steps) => {
      const world = populated();
      const viewers = everyViewer(world.test.org);
      for (const step of steps) {
        const events = step(world);
        for (const viewer of viewers) viewer.receive(events);
      }
      for (const viewer of viewers) t.strictSame(viewer.believed, viewer.actual);
      return t.passing();
    }),
    { numRuns: 60, seed: 20260115 },
  );
});

void t.test('the lists of a snapshot are disjoint, and all that is visible', async (t) => {
  const { test, users, channels } = populated();
  const [open] = channels;
  test.run((tx) => unsubscribeUsers(tx, { channels: [open!], userIds: [users[2]!.user_id] }));
  const filter = queueFilter({ include_subscribers: true });
  const ids = (userId: number) => {
    const state = freshState(test.org, userId, filter);
    return [state.subscriptions, state.unsubscribed, state.never_subscribed, state.streams].map(
      (list) => [...list.keys()],
    );
  };
  t.strictSame(ids(users[2]!.user_id), [[2, 3, 4, 5], [1], [], [1, 2, 3, 4, 5]]);
  t.strictSame(ids(users[3]!.user_id), [[], [], [1, 2, 3, 5], [1, 2, 3, 5]]);
  t.strictSame(ids(users[4]!.user_id), [[], [], [3], [3]], 'a guest');
  const all = freshState(test.org, users[1]!.user_id, {
    ...filter,
    capabilities: { archived_channels: true },
  });
  t.strictSame([...all.never_subscribed.keys()], [1, 2, 3, 4, 5, 6, 7], 'an administrator');
  t.strictSame(all.never_subscribed.get(2)!.subscribers, [users[2]!.user_id, users[5]!.user_id]);
  t.notOk('color' in all.never_subscribed.get(2)!);
});

void t.test(
  'inherited notification settings replace null where the client asked for it',
  async (t) => {
    const { test, users } = populated();
    const value = (capabilities: { notification_settings_null?: boolean }) =>
      freshState(test.org, users[2]!.user_id, queueFilter({ capabilities })).subscriptions.get(1)!
        .push_notifications;
    t.equal(value({}), true);
    t.equal(value({ notification_settings_null: true }), null);
  },
);

void t.test('default channels are no business of guests', async (t) => {
  const { test, users } = populated();
  t.strictSame(freshState(test.org, users[2]!.user_id, queueFilter()).realm_default_streams, [2]);
  t.strictSame(freshState(test.org, users[4]!.user_id, queueFilter()).realm_default_streams, []);
});

void t.test('a list of subscriptions costs little more than that of the channels', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  for (let i = 0; i < 3000; i++) test.subscribe(ann, test.channel());
  const { org } = test;
  const never = { org, isOver: false, nextPart: () => [] } as unknown as PartedChange;
  const listed = (): unknown => subscriptionList(never, ann, false).next().value;
  const channels = (): unknown =>
    channelsSeenBy(org, ann, true).map((one) => channelView(org, one));
  /** Some runs together: of a single one systems may count nothing. */
  const cost = (list: () => unknown) => (): number =>
    processorTime(() => {
      for (let i = 0; i < 8; i++) JSON.stringify(list());
    });
  // It was five times as much.
  await costsLess(t, 2.5, cost(listed), cost(channels));
});

void t.test('texts of channels are what their objects say, whatever has changed', (t) => {
  const { test, channels } = populated();
  const { org } = test;
  const text = (channel: ChannelDocument): unknown =>
    JSON.parse(`{${channelText(org, org.channels.get(channel.stream_id)!, {})}}`);
  const same = (what: string): void => {
    for (const channel of channels) {
      const now = org.channels.get(channel.stream_id)!;
      t.strictSame(text(channel), JSON.parse(JSON.stringify(channelView(org, now))), what);
    }
  };
  same('at first');
  test.subscribe(test.user(), channels[0]!);
  same('a subscriber more');
  test.run((tx) => tx.org.channels.update(channels[0]!.stream_id, { description: 'another' }));
  same('another description');
  t.end();
});
