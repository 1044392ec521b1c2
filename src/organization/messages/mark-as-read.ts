import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_MARKED_AS_READ } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import type { Transaction } from '../state/transaction.js';
import { MessageAccess } from './message-access.js';
import { emitFlags, byConversation, MAX_FLAGGED_MESSAGES } from './change-flags.js';
import { subtract, touches } from '../state/message-index/intervals.js';
import { unreadSources } from './reading/unread.js';
import { unreadPlacesNow } from './reading/unread-places.js';
import { MergedCursor, type Source } from '../state/message-index/merged-cursor.js';

const FROM_THE_NEWEST = Number.MAX_SAFE_INTEGER - 1;

/**
 * Marks a user's messages as read, newest first (endpoints-flags.md#flags).
 * @returns whether all are read now; otherwise a further call continues
 */
export function* readEverything(
  change: PartedChange,
  user: UserDocument,
  limit = MAX_MARKED_AS_READ,
): Parts<boolean> {
  const unread = (access: MessageAccess) => unreadSources(access, unreadPlacesNow(access));
  return yield* readInParts(change, user, unread, limit);
}

/** Marks the messages that a user received in a channel as read. */
export function* readChannel(
  change: PartedChange,
  user: UserDocument,
  channel: ChannelDocument,
): Parts<void> {
  const unread = (access: MessageAccess) => unreadSources(access, [channel.recipient_id]);
  yield* readInParts(change, user, unread);
}

/** Marks the messages that a user received in a topic as read. @throws ApiError `No such topic '{t}'` */
export function* readTopic(
  change: PartedChange,
  user: UserDocument,
  channel: ChannelDocument,
  topic: string,
): Parts<void> {
  const { index } = change.org.messages;
  const { recipient_id } = channel;
  const known = index.topic(recipient_id, topic)?.list;
  const visible = new MessageAccess(change.org, user).visible(recipient_id);
  if (!known || !touches(known, visible)) throw badRequest(`No such topic '${topic}'`);
  yield* readInParts(change, user, (access) => {
    const list = index.topic(recipient_id, topic)?.list;
    const read = change.org.readState.ranges(user.user_id, recipient_id);
    return list ? [{ list, within: subtract(access.received(recipient_id), read) }] : [];
  });
}

/**
 * Marks the messages of sources as read, newest first, one event per part.
 * @param unread the sources of the messages that are unread at this moment
 * @returns whether all of them are read now
 */
function* readInParts(
  change: PartedChange,
  user: UserDocument,
  unread: (access: MessageAccess) => readonly Source[],
  limit = Infinity,
): Parts<boolean> {
  for (let left = limit; ;) {
    const most = Math.min(left, MAX_FLAGGED_MESSAGES);
    const sources = unread(new MessageAccess(change.org, user));
    const cursor = new MergedCursor(sources, 'down', FROM_THE_NEWEST);
    const ids: number[] = [];
    let id = cursor.next();
    for (; id !== undefined && ids.length < most; id = cursor.next()) ids.push(id);
    markRead(change.tx, user, ids.reverse());
    left -= ids.length;
    if (id === undefined) return true;
    if (left === 0) return false;
    yield* change.nextPart();
  }
}

/**
 * Marks the messages that a user received from a sender as read, newest first. Costs the number of the
 * sender's messages.
 */
export function* readMessagesFrom(
  change: PartedChange,
  user: UserDocument,
  senderId: number,
): Parts<void> {
  const sent = change.org.messages.index.sentBy(senderId);
  for (let before = FROM_THE_NEWEST; ;) {
    const access = new MessageAccess(change.org, user);
    const ids: number[] = [];
    let place = sent.lowerBound(before) - 1;
    while (place >= 0 && ids.length < MAX_FLAGGED_MESSAGES) {
      before = sent.at(place--)!;
      if (access.isUnread(before)) ids.push(before);
      if (change.isOver) break;
    }
    markRead(change.tx, user, ids.reverse());
    if (place < 0) return;
    yield* change.nextPart();
  }
}

/**
 * Marks messages as read and emits the flags in batches that leave room in the user's queues.
 * @param ids ascending, all of them received and unread
 */
function markRead(tx: Transaction, { user_id }: UserDocument, ids: readonly number[]): void {
  const { messages, readState } = tx.org;
  for (const [recipientId, part] of byConversation(tx.org, ids)) {
    readState.markRead(user_id, recipientId, part, messages.index.conversation(recipientId));
  }
  for (let i = 0; i < ids.length; i += MAX_FLAGGED_MESSAGES) {
    emitFlags(tx, user_id, 'add', 'read', ids.slice(i, i + MAX_FLAGGED_MESSAGES));
  }
}
