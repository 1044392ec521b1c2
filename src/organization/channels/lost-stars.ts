import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { canReadChannel } from '../access/permissions.js';
import { MAX_FLAGGED_MESSAGES } from '../messages/change-flags.js';
import { emitFlagsTo } from '../messages/message-events.js';
import { chunksOf } from '../state/parted-change.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Removes the stars of users who can no longer read channels, and tells them: a star on a message that nobody can show
 * them would count for ever. Costs the stars of these users, not the channels times the users.
 * @param left users who lost access to channels, or left them
 */
export function dropLostStars(
  tx: Transaction,
  left: ReadonlyMap<ChannelDocument, readonly number[]>,
): void {
  const { messageFlags, messages, channels, users } = tx.org;
  const conversations = new Set(Array.from(left.keys(), ({ recipient_id }) => recipient_id));
  // Channels with the same permissions share their lists.
  const leavers = new Set([...new Set(left.values())].flat());
  for (const userId of [...leavers].sort((a, b) => a - b)) {
    const starred = messageFlags.starred(userId);
    const user = starred.length === 0 ? undefined : users.get(userId);
    if (!user) continue;
    const lost = starred.toArray().filter((id) => {
      const recipientId = messages.index.topicOf(id)?.recipientId;
      if (recipientId === undefined || !conversations.has(recipientId)) return false;
      const channel = channels.byRecipient(recipientId);
      return channel !== undefined && !canReadChannel(tx.org, user, channel);
    });
    for (const id of lost) messageFlags.set(userId, id, 'starred', false);
    for (const some of chunksOf(lost, MAX_FLAGGED_MESSAGES)) {
      emitFlagsTo(tx, [userId], { op: 'remove', flag: 'starred', messages: some });
    }
  }
}
