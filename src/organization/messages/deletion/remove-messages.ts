import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { MessagesDeleted } from '../../../journal/renderers/delete-message.js';
import { archiveAttachmentLinks, releaseAttachments } from '../attachment-links.js';
import { activityOf, emitActivity } from '../sending/channel-activity.js';
import type { Transaction } from '../../state/transaction.js';
import { deletionNotices, type DeletionNotice } from './deletion-audience.js';
import { takeOrphanStars } from './orphan-stars.js';

/** Messages of one topic, or of a direct conversation, that go together. */
export interface TopicRemoval {
  /** The topic as its receivers know it. */
  readonly topic: string;
  /** Ascending, not empty; all of them exist. */
  readonly ids: readonly number[];
}

/** Messages of one topic or direct conversation, and who deletes them. */
type DeletedBatch = TopicRemoval & Pick<ConversationRemoval, 'recipientId' | 'actor'>;

/** Messages of one channel or direct conversation that go together. */
interface ConversationRemoval {
  readonly recipientId: number;
  readonly topics: readonly TopicRemoval[];
  /** Who deletes them; null for the server. */
  readonly actor: UserDocument | null;
  /** Whether they are kept for a while: then so are the files they link. */
  readonly archived?: boolean;
}

/**
 * Deletes messages and all that hangs on them, and tells everybody who could see them (
 * events.md#order and events-messages.md#messages). What users have read stays as it is: ids that no message has mean nothing there.
 */
export function removeMessages(
  tx: Transaction,
  { recipientId, actor, topic, ids }: DeletedBatch,
): void {
  removeTopics(tx, { recipientId, actor, topics: [{ topic, ids }] });
}

/** As `removeMessages`, for messages of several topics. */
export function removeTopics(tx: Transaction, removal: ConversationRemoval): void {
  const { org } = tx;
  const { recipientId, topics, actor } = removal;
  const channel = org.channels.byRecipient(recipientId);
  const before = channel ? activityOf(tx, channel) : null;
  const losses = topics.map(({ ids }) =>
    channel
      ? deletionNotices(org, channel, ids, actor)
      : [lossInConversation(tx, recipientId, ids)],
  );
  topics.forEach(({ ids }, i) => takeOrphanStars(tx, ids, losses[i]!));
  const all = topics.length === 1 ? topics[0]!.ids : ascending(topics);
  for (const id of all) org.marks.forget(id);
  org.messages.deleteAll(all);
  if (before) emitActivity(tx, before);
  topics.forEach(({ topic }, i) => {
    for (const { audience, ids } of losses[i]!) {
      const data: MessagesDeleted = channel
        ? { message_type: 'stream', message_ids: ids, stream_id: channel.stream_id, topic }
        : { message_type: 'private', message_ids: ids };
      tx.emit('delete_message', audience, data, { slots: ids.length });
    }
  });
  if (removal.archived) archiveAttachmentLinks(tx, all);
  else releaseAttachments(tx, all);
}

function ascending(topics: readonly TopicRemoval[]): number[] {
  return topics.flatMap(({ ids }) => ids).sort((a, b) => a - b);
}

function lossInConversation(
  { org }: Transaction,
  recipientId: number,
  ids: readonly number[],
): DeletionNotice {
  const users = org.conversations.get(recipientId)?.user_ids ?? [];
  const active = users.filter((userId) => org.users.get(userId)?.is_active === true);
  return { audience: { to: 'users', users: active }, ids };
}
