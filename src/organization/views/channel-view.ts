import {
  CHANNEL_PERMISSIONS,
  type ChannelDocument,
  type ChannelObject,
  type ChannelPermission,
} from '../../../schemas/channels/channel.js';
import type { GroupDocument, GroupSettingValue } from '../../../schemas/groups/user-group.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { DEFAULT_USER_SETTINGS } from '../../../schemas/users/user-settings.js';
import { isGuest } from '../access/permissions.js';
import type { Organization } from '../state/organization.js';
import { firstMessageId, isRecentlyActive, weeklyTraffic } from './channel-activity.js';

/** Values of the deprecated `stream_post_policy`. */
const POST_POLICY = { everyone: 1, administrators: 2, fullMembers: 3, moderators: 4 } as const;
type PostPolicy = (typeof POST_POLICY)[keyof typeof POST_POLICY];

/** Policies from the smallest to the largest set of users. */
const BY_WIDTH: readonly PostPolicy[] = [
  POST_POLICY.administrators,
  POST_POLICY.moderators,
  POST_POLICY.fullMembers,
  POST_POLICY.everyone,
];

const SYSTEM_GROUP_POLICY: Readonly<Record<string, PostPolicy>> = {
  'role:nobody': POST_POLICY.administrators,
  'role:owners': POST_POLICY.administrators,
  'role:administrators': POST_POLICY.administrators,
  'role:moderators': POST_POLICY.moderators,
  'role:fullmembers': POST_POLICY.fullMembers,
};

/**
 * The channel object of events-channels.md#channels.
 *
 * @param subscriberCount the count its receiver starts from; the present one if left out. Where peer
 *   events that name the subscribers follow, start from 0.
 */
export function channelView(
  org: Organization,
  channel: ChannelDocument,
  subscriberCount = activeSubscriberCount(org, channel.stream_id),
): ChannelObject {
  const policy = postPolicy(org, channel.can_send_message_group);
  const view: Omit<ChannelObject, ChannelPermission> = {
    stream_id: channel.stream_id,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.rendered_description,
    date_created: channel.date_created,
    creator_id: channel.creator_id,
    invite_only: channel.invite_only,
    is_web_public: channel.is_web_public,
    history_public_to_subscribers: channel.history_public_to_subscribers,
    is_archived: channel.is_archived,
    is_announcement_only: policy === POST_POLICY.administrators,
    stream_post_policy: policy,
    message_retention_days: channel.message_retention_days,
    first_message_id: firstMessageId(org, channel),
    folder_id: channel.folder_id,
    is_recently_active: isRecentlyActive(org, channel),
    topics_policy: channel.topics_policy,
    subscriber_count: subscriberCount,
    stream_weekly_traffic: weeklyTraffic(org, channel),
    default_push_notifications: DEFAULT_USER_SETTINGS.enable_stream_push_notifications,
  };
  // Not spread from an object of their own: a thousand channels may be shown at once.
  const permissions = view as Writable<ChannelObject>;
  for (const name of CHANNEL_PERMISSIONS) permissions[name] = channel[name];
  return permissions;
}

/** What a channel object shows besides the document: where all is equal, so is the object. */
export interface ChannelFacts {
  readonly subscribers: number;
  readonly first: number | null;
  readonly isActive: boolean;
  readonly traffic: number | null;
  readonly policy: PostPolicy;
}

/** The present facts of a channel, in a third of the time of its object. */
export function channelFacts(org: Organization, channel: ChannelDocument): ChannelFacts {
  return {
    subscribers: activeSubscriberCount(org, channel.stream_id),
    first: firstMessageId(org, channel),
    isActive: isRecentlyActive(org, channel),
    traffic: weeklyTraffic(org, channel),
    policy: postPolicy(org, channel.can_send_message_group),
  };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Active users who subscribe to a channel, in no particular order. */
export function activeSubscribers(org: Organization, streamId: number): number[] {
  return org.subscriptions.subscribers(streamId).filter((id) => org.users.active.has(id));
}

/** Number of active users who subscribe to a channel. */
export function activeSubscriberCount(org: Organization, streamId: number): number {
  const { subscriptions, users } = org;
  const all = subscriptions.subscriberCount(streamId);
  // Nearly all users are active: the inactive ones are fewer to check.
  if (users.inactive.size < all) {
    let gone = 0;
    for (const id of users.inactive) if (subscriptions.isSubscribed(id, streamId)) gone += 1;
    return all - gone;
  }
  let count = 0;
  for (const id of subscriptions.subscribers(streamId)) if (users.active.has(id)) count += 1;
  return count;
}

/** `stream_post_policy`: the smallest of four sets of users that contains all who may post. */
export function postPolicy(org: Organization, value: GroupSettingValue): PostPolicy {
  if (typeof value === 'number') return groupPolicy(org, value, new Set());
  return policyOf(org, value.direct_members, value.direct_subgroups, new Set());
}

function groupPolicy(org: Organization, id: number, seen: Set<number>): PostPolicy {
  const group: GroupDocument | undefined = seen.has(id) ? undefined : org.groups.get(id);
  seen.add(id);
  if (!group || group.deactivated) return POST_POLICY.administrators;
  if (group.is_system_group) return SYSTEM_GROUP_POLICY[group.name] ?? POST_POLICY.everyone;
  return policyOf(org, group.members, group.direct_subgroup_ids, seen);
}

function policyOf(
  org: Organization,
  members: readonly number[],
  subgroups: readonly number[],
  seen: Set<number>,
): PostPolicy {
  return widest([
    membersPolicy(org, members),
    ...subgroups.map((id) => groupPolicy(org, id, seen)),
  ]);
}

/** So few guests are looked for in a list of members one by one. */
const FEW_GUESTS = 16;

/** The policy of members, of whom there may be thousands in each of a hundred channels: most need not be looked at. */
function membersPolicy(org: Organization, members: readonly number[]): PostPolicy {
  const { activeGuests } = org.users;
  // Then all but guests are full members, and one of these decides.
  const haveJoined = org.realm.current.waiting_period_threshold === 0;
  const isGuest = (id: number): boolean => activeGuests.has(id);
  const hasGuest = (): boolean =>
    activeGuests.size <= FEW_GUESTS
      ? [...activeGuests].some((id) => members.includes(id))
      : members.some(isGuest);
  if (haveJoined && hasGuest()) return POST_POLICY.everyone;
  const most = haveJoined ? POST_POLICY.fullMembers : POST_POLICY.everyone;
  let width = 0;
  for (const id of members) {
    const policy = memberPolicy(org, id);
    if (policy === most) return most;
    width = Math.max(width, BY_WIDTH.indexOf(policy));
  }
  return BY_WIDTH[width]!;
}

function memberPolicy(org: Organization, userId: number): PostPolicy {
  const user: UserDocument | undefined = org.users.get(userId);
  if (!user?.is_active || user.role <= ROLE.administrator) return POST_POLICY.administrators;
  if (user.role === ROLE.moderator) return POST_POLICY.moderators;
  return org.isFullMember(user) ? POST_POLICY.fullMembers : POST_POLICY.everyone;
}

function widest(policies: readonly PostPolicy[]): PostPolicy {
  const width = Math.max(0, ...policies.map((one) => BY_WIDTH.indexOf(one)));
  return BY_WIDTH[width]!;
}

/** `realm_default_streams`: ids, ascending; nothing for guests. */
export function defaultChannelIds(org: Organization, user: UserDocument): number[] {
  return isGuest(user) ? [] : org.channels.defaults();
}
