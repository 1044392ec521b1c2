import type {
  MailContent,
  OutgoingMailDocument,
} from '../../../schemas/documents/outgoing-mail.js';
import { MAX_WAITING_MAILS } from '../../../schemas/limits.js';
import { serviceUnavailable } from '../../errors.js';
import { Collection, type Recorder } from '../collection.js';
import type { Transaction } from '../transaction.js';

/** Mails that are to go out, by id; they are committed with what they tell. */
export class OutgoingMailCollection extends Collection<number, OutgoingMailDocument> {
  /** Called when a mail appears, also while its transaction may still be taken back. */
  onAppear: () => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_mail', recorder, (mail) => mail.id);
  }

  protected override reindex(previous?: OutgoingMailDocument, next?: OutgoingMailDocument): void {
    if (!previous && next) this.onAppear();
  }
}

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
