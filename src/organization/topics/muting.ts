import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import { VISIBILITY } from '../../../schemas/topics/user-topic-document.js';
import type { Organization } from '../state/organization.js';

/** Whether a user muted a channel as a whole. */
export function isChannelMuted(
  org: Organization,
  userId: number,
  { stream_id }: ChannelDocument,
): boolean {
  return org.subscriptions.of(userId, stream_id)?.is_muted ?? false;
}

/**
 * Whether a topic is hidden from a user's feed and counts: it is muted, or its channel is and the user
 * wants to see nothing of this topic beyond that.
 */
export function isTopicMuted(
  org: Organization,
  userId: number,
  channel: ChannelDocument,
  topic: string,
): boolean {
  const policy = org.userTopics.policy(userId, channel.stream_id, topic);
  if (policy === VISIBILITY.inherit) return isChannelMuted(org, userId, channel);
  return policy === VISIBILITY.muted;
}
