import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import { VISIBILITY } from '../../../schemas/topics/user-topic-document.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { mutedTopics } from './topic-policy.js';

/**
 * The older list of muted topics names channels, and only those its user sees: it is another where a
 * user comes to see, or sees no more, a channel in which they muted a topic. Call it once that is so.
 */
export function emitMutedTopics(
  tx: Transaction,
  usersByChannel: ReadonlyMap<ChannelDocument, readonly number[]>,
): void {
  const { org } = tx;
  // Most organizations have nobody who chose anything.
  if (org.userTopics.size === 0) return;
  const told = new Set<number>();
  for (const [{ stream_id }, users] of usersByChannel) {
    for (const userId of users) {
      if (!org.userTopics.mutedBy(userId).some((one) => one.stream_id === stream_id)) continue;
      if (told.has(userId)) continue;
      told.add(userId);
      const muted_topics = mutedTopics(org, userId);
      tx.emit('muted_topics', { to: 'users', users: [userId] }, { muted_topics });
    }
  }
}

/** Active users who muted a topic of a channel. Costs the number of all choices there are. */
export function mutersIn(org: Organization, { stream_id }: ChannelDocument): number[] {
  const users = new Set<number>();
  for (const one of org.userTopics.values()) {
    if (one.stream_id !== stream_id || one.visibility_policy !== VISIBILITY.muted) continue;
    if (org.users.active.has(one.user_id)) users.add(one.user_id);
  }
  return [...users].sort((a, b) => a - b);
}
