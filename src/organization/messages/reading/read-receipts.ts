import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { seenBy } from '../../access/user-access.js';
import type { Organization } from '../../state/organization.js';
import { receivedBy } from '../delivery-history.js';

/**
 * Users who have read a message and send read receipts (endpoints-messages.md#one-message), without the
 * sender, users whom the caller muted or may not see, and users who muted the caller.
 * @returns ascending
 */
export function readersOf(org: Organization, messageId: number, caller: UserDocument): number[] {
  const message = org.messages.peek(messageId);
  if (!message) return [];
  const callerId = caller.user_id;
  const seen = seenBy(org, caller);
  const { recipient_id, sender_id } = message;
  const hasReceived = receivedBy(org, messageId);
  return possibleReaders(org, recipient_id)
    .filter((userId) => {
      if (userId === sender_id || !org.users.active.has(userId)) return false;
      if (seen && !seen.has(userId)) return false;
      const { mutedUsers } = org;
      if (mutedUsers.isMuted(callerId, userId) || mutedUsers.isMuted(userId, callerId))
        return false;
      if (!org.readState.isRead(userId, recipient_id, messageId)) return false;
      if (!hasReceived(userId)) return false;
      return org.settings.value(userId, 'send_read_receipts');
    })
    .sort((a, b) => a - b);
}

function possibleReaders(org: Organization, recipientId: number): number[] {
  const channel = org.channels.byRecipient(recipientId);
  if (!channel) return [...(org.conversations.get(recipientId)?.user_ids ?? [])];
  return [
    ...org.subscriptions.subscribers(channel.stream_id),
    ...org.subscriptions.formerSubscribers(channel.stream_id),
  ];
}
