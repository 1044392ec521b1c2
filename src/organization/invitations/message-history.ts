import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import {
  NEW_USER_HISTORY_DAYS,
  NEW_USER_HISTORY_MESSAGES,
  NEW_USER_UNREAD_MESSAGES,
} from '../../../schemas/limits.js';
import { MergedCursor } from '../state/message-index/merged-cursor.js';
import type { Transaction } from '../state/transaction.js';

const DAY_SECONDS = 86_400;

/**
 * Lets a newcomer find recent messages in their channels (endpoints-invitations.md#new-account): the newest
 * thousand of twelve weeks count as received, all but the newest twenty of them as read. Private
 * channels keep what was said before somebody joined to themselves. Call after they were subscribed,
 * in the same transaction; costs the number of those messages.
 */
export function giveHistory(
  tx: Transaction,
  userId: number,
  channels: readonly ChannelDocument[],
): void {
  const { messages, subscriptions } = tx.org;
  const { columns } = messages.index;
  const open = channels.filter((one) => !one.invite_only && one.history_public_to_subscribers);
  const since = columns.firstIdAtTime(tx.seconds - NEW_USER_HISTORY_DAYS * DAY_SECONDS);
  const before = columns.firstIdAtSeq(tx.seq);
  if (since >= before || open.length === 0) return;
  const newest = newestIds(tx, open, [since, before - 1]);
  const firstUnread = newest[NEW_USER_UNREAD_MESSAGES - 1] ?? 0;
  const oldest = newest[newest.length - 1] ?? before;
  for (const { stream_id, recipient_id } of open) {
    const list = messages.index.conversation(recipient_id);
    const first = list.at(list.lowerBound(oldest));
    if (first === undefined || first >= before) continue;
    const seq = columns.seqAt(columns.find(first));
    subscriptions.update(`${userId}:${stream_id}`, { spans: [[seq, null]] });
    // From the first message of that position on: one transaction may have sent several.
    const read: number[] = [];
    for (let place = list.lowerBound(columns.firstIdAtSeq(seq)); ; place++) {
      const id = list.at(place);
      if (id === undefined || id >= Math.min(before, firstUnread)) break;
      read.push(id);
    }
    tx.org.readings.markRead(userId, recipient_id, read, list);
  }
}

/** The newest message ids of channels within an interval, newest first. */
function newestIds(
  tx: Transaction,
  channels: readonly ChannelDocument[],
  within: readonly [number, number],
): number[] {
  const sources = channels.map(({ recipient_id }) => ({
    list: tx.org.messages.index.conversation(recipient_id),
    within: [within],
  }));
  const walk = new MergedCursor(sources, 'down', within[1]);
  const ids: number[] = [];
  while (ids.length < NEW_USER_HISTORY_MESSAGES) {
    const id = walk.next();
    if (id === undefined) break;
    ids.push(id);
  }
  return ids;
}
