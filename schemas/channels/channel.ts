import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { collection } from '../collection.js';
import { type Frozen, nullable, oneOf } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL, MESSAGE, OPHELIA, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { GroupSettingValue } from '../groups/user-group.js';

/** The eleven permission settings of a channel (endpoints-channels.md#channel-object), in wire order. */
export const CHANNEL_PERMISSIONS = [
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_create_topic_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
  'can_move_messages_out_of_channel_group',
  'can_move_messages_within_channel_group',
  'can_remove_subscribers_group',
  'can_resolve_topics_group',
  'can_send_message_group',
  'can_subscribe_group',
] as const;
/** Name of a permission setting of a channel. */
export type ChannelPermission = (typeof CHANNEL_PERMISSIONS)[number];

/** Whether a channel allows the empty topic, allows only that, or inherits the organization's policy. */
export const TOPICS_POLICIES = [
  'inherit',
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
] as const;
/** One of {@link TOPICS_POLICIES}. */
export type TopicsPolicy = (typeof TOPICS_POLICIES)[number];

/** Stored channel. Facts that follow from messages or subscriptions are derived, not stored. */
export const ChannelDocument = Type.Object({
  stream_id: Type.Integer(),
  /** Conversation id of the channel's messages. */
  recipient_id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  rendered_description: Type.String(),
  /** UNIX seconds. */
  date_created: Type.Integer(),
  creator_id: nullable(Type.Integer()),
  invite_only: Type.Boolean(),
  is_web_public: Type.Boolean(),
  history_public_to_subscribers: Type.Boolean(),
  is_archived: Type.Boolean(),
  is_default: Type.Boolean(),
  message_retention_days: nullable(Type.Integer()),
  folder_id: nullable(Type.Integer()),
  topics_policy: Type.Unsafe<TopicsPolicy>(Type.String()),
  can_add_subscribers_group: GroupSettingValue,
  can_administer_channel_group: GroupSettingValue,
  can_create_topic_group: GroupSettingValue,
  can_delete_any_message_group: GroupSettingValue,
  can_delete_own_message_group: GroupSettingValue,
  can_move_messages_out_of_channel_group: GroupSettingValue,
  can_move_messages_within_channel_group: GroupSettingValue,
  can_remove_subscribers_group: GroupSettingValue,
  can_resolve_topics_group: GroupSettingValue,
  can_send_message_group: GroupSettingValue,
  can_subscribe_group: GroupSettingValue,
});
export type ChannelDocument = Static<typeof ChannelDocument>;

/** The stored documents of `channel`. */
export const channelCollection = collection('channel', ChannelDocument);

const Int = Type.Integer();
const Flag = Type.Boolean();
const Text = Type.String();

const PERMISSIONS = Object.fromEntries(
  CHANNEL_PERMISSIONS.map((name) => [name, GroupSettingValue]),
) as Record<ChannelPermission, typeof GroupSettingValue>;

const CHANNEL_FIELDS = {
  stream_id: Int,
  name: Text,
  description: Text,
  rendered_description: Text,
  date_created: Int,
  creator_id: nullable(Int),
  invite_only: Flag,
  is_web_public: Flag,
  history_public_to_subscribers: Flag,
  is_archived: Flag,
  is_announcement_only: Flag,
  stream_post_policy: oneOf(1, 2, 3, 4),
  message_retention_days: nullable(Int),
  first_message_id: nullable(Int),
  folder_id: nullable(Int),
  is_recently_active: Flag,
  topics_policy: oneOf(...TOPICS_POLICIES),
  subscriber_count: Int,
  stream_weekly_traffic: nullable(Type.Number()),
  default_push_notifications: Flag,
  ...PERMISSIONS,
};

/** Lists of subscribers where they were asked for. */
const LISTS = {
  subscribers: Type.Optional(Type.Array(Int)),
  partial_subscribers: Type.Optional(Type.Array(Int)),
};

/** A channel as the wire shows it (endpoints-channels.md#channel-object, events-channels.md#channels). */
export const ChannelObject = Type.Object(CHANNEL_FIELDS, { ...exact, title: 'Channel' });
export type ChannelObject = Frozen<Static<typeof ChannelObject>>;

/** A channel as `GET /streams` lists it. */
export const ListedChannel = Type.Object(
  { ...CHANNEL_FIELDS, ...LISTS, is_default: Type.Optional(Flag) },
  { ...exact, title: 'ListedChannel' },
);
export type ListedChannel = Frozen<Static<typeof ListedChannel>>;

/** A subscription (settings.md#subscription-object; specification.md#events). */
export const SubscriptionObject = Type.Object(
  {
    ...CHANNEL_FIELDS,
    ...LISTS,
    color: Text,
    is_muted: Flag,
    in_home_view: Flag,
    pin_to_top: Flag,
    desktop_notifications: nullable(Flag),
    audible_notifications: nullable(Flag),
    push_notifications: nullable(Flag),
    email_notifications: nullable(Flag),
    wildcard_mentions_notify: nullable(Flag),
  },
  { ...exact, title: 'Subscription' },
);
export type SubscriptionObject = Frozen<Static<typeof SubscriptionObject>>;

export { PERMISSIONS as CHANNEL_PERMISSION_FIELDS };

const Ids = Type.Array(Int);
const stream = Type.Literal('stream');

/** events-channels.md#channels. */
export const streamCreate = Type.Object(
  { type: stream, op: Type.Literal('create'), streams: Type.Array(ChannelObject) },
  exact,
);

/** events-channels.md#channels. */
export const streamDelete = Type.Object(
  {
    type: stream,
    op: Type.Literal('delete'),
    streams: Type.Array(Type.Object({ stream_id: Int }, exact)),
    stream_ids: Ids,
  },
  exact,
);

const UPDATE = { type: stream, op: Type.Literal('update'), stream_id: Int, name: Text };
function update<P extends TSchema, V extends TSchema, E extends TProperties = Record<never, never>>(
  property: P,
  value: V,
  extras?: E,
) {
  return Type.Object({ ...UPDATE, property, value, ...(extras as E) }, exact);
}

/** events-channels.md#channels, by the kind of property. */
export const streamUpdates = [
  update(Type.Literal('name'), Text),
  update(Type.Literal('description'), Text, { rendered_description: Text }),
  update(Type.Literal('invite_only'), Flag, {
    history_public_to_subscribers: Flag,
    is_web_public: Flag,
  }),
  update(Type.Literal('stream_post_policy'), oneOf(1, 2, 3, 4)),
  update(oneOf('is_announcement_only', 'is_recently_active', 'is_archived'), Flag),
  update(
    oneOf('message_retention_days', 'first_message_id', 'folder_id', 'stream_weekly_traffic'),
    nullable(Type.Number()),
  ),
  update(Type.Literal('topics_policy'), oneOf(...TOPICS_POLICIES)),
  update(oneOf(...CHANNEL_PERMISSIONS), GroupSettingValue),
] as const;

/** events-channels.md#channels. */
export const defaultStreams = Type.Object(
  { type: Type.Literal('default_streams'), default_streams: Ids },
  exact,
);

const subscription = Type.Literal('subscription');

/** specification.md#events: the user was subscribed. */
export const subscriptionAdd = Type.Object(
  { type: subscription, op: Type.Literal('add'), subscriptions: Type.Array(SubscriptionObject) },
  exact,
);

/** events-channels.md#channels. */
export const subscriptionRemove = Type.Object(
  {
    type: subscription,
    op: Type.Literal('remove'),
    subscriptions: Type.Array(Type.Object({ stream_id: Int, name: Text }, exact)),
  },
  exact,
);

/** events-channels.md#channels. */
export const subscriptionUpdate = Type.Object(
  {
    type: subscription,
    op: Type.Literal('update'),
    stream_id: Int,
    property: Text,
    value: Type.Union([Flag, Text, Type.Null()]),
  },
  exact,
);

/** events-channels.md#channels: others came, or left. */
export const subscriptionPeers = Type.Object(
  {
    type: subscription,
    op: oneOf('peer_add', 'peer_remove'),
    stream_ids: Ids,
    user_ids: Ids,
  },
  exact,
);

/** All events of channels and subscriptions. */
export const channelEvents = events(
  streamCreate,
  streamDelete,
  ...streamUpdates,
  defaultStreams,
  subscriptionAdd,
  subscriptionRemove,
  subscriptionUpdate,
  subscriptionPeers,
);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'Channel.name': ['Name of the channel.', 'general'],
  'Channel.description': ['What the channel is for, in Markdown.', 'For **everything** else'],
  'Channel.invite_only':
    'Whether the channel is private: only those see it who are subscribed or are given access.',
  'Channel.is_web_public': 'Whether visitors without an account could read it; always false.',
  'Channel.history_public_to_subscribers':
    'Whether subscribers can read messages from before they came; always true for public channels.',
  'Channel.is_archived':
    'Whether the channel is archived: its messages stay readable, and nobody can write there.',
  is_announcement_only:
    'Older form of `stream_post_policy` 2: whether only administrators may write.',
  stream_post_policy:
    'Older form of `can_send_message_group`, the smallest role that has the right: 1 everybody, 2 administrators, 3 full members, 4 moderators.',
  'Channel.message_retention_days': [
    'Days after which messages of the channel are deleted; null as the organization says, -1 for never.',
    30,
  ],
  first_message_id: ['Id of the oldest message of the channel; null without one.', MESSAGE],
  'Channel.folder_id': ['Folder the channel is listed in; null for none. Since level 389.', 1],
  is_recently_active:
    'Whether somebody wrote there within 180 days; clients may show others in a quieter way.',
  'Channel.topics_policy':
    'Whether messages may have the empty topic: `inherit` is as the organization says.',
  subscriber_count: ['Active people and bots that are subscribed.', 12],
  stream_weekly_traffic: [
    'Messages per week, on average over the last four weeks; null for channels younger than a week.',
    120,
  ],
  default_push_notifications: 'Left for clients that read it; always false.',
  'ListedChannel.is_default':
    'Whether new accounts are subscribed to it; only with `include_default`.',
  'Subscription.subscribers': [
    'Who is subscribed, by user id; only with `include_subscribers`.',
    [OWNER, OPHELIA],
  ],
  'ListedChannel.subscribers': [
    'Who is subscribed, by user id; only where subscribers were asked for.',
    [OWNER, OPHELIA],
  ],
  partial_subscribers: [
    'Some of the subscribers of a large channel, in place of `subscribers`: bots, and people who came lately.',
    [OWNER],
  ],
  'stream.streams':
    'The channels: the objects of those that became visible, the ids of those that no longer are.',
  'stream.stream_ids': ['Ids of the same channels.', [GENERAL]],
  'stream.name': ['Name of the channel, before a change of it.', 'general'],
  'stream.property': 'Which property changed.',
  'stream.value': 'New value of the property.',
  'stream.history_public_to_subscribers':
    'New value of this property, which changes with `invite_only`.',
  'stream.is_web_public': 'New value of this property, which changes with `invite_only`.',
  'subscription.subscriptions':
    'The subscriptions: whole where they are new, id and name of the channel where they ended.',
  'subscription.property': ['Which property of the subscription changed.', 'pin_to_top'],
  'subscription.value': ['New value of the property.', true],
  'subscription.stream_ids': ['Channels in which subscribers came or went.', [GENERAL]],
  'subscription.user_ids': ['Users who subscribed or unsubscribed, by id.', [OPHELIA]],
});
