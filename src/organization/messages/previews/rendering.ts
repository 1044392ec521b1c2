import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { MessageUpdated } from '../../../journal/renderers/update-message.js';
import { isMeMessage } from '../../../services/markdown/markdown.js';
import type { Transaction } from '../../state/transaction.js';
import type { Runtime } from '../../state/runtime.js';
import { emitMessageUpdated } from '../message-events.js';
import { audienceIn, flagKinds, viewersOf } from '../editing/edit-audience.js';

/** The new HTML of a message, and what it contains from then on. */
export type RenderingChange = Pick<MessageDocument, 'rendered_content'> &
  Partial<Pick<MessageDocument, 'has_link' | 'has_image'>>;

/**
 * Changes the HTML of a message that may have been sent long ago, in a transaction of its own.
 * @param change the HTML it gets, with what it contains where that is not as before; null, or the HTML it has, for no
 * change
 */
export async function changeRendering(
  runtime: Pick<Runtime, 'org' | 'transact'>,
  messageId: number,
  change: (message: MessageDocument) => RenderingChange | null,
): Promise<void> {
  const { org } = runtime;
  const pinned = org.messages.pin();
  try {
    const read = (await org.messages.fetch([messageId])).get(messageId);
    // A document written since the store read it is in memory.
    const message = org.messages.resident(messageId) ?? read;
    if (!message) return;
    pinned.documents.set(messageId, message);
    const changed = change(message);
    if (changed === null || changed.rendered_content === message.rendered_content) return;
    runtime.transact((tx) => emitRendering(tx, message, changed));
  } finally {
    pinned.release();
  }
}

/**
 * Changes the HTML of a message by the server's own doing, and emits `update_message` with `rendering_only`
 * (events-messages.md#update-message): no edit, and in no history.
 */
function emitRendering(tx: Transaction, message: MessageDocument, change: RenderingChange): void {
  const { org } = tx;
  const now = org.messages.update(message, change, tx.seq);
  const channel = message.stream_id === null ? null : org.channels.get(message.stream_id)!;
  const users = channel
    ? viewersOf(org, channel, [message.id]).flatMap((viewers) => viewers.users)
    : (org.conversations.get(message.recipient_id)?.user_ids ?? []).filter((id) =>
        org.users.active.has(id),
      );
  const data: MessageUpdated = {
    user_id: null,
    edit_timestamp: tx.seconds,
    message_id: message.id,
    message_ids: [message.id],
    rendering_only: true,
    ...(channel ? { stream_id: channel.stream_id, stream_name: channel.name } : {}),
    content: now.content,
    rendered_content: now.rendered_content,
    is_me_message: isMeMessage(now.content),
    ...flagKinds(org, now, users),
  };
  const audience = channel
    ? audienceIn(org, channel, new Set(users))
    : ({ to: 'users', users: [...users] } as const);
  emitMessageUpdated(tx, audience, data);
}
