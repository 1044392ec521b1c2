import t from 'tap';
import {
  CHANNEL_PERMISSIONS,
  type ChannelObject,
  type ChannelPermission,
} from '../../../../schemas/channels/channel.js';
import {
  subscriptionRenderer,
  type PersonalPart,
  type SubscriptionAdded,
} from '../../../../src/journal/renderers/subscription.js';
import type { QueueFilter } from '../../../../src/journal/queues/queue-filter.js';
import { queueFilter } from '../../../fixtures/receive.js';
import type { EventRenderer } from '../../../../src/journal/renderers/event-renderer.js';

const renderer: EventRenderer = subscriptionRenderer;

const personal: PersonalPart = {
  color: '#76ce90',
  is_muted: false,
  pin_to_top: true,
  desktop_notifications: null,
  audible_notifications: false,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
};
const inherited = {
  desktop_notifications: true,
  audible_notifications: true,
  push_notifications: false,
  email_notifications: false,
  wildcard_mentions_notify: true,
};
const permissions = Object.fromEntries(CHANNEL_PERMISSIONS.map((name) => [name, 10]));
const channel = (stream_id: number): ChannelObject => ({
  stream_id,
  name: 'name',
  description: '',
  rendered_description: '',
  date_created: 1,
  creator_id: 1,
  invite_only: false,
  is_web_public: false,
  history_public_to_subscribers: true,
  is_archived: false,
  is_announcement_only: false,
  stream_post_policy: 1,
  message_retention_days: null,
  first_message_id: null,
  folder_id: null,
  is_recently_active: true,
  topics_policy: 'inherit',
  subscriber_count: 3,
  stream_weekly_traffic: null,
  default_push_notifications: false,
  ...(permissions as Record<ChannelPermission, number>),
});
const added: SubscriptionAdded = {
  op: 'add',
  channels: [
    { channel: channel(1), subscribers: [3, 5, 9], partial: [9] },
    { channel: channel(2), subscribers: [5, 9], partial: null },
  ],
  kinds: [
    { personal: [personal, personal], inherited },
    { personal: [personal, { ...personal, color: '#fae589' }], inherited },
  ],
  users: [5, 7, 9],
  kind_of: [0, 1, 0],
};

function variant(userId: number, fields: Partial<QueueFilter> = {}): string | null {
  const filter = queueFilter(fields);
  const event = { type: 'subscription', data: added, subject: undefined };
  return renderer.variant(event, { userId, queueId: 'q', filter, inAudience: true });
}

function subscriptions(userId: number, fields: Partial<QueueFilter> = {}) {
  const event = { type: 'subscription', data: added, subject: undefined };
  const [body] = renderer.bodies(event, variant(userId, fields)!);
  return body!.subscriptions as Record<string, unknown>[];
}

// [c:shared-texts]
void t.test('users of one kind share a text, by what their queues asked for', async (t) => {
  t.equal(variant(5), variant(9));
  t.not(variant(5), variant(7));
  const asked: Partial<QueueFilter>[] = [
    {},
    { include_subscribers: true },
    { include_subscribers: 'partial' },
    { capabilities: { notification_settings_null: true } },
  ];
  t.equal(new Set(asked.map((fields) => variant(5, fields))).size, 4);
  t.equal(variant(6), null, 'not among the users');
});

// [c:subscriber-lists]
void t.test('subscribers: none, all, or a partial list, where it is not all', async (t) => {
  const lists = (include_subscribers: boolean | 'partial') =>
    subscriptions(5, { include_subscribers }).map((sub) => [
      sub.subscribers,
      sub.partial_subscribers,
    ]);
  t.strictSame(lists(false), [
    [undefined, undefined],
    [undefined, undefined],
  ]);
  t.strictSame(lists(true), [
    [[3, 5, 9], undefined],
    [[5, 9], undefined],
  ]);
  t.strictSame(lists('partial'), [
    [undefined, [9]],
    [[5, 9], undefined],
  ]);
});

// [c:null-notifications]
void t.test('null notification fields are filled in unless the queue takes null', async (t) => {
  const shown = (fields: Partial<QueueFilter>) => subscriptions(7, fields)[1];
  const rest = { pin_to_top: true, is_muted: false, in_home_view: true, color: '#fae589' };
  t.match(shown({}), { ...rest, ...inherited, audible_notifications: false });
  t.match(shown({ capabilities: { notification_settings_null: true } }), {
    ...rest,
    ...personal,
    color: '#fae589',
  });
});

void t.test(
  'other forms are sent as stored, about archived channels only where known',
  async (t) => {
    const data = { op: 'update', stream_id: 1, property: 'color', value: '#fff000' };
    const shown = (stored: Record<string, unknown>, filter: QueueFilter) => {
      const event = { type: 'subscription', data: stored, subject: undefined };
      const receiver = { userId: 5, queueId: 'q', filter, inAudience: true };
      const key = renderer.variant(event, receiver);
      return key === null ? null : renderer.bodies(event, key);
    };
    const body = [{ type: 'subscription', ...data }];
    t.strictSame(shown(data, queueFilter()), body);
    t.equal(shown({ ...data, archived: true }, queueFilter()), null);
    const knowing = queueFilter({ capabilities: { archived_channels: true } });
    t.strictSame(shown({ ...data, archived: true }, knowing), body);
  },
);
