import { MAX_TOLD_EVENTS } from '../../../schemas/limits.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { code } from '../../services/hooks/wording.js';
import { mention } from '../messages/message-markup.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import type { Transaction } from '../state/transaction.js';
import { noticesTo } from '../views/languages.js';

/** A service that posts. */
interface Sender {
  readonly name: string;
  readonly displayName: string;
}

/**
 * Tells the owner of a bot, once for each kind, of an event that the bot makes no message of
 * (endpoints-bots.md#incoming-webhooks): otherwise it is missing and nobody knows.
 */
export function tellOfUnknownEvent(
  tx: Transaction,
  markdown: Markdown,
  bot: UserDocument,
  { name, displayName }: Sender,
  event: string,
): void {
  const { bots, users } = tx.org;
  const owner = bot.bot_owner_id === null ? undefined : users.get(bot.bot_owner_id);
  const document = bots.get(bot.user_id);
  const told = document?.told_events ?? [];
  const kind = `${name} ${event}`;
  if (!owner?.is_active || !document || told.includes(kind) || told.length >= MAX_TOLD_EVENTS)
    return;
  bots.insert({ ...document, told_events: [...told, kind] });
  const pattern = JSON.stringify([event]);
  const content = noticesTo(tx.org, owner.user_id)('hook.unknown', {
    service: displayName,
    bot: mention(bot),
    event: code(event),
    parameter: code(`exclude_events=${pattern}`),
  });
  sendNotice(tx, markdown, { users: [owner] }, content);
}
