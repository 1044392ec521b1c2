import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { placeIn } from '../../../journal/entry.js';
import { contains, isWithinOne, type Intervals } from '../../state/message-index/intervals.js';
import { BulkDeliveryHistory } from '../delivery-history.js';
import { emitFlagsTo } from '../message-events.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';

/** The read state of messages that are about to leave a channel. */
interface CapturedReadState {
  /**
   * The received messages of users who subscribe to the new channel, too, and have read something in one of the two,
   * and the unread ones among them.
   */
  readonly kept: readonly Kept[];
  /** Messages that users never received and marked as unread there. */
  readonly recalled: readonly { readonly userId: number; readonly ids: readonly number[] }[];
  /** Unread messages of users who do not subscribe to the new channel. */
  readonly dropped: readonly { readonly userId: number; readonly unread: readonly number[] }[];
}

interface Kept {
  readonly userId: number;
  readonly received: readonly number[];
  readonly unread: readonly number[];
  /** Never received, and marked as unread. */
  readonly recalled: readonly number[];
}

const NOTHING: readonly number[] = [];

/**
 * Captures the read state of messages before they leave a channel for another.
 * @param ids ascending
 */
export function captureReadState(
  org: Organization,
  from: ChannelDocument,
  to: ChannelDocument,
  ids: readonly number[],
): CapturedReadState {
  const history = new BulkDeliveryHistory(org, from, ids);
  const remaining = org.subscriptions.in(to.stream_id);
  const kept: Kept[] = [];
  const allRecalled: { userId: number; ids: readonly number[] }[] = [];
  const dropped: { userId: number; unread: readonly number[] }[] = [];
  const capture = (userId: number): void => {
    const received = history.of(userId);
    const own = org.readState.ofUser(userId);
    const state = own.get(from.recipient_id);
    const recalled = state?.recalled?.filter((id) => placeIn(ids, id) >= 0) ?? NOTHING;
    if (received.length === 0 && recalled.length === 0) return;
    if (recalled.length > 0) allRecalled.push({ userId, ids: recalled });
    const read = state?.read;
    const remains = remaining.has(userId);
    // Nothing changes for those who have read nothing here or there.
    if (remains && read === undefined && !own.has(to.recipient_id)) return;
    const unread = read === undefined ? received : unreadOf(received, read);
    if (remains) kept.push({ userId, received, unread, recalled });
    else if (unread.length + recalled.length > 0) {
      dropped.push({ userId, unread: ascending(unread, recalled) });
    }
  };
  org.subscriptions.subscribers(from.stream_id).forEach(capture);
  org.subscriptions.formerSubscribers(from.stream_id).forEach(capture);
  return { kept, recalled: allRecalled, dropped };
}

/** The unread ids; all or none of them for most users. */
function unreadOf(ids: readonly number[], read: Intervals): readonly number[] {
  if (read.length === 0) return ids;
  if (isWithinOne(read, ids)) return NOTHING;
  return ids.filter((id) => !contains(read, id));
}

/**
 * Transfers the read state to the new channel, where existing read ranges may happen to cover the ids. Call
 * it after the messages have moved.
 */
export function transferReadState(
  tx: Transaction,
  from: ChannelDocument,
  to: ChannelDocument,
  { kept, recalled: left }: CapturedReadState,
): void {
  const { readState, messages } = tx.org;
  for (const { userId, ids } of left) readState.forget(userId, from.recipient_id, ids);
  const conversation = messages.index.conversation(to.recipient_id);
  for (const { userId, received, unread, recalled } of kept) {
    const read = unread.length === 0 ? received : without(received, unread);
    if (read.length > 0) readState.markRead(userId, to.recipient_id, read, conversation);
    if (unread.length > 0) readState.markUnread(userId, to.recipient_id, unread, conversation);
    if (recalled.length > 0) readState.recall(userId, to.recipient_id, recalled, conversation);
  }
}

/** Emits read flags to users who do not subscribe to the new channel and have nothing unread there. */
export function emitDroppedFlags(
  tx: Transaction,
  { dropped }: CapturedReadState,
  viewers: { has(userId: number): boolean },
): void {
  const groups = new Map<string, { users: number[]; unread: readonly number[] }>();
  for (const { userId, unread } of dropped) {
    // Users who can no longer see the messages got their deletion.
    if (!viewers.has(userId)) continue;
    const key = unread.join();
    const group = groups.get(key);
    if (group) group.users.push(userId);
    else groups.set(key, { users: [userId], unread });
  }
  for (const { users, unread: messages } of groups.values()) {
    users.sort((a, b) => a - b);
    emitFlagsTo(tx, users, { op: 'add', flag: 'read', messages });
  }
}

function ascending(ids: readonly number[], others: readonly number[]): readonly number[] {
  return others.length === 0 ? ids : [...ids, ...others].sort((a, b) => a - b);
}

function without(ids: readonly number[], gone: readonly number[]): readonly number[] {
  if (gone.length === ids.length) return NOTHING;
  const set = new Set(gone);
  return ids.filter((id) => !set.has(id));
}
