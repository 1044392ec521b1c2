import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { FolderTransport, SmtpTransport, type MailTransport } from '../../services/mail.js';

/** Sends mails; outlives leadership terms. */
export interface MailService {
  readonly transport: MailTransport;
  /** Address they come from. */
  readonly from: string;
  /**
   * Whether links are logged: on a terminal without a mail server, people who try out this one need them. A log that
   * is kept has none, since a link may set a password.
   */
  readonly showLinks: boolean;
  /**
   * Whether mails reach people: those about messages are not written to a folder, where they would outlive the
   * messages.
   */
  readonly reaches: boolean;
}

/** @param url public base URL */
export function openMail({ mail, mailFrom, store }: Config, url: string): MailService {
  const { hostname } = new URL(url);
  // A bare IP address would need brackets, which not every mail server accepts.
  const host = isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname;
  const from = mailFrom ?? `noreply@${host}`;
  if (mail !== null)
    return { transport: new SmtpTransport(mail), from, showLinks: false, reaches: true };
  const data = /^embedded:(.+)$/.exec(store)?.[1] ?? '.';
  const transport = new FolderTransport(join(data, 'mail'));
  return { transport, from, showLinks: process.stderr.isTTY, reaches: false };
}
