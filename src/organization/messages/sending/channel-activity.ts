import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import { firstMessageId, isRecentlyActive } from '../../views/channel-view.js';
import { channelAudience } from '../../access/permissions.js';
import type { Transaction } from '../../state/transaction.js';

/** The fields of a channel that a message can change, as they were before it. */
interface ChannelActivity {
  readonly channel: ChannelDocument;
  readonly first_message_id: number | null;
  readonly is_recently_active: boolean;
}

/** Captures the activity of a channel before a message is added or removed. */
export function activityOf(tx: Transaction, channel: ChannelDocument): ChannelActivity {
  return {
    channel,
    first_message_id: firstMessageId(tx.org, channel),
    is_recently_active: isRecentlyActive(tx.org, channel),
  };
}

/** Emits the changes of a channel's activity, before the message's own event (events.md#order). */
export function emitActivity(tx: Transaction, before: ChannelActivity): void {
  const { channel } = before;
  const after = activityOf(tx, channel);
  const { first_message_id, is_recently_active } = before;
  // As for nearly every message.
  if (
    after.first_message_id === first_message_id &&
    after.is_recently_active === is_recently_active
  ) {
    return;
  }
  for (const property of ['is_recently_active', 'first_message_id'] as const) {
    if (after[property] === before[property]) continue;
    tx.emit('stream', channelAudience(tx.org, channel), {
      op: 'update',
      stream_id: channel.stream_id,
      name: channel.name,
      property,
      value: after[property],
      ...(channel.is_archived ? { archived: true } : {}),
    });
  }
}
