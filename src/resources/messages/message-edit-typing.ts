import { setTypingStatusForEdit } from '../../../schemas/messages/message-editing.js';
import { MAX_TYPING_SUBSCRIBERS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { EventFields } from '../../../schemas/events.js';
import { checkMayEditContent } from '../../organization/messages/editing/edit-rights.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { MessageSummary } from '../../organization/state/message-index/message-index.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { handle, type AnyHandler, type CallerRequest } from '../kernel/handler.js';
import { assertMayPost, checkSendsTyping, listeners, TYPING_DEFER_MS } from './typing.js';

type Request = CallerRequest<typeof setTypingStatusForEdit>;

/**
 * `POST /messages/{message_id}/typing` (specification-endpoints.md#edit-typing): emits an event and stores nothing.
 * Follows the protocol of the ordinary typing status.
 */
export const messageEditTypingHandler: AnyHandler = handle(
  setTypingStatusForEdit,
  (tx, request) => {
    const { user, params } = request;
    tx.defer(TYPING_DEFER_MS);
    const message = tx.org.messages.peek(params.message_id);
    // The same refusal for other users' messages, so that it does not reveal whether they exist.
    const own = message?.sender_id === user.user_id;
    if (!message || !own || !new MessageAccess(tx.org, user).canSee(message.id)) {
      throw badRequest('Invalid message(s)');
    }
    const channel = tx.org.channels.byRecipient(message.recipient_id);
    checkSendsTyping(tx.org, user, channel ? 'channel' : 'direct');
    checkMayEditContent(tx.org, user, message);
    if (channel) typeInChannel(tx, request, message, channel.stream_id);
    else typeDirectly(tx, request, message);
    return {};
  },
);

function typeInChannel(
  tx: Transaction,
  { user, params }: Request,
  message: MessageSummary,
  channel_id: number,
): void {
  const { org } = tx;
  assertMayPost(org, user, channel_id);
  const subscribers = org.subscriptions.subscribers(channel_id);
  if (subscribers.length > MAX_TYPING_SUBSCRIBERS) return;
  const data: EventFields<'typing_edit_message'> = {
    op: params.op,
    sender_id: user.user_id,
    message_id: message.id,
    recipient: { type: 'channel', channel_id, topic: org.messages.index.topicOf(message.id)!.name },
  };
  const people = subscribers.map((id) => org.users.get(id)!);
  tx.emit('typing_edit_message', listeners(org, people, [user]), data);
}

function typeDirectly(tx: Transaction, { user, params }: Request, message: MessageSummary): void {
  const { org } = tx;
  const user_ids = org.conversations.get(message.recipient_id)!.user_ids;
  const data: EventFields<'typing_edit_message'> = {
    op: params.op,
    sender_id: user.user_id,
    message_id: message.id,
    recipient: { type: 'direct', user_ids },
  };
  const people = user_ids.map((id) => org.users.get(id)!);
  tx.emit('typing_edit_message', listeners(org, people, [user]), data);
}
