import type { UserDocument } from '../../../schemas/documents/user.js';
import type { MessagesDeleted } from '../../journal/shapes/delete-message.js';
import { releaseAttachments } from '../attachment-links.js';
import { activityOf, emitActivity } from '../sending/channel-activity.js';
import type { Transaction } from '../transaction.js';
import { lossesInChannel, type Loss } from './deletion-audience.js';
import { takeOrphanStars } from './orphan-stars.js';

/** Messages of one topic or direct conversation that go together. */
export interface Removal {
  readonly recipientId: number;
  /** Ascending, not empty; all of them exist. */
  readonly ids: readonly number[];
  /** The topic as its receivers know it. */
  readonly topic: string;
  /** Who deletes them; null for the server. */
  readonly actor: UserDocument | null;
}

/**
 * Deletes messages and all that hangs on them, and tells everybody who could see them (events.md
 * sections 7 and 9). What users have read stays as it is: ids that no message has mean nothing there.
 */
export function removeMessages(tx: Transaction, removal: Removal): void {
  const { org } = tx;
  const { recipientId, ids } = removal;
  const channel = org.channels.byRecipient(recipientId);
  const before = channel ? activityOf(tx, channel) : null;
  const losses = channel
    ? lossesInChannel(org, channel, ids, removal.actor)
    : [lossInConversation(tx, removal)];
  takeOrphanStars(tx, ids, losses);
  for (const id of ids) org.marks.forget(id);
  org.messages.deleteAll(ids);
  if (before) emitActivity(tx, before);
  for (const loss of losses) {
    const data: MessagesDeleted = channel
      ? {
          message_type: 'stream',
          message_ids: loss.ids,
          stream_id: channel.stream_id,
          topic: removal.topic,
        }
      : { message_type: 'private', message_ids: loss.ids };
    tx.emit('delete_message', loss.audience, data, { slots: loss.ids.length });
  }
  releaseAttachments(tx, ids);
}

function lossInConversation({ org }: Transaction, { recipientId, ids }: Removal): Loss {
  const users = org.conversations.get(recipientId)?.user_ids ?? [];
  const active = users.filter((userId) => org.users.get(userId)?.is_active === true);
  return { audience: { to: 'users', users: active }, ids };
}
