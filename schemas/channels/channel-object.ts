import Type, { type Static } from 'typebox';
import {
  CHANNEL_PERMISSIONS,
  TOPICS_POLICIES,
  type ChannelPermission,
} from './channel-document.js';
import { GroupSettingValue } from '../groups/group-document.js';
import { nullable, oneOf, type Frozen } from '../endpoint.js';
import { exact } from '../exact.js';

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
