import type { MailContent } from '../../../schemas/mail/outgoing-mail-document.js';
import { MAX_WAITING_MAILS } from '../../../schemas/limits.js';
import { serviceUnavailable } from '../../errors.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Puts a mail into the outbox: it goes out once this transaction is durable, and survives a crash.
 * @throws ApiError 503 when too many mails wait already
 */
export function queueMail(tx: Transaction, to: string, content: MailContent): void {
  const { mails, counters } = tx.org;
  if (mails.size >= MAX_WAITING_MAILS) throw serviceUnavailable('Too many mails are waiting', 60);
  mails.insert({
    id: counters.next('mail'),
    to,
    content,
    created_at: tx.now,
    attempts: 0,
    next_attempt_at: tx.now,
  });
}
