import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { MAX_UNREAD_MESSAGES } from '../../../schemas/limits.js';
import { MessageAccess } from '../messages/message-access.js';
import { emitFlagsTo } from '../messages/message-events.js';
import { newestIds, subtract, type Intervals } from '../state/message-index/intervals.js';
import { chunksOf, inOnePart, type PartedChange, type Parts } from '../state/parted-change.js';
import type { Transaction } from '../state/transaction.js';

/** Unread messages of one user in a channel: those with ids in these intervals. */
export interface ChannelUnread {
  readonly userId: number;
  readonly channel: ChannelDocument;
  readonly within: Intervals;
}

/** Users with the same unread messages. */
interface SameUnread {
  readonly userIds: number[];
  readonly channel: ChannelDocument;
  readonly within: Intervals;
}

/** Users per part: each costs one document. */
const READERS = 500;
/** Longer lists are not compared; users with equal shorter ones share an event. */
const COMPARED_IDS = 1000;

/** Messages of a channel that users may read and have not; users without any are left out. */
export function unreadOf(
  tx: Transaction,
  channel: ChannelDocument,
  userIds: Iterable<number>,
): ChannelUnread[] {
  const { messages, readState, users } = tx.org;
  const { recipient_id } = channel;
  const found: ChannelUnread[] = [];
  if (messages.index.conversation(recipient_id).length === 0) return found;
  for (const userId of userIds) {
    const access = new MessageAccess(tx.org, users.get(userId)!);
    const within = subtract(access.received(recipient_id), readState.ranges(userId, recipient_id));
    if (within.length > 0) found.push({ userId, channel, within });
  }
  return found;
}

/** As {@link markReadInParts}, in one transaction. */
export function markRead(tx: Transaction, unread: readonly ChannelUnread[]): void {
  inOnePart(tx, (change) => markReadInParts(change, unread));
}

/**
 * Marks messages as read; users with the same unread ones share an event. Costs one document per user,
 * and the ids in the events: only the newest of each list, because no snapshot lists more as unread.
 */
export function* markReadInParts(
  change: PartedChange,
  unread: readonly ChannelUnread[],
): Parts<void> {
  let short = new ReadEvents();
  for (const { userIds, channel, within } of sameUnread(unread)) {
    const list = change.org.messages.index.conversation(channel.recipient_id);
    const ids = newestIds(list, within, MAX_UNREAD_MESSAGES);
    if (ids.length === 0) continue;
    for (const some of chunksOf(userIds, READERS)) {
      if (change.isOver) {
        short.emit(change.tx);
        short = new ReadEvents();
        yield* change.nextPart();
      }
      for (const userId of some) {
        change.org.readState.markReadWithin(userId, channel.recipient_id, within, list);
      }
      short.add(some, ids);
      if (ids.length > COMPARED_IDS) {
        short.emit(change.tx);
        short = new ReadEvents();
      }
    }
  }
  short.emit(change.tx);
}

/** Groups users by their unread messages. */
function sameUnread(unread: readonly ChannelUnread[]): Iterable<SameUnread> {
  const groups = new Map<string, SameUnread>();
  const known = new Set<string>();
  for (const { userId, channel, within } of unread) {
    const reader = `${userId} ${channel.stream_id}`;
    if (known.has(reader)) continue;
    known.add(reader);
    const key = `${channel.stream_id} ${within.join()}`;
    const group = groups.get(key);
    if (group) group.userIds.push(userId);
    else groups.set(key, { userIds: [userId], channel, within });
  }
  return groups.values();
}

/** Collects `update_message_flags` events, one for all users with the same messages. */
class ReadEvents {
  private readonly batches = new Map<string, { users: number[]; messages: readonly number[] }>();

  add(users: readonly number[], messages: readonly number[]): void {
    const key = messages.length > COMPARED_IDS ? `${this.batches.size}` : messages.join();
    const batch = this.batches.get(key);
    if (batch) batch.users.push(...users);
    else this.batches.set(key, { users: [...users], messages });
  }

  emit(tx: Transaction): void {
    for (const { users, messages } of this.batches.values()) {
      users.sort((a, b) => a - b);
      emitFlagsTo(tx, users, { op: 'add', flag: 'read', messages });
    }
  }
}
