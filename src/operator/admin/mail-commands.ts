/** What an operator asks about mails that go out. */
import { retryMails, sendTestMail } from '../../../schemas/administration/mails.js';
import type { OutgoingMailDocument } from '../../../schemas/mail/outgoing-mail-document.js';
import { badRequest } from '../../errors/index.js';
import { waitingMails } from '../../organization/mail/waiting-mails.js';
import type { AdminNode, AdminRequest, Work } from './admin-request.js';
import { callAsOwner } from './accounts.js';
import { timeText } from './organization-commands.js';

export const MAIL_COMMANDS: Readonly<Record<string, Work>> = {
  'mails list': ({ served: { org } }) => waitingMails(org).map(rowOf),
  'mails show': (node, request) => rowOf(named(node, request)),
  'mails retry': async (node, request) => {
    const mail_id = request.args.length > 0 ? named(node, request).id : undefined;
    const { retried } = await callAsOwner(node, retryMails, { mail_id });
    return { retried };
  },
  'mails test': async (node, { args: [email = ''] }) => {
    const { taken_by } = await callAsOwner(node, sendTestMail, { email });
    return { to: email, taken_by: taken_by ?? 'nobody yet; parley mails list has it and why' };
  },
};

/** Nothing of what it says: its link would let its reader in, and messages are their authors'. */
function rowOf(mail: OutgoingMailDocument) {
  return {
    id: mail.id,
    to: mail.to,
    about: mail.content.kind,
    created: timeText(mail.created_at),
    attempts: mail.attempts,
    next: timeText(mail.next_attempt_at),
    why: mail.last_failure ?? (mail.attempts === 0 ? 'it was not tried yet' : 'unknown'),
  };
}

/** The mail of an id. @throws ApiError where none waits */
function named({ served }: AdminNode, { args: [id = ''] }: AdminRequest): OutgoingMailDocument {
  const mail = /^\d{1,15}$/.test(id) ? served.org.mails.get(Number(id)) : undefined;
  if (!mail) throw badRequest(`No mail ${id} waits; parley mails list has those that do`);
  return mail;
}
