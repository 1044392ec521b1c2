/**
 * The only place that emits `update_message_flags`, `update_message` and `delete_message`
 * (events-messages.md#messages).
 */
import type { FLAG_OPERATIONS } from '../../../schemas/messages/messages.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { EventFields } from '../../../schemas/events.js';
import type { Audience } from '../../journal/entry.js';
import type { MessageUpdated } from '../../journal/renderers/update-message.js';
import type { Transaction } from '../state/transaction.js';

type FlagsUpdate = EventFields<'update_message_flags'>;

/** Flags that were added to messages or removed from them. */
export interface ChangedFlags extends Pick<FlagsUpdate, 'flag' | 'messages' | 'message_details'> {
  readonly op: (typeof FLAG_OPERATIONS)[number];
}

/** Emits changed flags to the users who have them. @param users ascending */
export function emitFlagsTo(
  tx: Transaction,
  users: readonly number[],
  { op, flag, messages, message_details }: ChangedFlags,
): void {
  const data = { op, operation: op, flag, messages, all: false };
  const details = message_details ? { message_details } : {};
  tx.emit('update_message_flags', { to: 'users', users }, { ...data, ...details });
}

/** Emits a message's new text, place or HTML. */
export function emitMessageUpdated(
  tx: Transaction,
  audience: Audience,
  update: MessageUpdated,
): void {
  tx.emit('update_message', audience, update);
}

/**
 * Emits the deletion of messages of one topic or direct conversation.
 * @param place the channel and the topic as the receivers know them; null for direct messages
 */
export function emitMessagesDeleted(
  tx: Transaction,
  audience: Audience,
  ids: readonly number[],
  place: { readonly channel: ChannelDocument; readonly topic: string } | null,
): void {
  const data = place
    ? ({
        message_type: 'stream',
        message_ids: ids,
        stream_id: place.channel.stream_id,
        topic: place.topic,
      } as const)
    : ({ message_type: 'private', message_ids: ids } as const);
  tx.emit('delete_message', audience, data, { slots: ids.length });
}
