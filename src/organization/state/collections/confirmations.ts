import type { ConfirmationDocument } from '../../../../schemas/accounts/confirmation-document.js';
import { Collection, type Recorder } from '../collection.js';

/** Links that were mailed and not used yet, by the digest of their key; some have expired. */
export class ConfirmationCollection extends Collection<string, ConfirmationDocument> {
  constructor(recorder: Recorder) {
    super('confirmation', recorder, (confirmation) => confirmation.key_hash);
  }
}
