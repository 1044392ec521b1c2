import type { OutgoingMailDocument } from '../../../../schemas/mail/outgoing-mail-document.js';
import { Collection, type Recorder } from '../collection.js';
import type { ConfirmationDocument } from '../../../../schemas/accounts/confirmation-document.js';

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

/** Links that were mailed and not used yet, by the digest of their key; some have expired. */
export class ConfirmationCollection extends Collection<string, ConfirmationDocument> {
  constructor(recorder: Recorder) {
    super('confirmation', recorder, (confirmation) => confirmation.key_hash);
  }
}
