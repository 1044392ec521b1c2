import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { archiveAttachmentLinks, releaseAttachments } from '../attachment-links.js';
import { activityChanges, activityOf } from '../../views/channel-activity.js';
import { emitChannelUpdate } from '../../views/channel-events.js';
import { emitFlagsTo, emitMessagesDeleted } from '../message-events.js';
import type { Transaction } from '../../state/transaction.js';
import { deletionNotices, type DeletionNotice } from './deletion-audience.js';
import { badRequest } from '../../../errors/index.js';
import type { Organization } from '../../state/organization.js';
import { allows } from '../../access/permissions.js';
import type { MessageSummary } from '../../state/message-index/message-index.js';
import type { Audience } from '../../../journal/entry.js';

/** Messages of one topic or direct conversation that are deleted together. */
export interface TopicRemoval {
  /** The topic as its receivers know it. */
  readonly topic: string;
  /** Ascending, not empty; all of them exist. */
  readonly ids: readonly number[];
}

/** Messages of one topic or direct conversation, and who deletes them. */
type DeletedBatch = TopicRemoval & Pick<ConversationRemoval, 'recipientId' | 'actor'>;

/** Messages of one channel or direct conversation that are deleted together. */
interface ConversationRemoval {
  readonly recipientId: number;
  readonly topics: readonly TopicRemoval[];
  /** Who deletes them; null for the server. */
  readonly actor: UserDocument | null;
  /** Whether the messages are archived: then the files they link are kept, too. */
  readonly archived?: boolean;
}

/**
 * Deletes messages with their flags and file links, and emits the events (events.md#order and
 * events-messages.md#messages). Read state stays as it is: ids without a message have no effect there.
 */
export function removeMessages(
  tx: Transaction,
  { recipientId, actor, topic, ids }: DeletedBatch,
): void {
  removeTopics(tx, { recipientId, actor, topics: [{ topic, ids }] });
}

/** Like `removeMessages`, for messages of several topics. */
export function removeTopics(tx: Transaction, removal: ConversationRemoval): void {
  const { org } = tx;
  const { recipientId, topics, actor } = removal;
  const channel = org.channels.byRecipient(recipientId);
  const before = channel ? activityOf(org, channel) : null;
  const notices = topics.map(({ ids }) =>
    channel ? deletionNotices(org, channel, ids, actor) : [directNotice(tx, recipientId, ids)],
  );
  topics.forEach(({ ids }, i) => emitOrphanStarRemovals(tx, ids, notices[i]!));
  const all = topics.length === 1 ? topics[0]!.ids : ascending(topics);
  for (const id of all) org.messageFlags.forget(id);
  tx.hooks.notifier?.withdrawn(all);
  org.messages.deleteAll(all);
  if (before) {
    for (const change of activityChanges(org, before))
      emitChannelUpdate(tx, before.channel, change);
  }
  topics.forEach(({ topic }, i) => {
    const place = channel ? { channel, topic } : null;
    for (const { audience, ids } of notices[i]!) emitMessagesDeleted(tx, audience, ids, place);
  });
  if (removal.archived) archiveAttachmentLinks(tx, all);
  else releaseAttachments(tx, all);
}

function ascending(topics: readonly TopicRemoval[]): number[] {
  return topics.flatMap(({ ids }) => ids).sort((a, b) => a - b);
}

function directNotice(
  { org }: Transaction,
  recipientId: number,
  ids: readonly number[],
): DeletionNotice {
  const users = org.conversations.get(recipientId)?.user_ids ?? [];
  const active = users.filter((userId) => org.users.get(userId)?.is_active === true);
  return { audience: { to: 'users', users: active }, ids };
}

/**
 * Whether the user may delete a message that they can see (endpoints-messages.md#one-message): any message
 * by a permission of the organization or the channel; by another one their own and their bots' messages,
 * within the time limit.
 * @throws ApiError when they may not
 */
export function checkMayDelete(org: Organization, user: UserDocument, message: MessageSummary) {
  const realm = org.realm.current;
  const channel = org.channels.byRecipient(message.recipient_id);
  const has = (right: 'can_delete_any_message_group' | 'can_delete_own_message_group'): boolean =>
    allows(org, realm[right], user) || (channel !== undefined && allows(org, channel[right], user));
  if (has('can_delete_any_message_group')) return;
  if (!isOwn(org, user, message) || !has('can_delete_own_message_group')) {
    throw badRequest("You don't have permission to delete this message");
  }
  const limit = realm.message_content_delete_limit_seconds;
  if (limit !== null && org.now() / 1000 - message.timestamp > limit) {
    throw badRequest('The time limit for deleting this message has passed');
  }
}

/** Whether the user or one of their bots sent the message. */
function isOwn(org: Organization, user: UserDocument, { sender_id }: MessageSummary): boolean {
  return sender_id === user.user_id || org.users.get(sender_id)?.bot_owner_id === user.user_id;
}

/**
 * Emits the removal of stars to users who starred a deleted message and do not get its deletion, because
 * they may no longer read its channel. Call it before the flags are deleted.
 * @param ids of the deleted messages
 * @param notices audiences of the deletion
 */
function emitOrphanStarRemovals(
  tx: Transaction,
  ids: readonly number[],
  notices: readonly DeletionNotice[],
): void {
  const { messageFlags, users } = tx.org;
  const orphans = new Map<number, number[]>();
  for (const id of ids) {
    for (const userId of messageFlags.usersOf(id)) {
      if (!messageFlags.of(userId, id)!.starred || !users.active.has(userId)) continue;
      const isNotified = notices.some(
        (notice) => reaches(tx.org, notice.audience, userId) && notice.ids.includes(id),
      );
      if (isNotified) continue;
      const own = orphans.get(userId);
      if (own) own.push(id);
      else orphans.set(userId, [id]);
    }
  }
  for (const [userId, messages] of orphans) {
    emitFlagsTo(tx, [userId], { op: 'remove', flag: 'starred', messages });
  }
}

function reaches({ subscriptions }: Organization, audience: Audience, userId: number): boolean {
  if (audience.to === 'users') return audience.users.includes(userId);
  if (audience.except?.includes(userId)) return false;
  if (audience.to === 'all' || audience.also?.includes(userId)) return true;
  return subscriptions.isSubscribed(userId, audience.channel);
}
