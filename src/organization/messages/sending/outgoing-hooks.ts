import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import { BOT_TYPE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { MAX_WAITING_HOOKS } from '../../../../schemas/limits.js';
import { MessageAccess } from '../message-access.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';
import type { Rendered } from '../../../services/markdown/markdown.js';
import type { Recipient } from './recipients.js';

/** What of a message that is sent decides whom it calls. */
interface SentToBots {
  readonly sender: UserDocument;
  readonly recipient: Recipient;
  readonly rendered: Pick<Rendered, 'mentions'>;
}

/**
 * Queues a new message for the outgoing webhook bots that it mentions by name, or that get it as a direct message
 * (endpoints-bots.md#outgoing-webhooks). Not for messages of bots: two of them would talk forever. A bot with too many that
 * wait gets no more meanwhile.
 */
export function queueOutgoingHooks(
  tx: Transaction,
  { sender, recipient, rendered }: SentToBots,
  message: MessageDocument,
): void {
  if (sender.is_bot) return;
  const { org } = tx;
  const isDirect = recipient.kind === 'direct';
  const addressed = isDirect
    ? recipient.users.map(({ user_id }) => user_id)
    : rendered.mentions.users;
  for (const botId of addressed) {
    if (!isTriggered(org, botId, message.id)) continue;
    org.outgoingHooks.insert({
      id: org.counters.next('outgoing_hook'),
      bot_id: botId,
      message_id: message.id,
      trigger: isDirect ? 'direct_message' : 'mention',
      attempts: 0,
      next_attempt_at: tx.now,
    });
  }
}

function isTriggered(org: Organization, botId: number, messageId: number): boolean {
  const bot = org.users.get(botId);
  if (bot?.bot_type !== BOT_TYPE.outgoingWebhook || !bot.is_active) return false;
  if (org.outgoingHooks.waitingFor(botId) >= MAX_WAITING_HOOKS) return false;
  return new MessageAccess(org, bot).canSee(messageId);
}
