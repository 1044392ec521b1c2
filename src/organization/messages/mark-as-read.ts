import type { ChannelDocument } from '../../../schemas/documents/channel.js';
import type { UserDocument } from '../../../schemas/documents/user.js';
import { MAX_MARKED_AS_READ } from '../../../schemas/limits.js';
import { badRequest } from '../../errors.js';
import type { Transaction } from '../transaction.js';
import { MessageAccess } from './access.js';
import { announceFlags, byConversation, MAX_FLAGGED_MESSAGES } from './change-flags.js';
import { intersectIds, subtract } from './intervals.js';
import { unreadSources } from './unread.js';
import { MergedWalk, type Source } from './walk.js';

const FROM_THE_NEWEST = Number.MAX_SAFE_INTEGER - 1;

/**
 * Marks a user's messages as read, newest first (endpoints.md section B.6).
 * @returns whether all are read now; when not, the same call goes on
 */
export function readEverything(
  tx: Transaction,
  user: UserDocument,
  limit = MAX_MARKED_AS_READ,
): boolean {
  const access = new MessageAccess(tx.org, user);
  const sources = unreadSources(access, access.conversations());
  const walk = new MergedWalk(sources, 'down', FROM_THE_NEWEST);
  const ids: number[] = [];
  let id = walk.next();
  for (; id !== undefined && ids.length < limit; id = walk.next()) ids.push(id);
  markRead(tx, user, ids.reverse());
  return id === undefined;
}

/** Marks what a user received in a channel as read. */
export function readChannel(tx: Transaction, user: UserDocument, channel: ChannelDocument): void {
  const access = new MessageAccess(tx.org, user);
  markRead(tx, user, idsOf(unreadSources(access, [channel.recipient_id])));
}

/** Marks what a user received in a topic as read. @throws ApiError `No such topic '{t}'` */
export function readTopic(
  tx: Transaction,
  user: UserDocument,
  channel: ChannelDocument,
  topic: string,
): void {
  const { org } = tx;
  const access = new MessageAccess(org, user);
  const { recipient_id } = channel;
  const list = org.messages.index.topic(recipient_id, topic)?.list;
  if (!list || intersectIds(list, access.visible(recipient_id)).length === 0) {
    throw badRequest(`No such topic '${topic}'`);
  }
  const read = org.readings.ranges(user.user_id, recipient_id);
  markRead(tx, user, idsOf([{ list, within: subtract(access.received(recipient_id), read) }]));
}

/** Marks what a user received from somebody as read; costs the user's unread messages. */
export function readMessagesFrom(tx: Transaction, user: UserDocument, senderId: number): void {
  const { columns } = tx.org.messages.index;
  const access = new MessageAccess(tx.org, user);
  const unread = idsOf(unreadSources(access, access.conversations()));
  markRead(
    tx,
    user,
    unread.filter((id) => columns.senderAt(columns.find(id)) === senderId),
  );
}

function idsOf(sources: readonly Source[]): number[] {
  return sources.flatMap(({ list, within }) => intersectIds(list, within)).sort((a, b) => a - b);
}

/**
 * Marks messages as read and tells the user's queues, in batches that leave room in them for others.
 * @param ids ascending, all of them received and unread
 */
function markRead(tx: Transaction, { user_id }: UserDocument, ids: readonly number[]): void {
  const { messages, readings } = tx.org;
  for (const [recipientId, part] of byConversation(tx.org, ids)) {
    readings.markRead(user_id, recipientId, part, messages.index.conversation(recipientId));
  }
  for (let i = 0; i < ids.length; i += MAX_FLAGGED_MESSAGES) {
    announceFlags(tx, user_id, 'add', 'read', ids.slice(i, i + MAX_FLAGGED_MESSAGES));
  }
}
