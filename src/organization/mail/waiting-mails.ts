import type { OutgoingMailDocument } from '../../../schemas/mail/outgoing-mail-document.js';
import type { WaitingMailRow } from '../../../schemas/administration/mails.js';
import { badRequest } from '../../errors/index.js';
import { withoutAddresses } from '../../services/troubles.js';
import type { Organization } from '../state/organization.js';

/** Mails that no mail server has accepted yet, the oldest first. */
export function waitingMails({ mails }: Organization): OutgoingMailDocument[] {
  return [...mails.values()].sort((a, b) => a.id - b.id);
}

/** A mail that waits. @throws ApiError where none has the id */
export function waitingMail({ mails }: Organization, id: number): OutgoingMailDocument {
  const mail = mails.get(id);
  if (!mail) throw badRequest(`No mail ${id} waits`);
  return mail;
}

/** Nothing of what it says: its link would let its reader in, and messages are their authors'. */
export function waitingMailRow(org: Organization, mail: OutgoingMailDocument): WaitingMailRow {
  const { id, to, content, created_at, attempts, next_attempt_at, last_failure } = mail;
  const user = org.users.byRealEmail(to);
  return {
    ...{ id, to_user_id: user?.user_id ?? null, to_email: user ? null : to, about: content.kind },
    ...{ created_at, attempts, next_attempt_at },
    last_failure: last_failure === undefined ? null : withoutAddresses(last_failure),
  };
}
