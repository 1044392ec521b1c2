import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { canReadChannel } from '../access/permissions.js';
import { MAX_FLAGGED_MESSAGES } from '../messages/change-flags.js';
import { MessageAccess } from '../messages/message-access.js';
import { emitFlagsTo } from '../messages/message-events.js';
import type { Organization } from '../state/organization.js';
import { chunksOf } from '../state/parted-change.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Removes the stars of users on messages of channels that they cannot read any more, however they lost that, and tells
 * them: a star on a message that nobody can show them would count for ever. Call it after any change of who reads
 * channels. Who still sees a channel, as administrators do, may read it no longer. Costs the stars of these users, not
 * the channels times the users.
 */
export function dropLostStars(
  tx: Transaction,
  userIds: Iterable<number>,
  channels: Iterable<ChannelDocument>,
): void {
  const { messageFlags, messages, users } = tx.org;
  const all = [...channels];
  const conversations = new Set(all.map(({ recipient_id }) => recipient_id));
  for (const userId of [...new Set(userIds)].sort((a, b) => a - b)) {
    const starred = messageFlags.starred(userId);
    const user = starred.length > 0 && users.active.has(userId) ? users.get(userId) : undefined;
    if (!user) continue;
    // Most often all channels can be read: then many stars are not looked at.
    const areMany = starred.length > all.length;
    if (areMany && all.every((channel) => readsAll(tx.org, user, channel))) continue;
    const there = starred
      .toArray()
      .filter((id) => conversations.has(messages.index.topicOf(id)?.recipientId ?? -1));
    dropUnreadable(tx, userId, there);
  }
}

/** Whether a user reads all messages of a channel, as far as the channel and its permissions say. */
function readsAll(org: Organization, user: UserDocument, channel: ChannelDocument): boolean {
  return channel.history_public_to_subscribers && canReadChannel(org, user, channel);
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
