import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { FolderTransport, SmtpTransport, type MailTransport } from '../services/mail.js';

/** How mails leave this process; outlives terms of leadership. */
export interface MailService {
  readonly transport: MailTransport;
  /** Address they come from. */
  readonly from: string;
  /** Whether links are logged: mails go nowhere, and whoever tries the server out needs them. */
  readonly showLinks: boolean;
}

/** @param url public base URL */
export function openMail({ mail, mailFrom, store }: Config, url: string): MailService {
  const { hostname } = new URL(url);
  // A bare number would need brackets that not every mail server understands.
  const host = isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname;
  const from = mailFrom ?? `noreply@${host}`;
  if (mail !== null) return { transport: new SmtpTransport(mail), from, showLinks: false };
  const data = /^embedded:(.+)$/.exec(store)?.[1] ?? '.';
  return { transport: new FolderTransport(join(data, 'mail')), from, showLinks: true };
}
