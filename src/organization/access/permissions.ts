import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { GroupSettingValue } from '../../../schemas/groups/user-group.js';
import { ROLE, type UserDocument, type UserRight } from '../../../schemas/users/user-document.js';
import type { Audience } from '../../journal/entry.js';
import type { Organization } from '../state/organization.js';

/** Whether a permission value includes the user. */
export function allows(org: Organization, value: GroupSettingValue, user: UserDocument): boolean {
  return org.groups.allows(value, user, org.isFullMember);
}

/** Whether the user is a guest. */
export function isGuest(user: UserDocument): boolean {
  return user.role === ROLE.guest;
}

/** Whether the user is an administrator or an owner. */
export function isAdministrator(user: UserDocument): boolean {
  return user.role <= ROLE.administrator;
}

/** Whether the user may read the channel's messages (content access); administrators may not by role alone. */
export function canReadChannel(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return (
    org.subscriptions.isSubscribed(user.user_id, channel.stream_id) ||
    readsUnsubscribed(org, user, channel)
  );
}

function readsUnsubscribed(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  if (channel.is_web_public) return true;
  if (isGuest(user)) return false;
  return (
    !channel.invite_only ||
    allows(org, channel.can_add_subscribers_group, user) ||
    allows(org, channel.can_subscribe_group, user)
  );
}

/** Whether the user may see that the channel exists (metadata access, conventions.md#access). */
export function canSeeChannel(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return (
    org.subscriptions.isSubscribed(user.user_id, channel.stream_id) ||
    seesUnsubscribed(org, user, channel)
  );
}

/** As {@link canSeeChannel}, for a user who does not subscribe: the user and the channel's permissions alone decide. */
export function seesUnsubscribed(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  if (readsUnsubscribed(org, user, channel)) return true;
  if (isGuest(user)) return false;
  return isAdministrator(user) || allows(org, channel.can_administer_channel_group, user);
}

/** Whether the user may see the subscribers of the channel. */
export function canSeeSubscribers(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return canSeeChannel(org, user, channel);
}

/** META(c) of event-queues.md#notation: users who may see the channel at this moment. */
export function channelAudience(org: Organization, channel: ChannelDocument): Audience {
  if (channel.is_web_public) return { to: 'all' };
  const visible = (userId: number) => {
    const user = org.users.get(userId);
    return user !== undefined && canSeeChannel(org, user, channel);
  };
  if (!channel.invite_only) {
    const except = [...org.users.activeGuests].filter((userId) => !visible(userId));
    return except.length === 0 ? { to: 'all' } : { to: 'all', except };
  }
  return { to: 'users', users: [...org.users.active].filter(visible).sort((a, b) => a - b) };
}

/** Removes users from an audience. */
export function without(audience: Audience, userIds: readonly number[]): Audience {
  if (userIds.length === 0) return audience;
  if (audience.to === 'users') {
    const gone = new Set(userIds);
    return { to: 'users', users: audience.users.filter((id) => !gone.has(id)) };
  }
  return { ...audience, except: [...new Set([...(audience.except ?? []), ...userIds])] };
}

/** Whether the user may create accounts: owners and administrators, unless the operator decided otherwise. */
export function canCreateUsers({ creates_users, role }: UserDocument): boolean {
  return creates_users ?? role <= ROLE.administrator;
}

/** The change of an account's document that grants or revokes a right. */
export function rightChange(right: UserRight, granted: boolean): Partial<UserDocument> {
  return right === 'can_create_users'
    ? { creates_users: granted }
    : { can_change_user_emails: granted };
}
