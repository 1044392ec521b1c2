import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import { MAX_NOTICE_READERS } from '../../../../schemas/limits.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topic-document.js';
import type { Organization } from '../../state/organization.js';

/**
 * For whom the note that a topic was resolved (or is not any more) is read at once, as each subscriber
 * set it (settings.md#user-settings, `resolved_topic_notice_auto_read_policy`). Each of them costs a
 * document, so in channels with more than `MAX_NOTICE_READERS` subscribers it is unread for everybody.
 */
export function resolvedNoticesReadBy(
  org: Organization,
  { channel, topic }: { readonly channel: ChannelDocument; readonly topic: string },
): number[] {
  const { stream_id } = channel;
  if (org.subscriptions.subscriberCount(stream_id) > MAX_NOTICE_READERS) return [];
  return org.subscriptions.subscribers(stream_id).filter((userId) => {
    const policy = org.settings.value(userId, 'resolved_topic_notice_auto_read_policy');
    if (policy !== 'except_followed') return policy === 'always';
    return org.userTopics.policy(userId, stream_id, topic) !== VISIBILITY.followed;
  });
}
