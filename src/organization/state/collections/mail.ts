import type { OutgoingMailDocument } from '../../../../schemas/mail/outgoing-mail-document.js';
import { Collection, type Recorder } from '../collection.js';
import type { ConfirmationDocument } from '../../../../schemas/accounts/confirmation-document.js';

/** Mails to be sent, by id; they commit with the change that they report. */
export class OutgoingMailCollection extends Collection<number, OutgoingMailDocument> {
  /** Called when a mail is added, even if its transaction is reverted later. */
  onAppear: () => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_mail', recorder, (mail) => mail.id);
  }

  protected override reindex(previous?: OutgoingMailDocument, next?: OutgoingMailDocument): void {
    if (!previous && next) this.onAppear();
  }
}

/** Mailed links that were not used yet, by the digest of their key; some have expired. */
export class ConfirmationCollection extends Collection<string, ConfirmationDocument> {
  constructor(recorder: Recorder) {
    super('confirmation', recorder, (confirmation) => confirmation.key_hash);
  }
}
