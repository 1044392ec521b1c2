import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { MAX_FLAGGED_MESSAGES } from '../messages/change-flags.js';
import { MessageAccess } from '../messages/message-access.js';
import { emitFlagsTo } from '../messages/message-events.js';
import type { Organization } from '../state/organization.js';
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
  const { messageFlags, messages } = tx.org;
  const conversations = new Set(Array.from(left.keys(), ({ recipient_id }) => recipient_id));
  // Channels with the same permissions share their lists.
  const leavers = new Set([...new Set(left.values())].flat());
  for (const userId of [...leavers].sort((a, b) => a - b)) {
    const starred = messageFlags.starred(userId).toArray();
    const there = starred.filter((id) =>
      conversations.has(messages.index.topicOf(id)?.recipientId ?? -1),
    );
    dropUnreadable(tx, userId, there);
  }
}

/** Removes the stars on messages of a channel that those who starred them can no longer read. */
export function dropLostStarsIn(tx: Transaction, { recipient_id }: ChannelDocument): void {
  const { messageFlags, users } = tx.org;
  const byUser = new Map<number, number[]>();
  for (const id of flaggedIn(tx.org, recipient_id)) {
    for (const userId of messageFlags.usersOf(id)) {
      if (!messageFlags.of(userId, id)!.starred || !users.active.has(userId)) continue;
      const own = byUser.get(userId);
      if (own) own.push(id);
      else byUser.set(userId, [id]);
    }
  }
  for (const [userId, ids] of [...byUser].sort(([a], [b]) => a - b)) {
    dropUnreadable(
      tx,
      userId,
      ids.sort((a, b) => a - b),
    );
  }
}

/** Removes the stars that a user who comes back can no longer see: nothing told of what was lost meanwhile. */
export function dropLostStarsOf(tx: Transaction, userId: number): void {
  dropUnreadable(tx, userId, tx.org.messageFlags.starred(userId).toArray());
}

/** Messages of a conversation that somebody starred or collapsed: looked for where there is less to look at. */
function flaggedIn({ messages, messageFlags }: Organization, recipientId: number): number[] {
  const { index } = messages;
  const list = index.conversation(recipientId);
  if (list.length < messageFlags.size) {
    return list.toArray().filter((id) => messageFlags.usersOf(id).length > 0);
  }
  return [...messageFlags.messages()].filter((id) => list.has(id));
}

/** @param ids ascending */
function dropUnreadable(tx: Transaction, userId: number, ids: readonly number[]): void {
  const user = ids.length === 0 ? undefined : tx.org.users.get(userId);
  if (!user) return;
  const access = new MessageAccess(tx.org, user);
  const lost = ids.filter((id) => !access.canSee(id));
  for (const id of lost) tx.org.messageFlags.set(userId, id, 'starred', false);
  for (const some of chunksOf(lost, MAX_FLAGGED_MESSAGES)) {
    emitFlagsTo(tx, [userId], { op: 'remove', flag: 'starred', messages: some });
  }
}
