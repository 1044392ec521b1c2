import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import { contains, isWithinOne, type Intervals } from '../../state/message-index/intervals.js';
import { BulkDeliveryHistory } from '../delivery-history.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';

/** What messages that leave a channel are to the people there. */
interface LeavingReadState {
  /** Of those who take the messages along: what they received, and what of it is unread. */
  readonly kept: readonly Kept[];
  /** Unread messages of those who do not subscribe to the new channel. */
  readonly dropped: readonly { readonly userId: number; readonly unread: readonly number[] }[];
}

interface Kept {
  readonly userId: number;
  readonly received: readonly number[];
  readonly unread: readonly number[];
}

const NOTHING: readonly number[] = [];

/**
 * Looks at who has read what, before messages leave a channel for another.
 * @param ids ascending
 */
export function leavingReadState(
  org: Organization,
  from: ChannelDocument,
  to: ChannelDocument,
  ids: readonly number[],
): LeavingReadState {
  const receptions = new BulkDeliveryHistory(org, from, ids);
  const kept: Kept[] = [];
  const dropped: { userId: number; unread: readonly number[] }[] = [];
  for (const userId of peopleOf(org, from)) {
    const received = receptions.of(userId);
    if (received.length === 0) continue;
    const unread = unreadOf(received, org.readState.ranges(userId, from.recipient_id));
    if (org.subscriptions.isSubscribed(userId, to.stream_id))
      kept.push({ userId, received, unread });
    else if (unread.length > 0) dropped.push({ userId, unread });
  }
  return { kept, dropped };
}

/** Those that no range holds; all or none of them for most people. */
function unreadOf(ids: readonly number[], read: Intervals): readonly number[] {
  if (read.length === 0) return ids;
  if (isWithinOne(read, ids)) return NOTHING;
  return ids.filter((id) => !contains(read, id));
}

function peopleOf(org: Organization, { stream_id }: ChannelDocument): number[] {
  return [
    ...org.subscriptions.subscribers(stream_id),
    ...org.subscriptions.formerSubscribers(stream_id),
  ];
}

/**
 * Makes what was unread unread in the new channel, and what was read read: ranges of read ids there
 * mean nothing for ids that were elsewhere. Call it after the messages have moved.
 */
export function arriveReadState(
  tx: Transaction,
  to: ChannelDocument,
  { kept }: LeavingReadState,
): void {
  const { readState, messages } = tx.org;
  const conversation = messages.index.conversation(to.recipient_id);
  for (const { userId, received, unread } of kept) {
    const read = unread.length === 0 ? received : without(received, unread);
    if (read.length > 0) readState.markRead(userId, to.recipient_id, read, conversation);
    if (unread.length > 0) readState.markUnread(userId, to.recipient_id, unread, conversation);
  }
}

/** Tells those who do not subscribe to the new channel that they have nothing unread there. */
export function emitDroppedFlags(
  tx: Transaction,
  { dropped }: LeavingReadState,
  keeping: ReadonlySet<number>,
): void {
  const groups = new Map<string, { users: number[]; unread: readonly number[] }>();
  for (const { userId, unread } of dropped) {
    // Whoever lost sight of the messages was told that they are gone.
    if (!keeping.has(userId)) continue;
    const key = unread.join();
    const group = groups.get(key);
    if (group) group.users.push(userId);
    else groups.set(key, { users: [userId], unread });
  }
  for (const { users, unread: messages } of groups.values()) {
    const data = { op: 'add', operation: 'add', flag: 'read', messages, all: false };
    tx.emit('update_message_flags', { to: 'users', users: users.sort((a, b) => a - b) }, data);
  }
}

function without(ids: readonly number[], gone: readonly number[]): readonly number[] {
  if (gone.length === ids.length) return NOTHING;
  const set = new Set(gone);
  return ids.filter((id) => !set.has(id));
}
