import * as descriptors from '../../../schemas/administration/mails.js';
import { ApiError, badRequest } from '../../errors/index.js';
import { isEmailAddress } from '../../organization/accounts/account-checks.js';
import {
  waitingMail,
  waitingMailRow,
  waitingMails,
} from '../../organization/mail/waiting-mails.js';
import type { OutgoingMailDocument } from '../../../schemas/mail/outgoing-mail-document.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';

/** What sends mails. */
export interface MailSender {
  /** Tries mails again once the transaction is durable. */
  retry(tx: Transaction, mails: readonly OutgoingMailDocument[]): void;
  /**
   * Sends a test mail.
   * @returns who took it; null where nobody has answered yet, and it waits with the others
   * @throws Error with the words of whoever did not take it
   */
  sendTest(to: string): Promise<string | null>;
  /** What takes the mails, without credentials. */
  readonly description: string;
}

/** Mails that wait, and trials of the mail server (endpoints-organization.md#console). */
export function waitingMailHandlers(sender: MailSender): AnyHandler[] {
  return [
    handle(descriptors.getWaitingMails, ({ org }) => ({
      mails: waitingMails(org)
        .slice(0, descriptors.CONSOLE_MAILS)
        .map((mail) => waitingMailRow(org, mail)),
      mails_waiting: org.mails.size,
      mail_server: org.site.mails === true ? sender.description : null,
    })),
    handle(descriptors.retryMails, (tx, { params: { mail_id } }) => {
      const mails = mail_id === undefined ? waitingMails(tx.org) : [waitingMail(tx.org, mail_id)];
      const name = mail_id === undefined ? '' : mails[0]!.content.kind;
      recordAction(tx, { kind: 'mail', id: mail_id ?? 0, name, action: 'done', fields: [] });
      sender.retry(tx, mails);
      return { retried: mails.length };
    }),
    handlePrepared(
      descriptors.sendTestMail,
      async (_org, { params: { email } }) => {
        if (!isEmailAddress(email)) throw badRequest(`${email} is not an e-mail address`);
        try {
          return await sender.sendTest(email);
        } catch (error) {
          if (error instanceof ApiError) throw error;
          throw badRequest(`The mail was not taken: ${(error as Error).message}`);
        }
      },
      (tx, _request, taken_by) => {
        recordAction(tx, { kind: 'mail', id: 0, name: 'test', action: 'done', fields: [] });
        return { taken_by };
      },
    ),
  ];
}
