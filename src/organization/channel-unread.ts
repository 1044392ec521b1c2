import type { ChannelDocument } from '../../schemas/documents/channel.js';
import { MAX_UNREAD_MESSAGES } from '../../schemas/limits.js';
import { MessageAccess } from './messages/access.js';
import { unreadSources } from './messages/unread.js';
import { MergedWalk } from './messages/walk.js';
import type { Transaction } from './transaction.js';

/** Messages one user has not read in a channel. */
export interface ChannelUnread {
  readonly userId: number;
  readonly channel: ChannelDocument;
  /** Ascending. */
  readonly ids: readonly number[];
}

/** What users have not read in a channel, and may read; those who have read everything are left out. */
export function unreadOf(
  tx: Transaction,
  channel: ChannelDocument,
  userIds: Iterable<number>,
): ChannelUnread[] {
  const found: ChannelUnread[] = [];
  for (const userId of userIds) {
    const access = new MessageAccess(tx.org, tx.org.users.get(userId)!);
    const walk = new MergedWalk(unreadSources(access, [channel.recipient_id]), 'up', 0);
    const ids: number[] = [];
    for (let id = walk.next(); id !== undefined; id = walk.next()) ids.push(id);
    if (ids.length > 0) found.push({ userId, channel, ids });
  }
  return found;
}

/** Marks messages as read; users who had not read the same ones share an event. */
export function markRead(tx: Transaction, unread: readonly ChannelUnread[]): void {
  const batches = new Map<string, { users: number[]; messages: readonly number[] }>();
  for (const { userId, channel, ids } of unread) {
    const { recipient_id } = channel;
    const conversation = tx.org.messages.index.conversation(recipient_id);
    const changed = tx.org.readings.markRead(userId, recipient_id, ids, conversation);
    if (changed.length === 0) continue;
    // No snapshot told of more, so no client keeps more.
    const messages = changed.slice(-MAX_UNREAD_MESSAGES);
    const key = messages.join();
    const batch = batches.get(key);
    if (batch) batch.users.push(userId);
    else batches.set(key, { users: [userId], messages });
  }
  for (const { users, messages } of batches.values()) {
    const data = { op: 'add', operation: 'add', flag: 'read', messages, all: false };
    users.sort((a, b) => a - b);
    tx.emit('update_message_flags', { to: 'users', users }, data);
  }
}
