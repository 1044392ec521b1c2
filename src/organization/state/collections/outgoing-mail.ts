import type { OutgoingMailDocument } from '../../../../schemas/mail/outgoing-mail-document.js';
import { Collection, type Recorder } from '../collection.js';

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
