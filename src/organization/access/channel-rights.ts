import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors.js';
import type { Organization } from '../state/organization.js';
import { allows, canReadChannel, canSeeChannel, isAdministrator } from './permissions.js';

/** May change the channel: administrators, and whom the channel says. */
export function canAdministerChannel(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return isAdministrator(user) || allows(org, channel.can_administer_channel_group, user);
}

/** May be subscribed on their own request; nobody to an archived channel. */
export function canJoinChannel(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return !channel.is_archived && canReadChannel(org, user, channel);
}

/** May subscribe others to a channel whose content they may read (endpoints-channels.md#subscribe). */
export function canAddSubscribers(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return (
    allows(org, org.realm.current.can_add_subscribers_group, user) ||
    allows(org, channel.can_add_subscribers_group, user) ||
    canAdministerChannel(org, user, channel)
  );
}

/** May unsubscribe this user: themselves, one of their bots, or anybody by right. */
export function canRemoveSubscriber(
  org: Organization,
  actor: UserDocument,
  channel: ChannelDocument,
  user: UserDocument,
): boolean {
  if (actor.user_id === user.user_id) return true;
  if (user.is_bot && user.bot_owner_id === actor.user_id) return true;
  return (
    canAdministerChannel(org, actor, channel) ||
    allows(org, channel.can_remove_subscribers_group, actor)
  );
}

/** A channel the user may see. @throws ApiError `Invalid channel ID`, also for hidden ones */
export function visibleChannel(
  org: Organization,
  user: UserDocument,
  streamId: number,
): ChannelDocument {
  const channel = org.channels.get(streamId);
  if (!channel || !canSeeChannel(org, user, channel)) throw badRequest('Invalid channel ID');
  return channel;
}
