import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import { allows, canSeeChannel, isAdministrator } from './permissions.js';

/** Whether the user may change the channel: administrators, and users with the channel's permission. */
export function canAdministerChannel(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): boolean {
  return isAdministrator(user) || allows(org, channel.can_administer_channel_group, user);
}

/**
 * Whether the user may subscribe others to a channel whose content they may read
 * (endpoints-channels.md#subscribe).
 */
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

/** Whether the actor may unsubscribe the user: themselves, one of their bots, or anybody by permission. */
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

/** A channel that the user may see. @throws ApiError `Invalid channel ID`, also for hidden ones */
export function visibleChannel(
  org: Organization,
  user: UserDocument,
  streamId: number,
): ChannelDocument {
  const channel = org.channels.get(streamId);
  if (!channel || !canSeeChannel(org, user, channel)) throw badRequest('Invalid channel ID');
  return channel;
}
