/** What an operator asks about mails that go out. */
import type { OutgoingMailDocument } from '../../../schemas/mail/outgoing-mail-document.js';
import { badRequest } from '../../errors/index.js';
import type { AdminNode, AdminRequest, Work } from './admin-request.js';
import { timeText } from './organization-commands.js';

export const MAIL_COMMANDS: Readonly<Record<string, Work>> = {
  'mails list': ({ served: { org } }) => waiting(org).map(rowOf),
  'mails show': (node, request) => rowOf(named(node, request)),
  'mails retry': retry,
  'mails test': test,
};

type Organization = AdminNode['served']['org'];

/** Mails that no mail server has accepted yet, the oldest first. */
function waiting(org: Organization): OutgoingMailDocument[] {
  return [...org.mails.values()].sort((a, b) => a.id - b.id);
}

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

/** Tries a mail again at once, or all that wait. */
function retry(node: AdminNode, request: AdminRequest) {
  const mails = request.args.length > 0 ? [named(node, request)] : waiting(node.served.org);
  node.served.mail.tryNow(mails.map(({ id }) => id));
  return { retried: mails.length };
}

/** Sends a test mail now. @throws ApiError with the words of the mail server */
async function test({ served: { mail } }: AdminNode, { args: [to = ''] }: AdminRequest) {
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(to)) throw badRequest(`${to} is not an e-mail address`);
  try {
    return { to, taken_by: await mail.sendTest(to) };
  } catch (error) {
    throw badRequest(`The mail was not taken: ${(error as Error).message}`);
  }
}
