import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import { readdir, unlink } from '../platform/files.js';
import { OWN_MAIL_HEADER } from './incoming-mail/mail-content.js';
import { makeFolder, replaceFile } from '../platform/durable-files.js';
import { inBackground, untold } from '../turns/background.js';

/** A mail as it goes out. */
export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where answers go; absent: to the sender's address, which nobody reads. */
  readonly replyTo?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** With angle brackets; the same for every attempt, so that a copy can be told. */
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly date: number;
}

/** Hands mails over to whoever carries them. */
export interface MailTransport {
  /** What operators read; holds no credentials. */
  readonly description: string;
  /**
   * Resolves once the mail is somebody else's responsibility.
   * @throws MailRefusedError when trying again is useless; any other error is for a while
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The receiving side refused this mail for good, such as an unknown mailbox. */
export class MailRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MailRefusedError';
  }
}

/** A server that does not answer must not hold up the mails behind for long. Milliseconds. */
const SMTP_TIMEOUTS = {
  connectionTimeout: 20_000,
  greetingTimeout: 20_000,
  socketTimeout: 60_000,
} as const;

const SMTP_CONNECTIONS = 2;

/** Sends by SMTP: `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
export class SmtpTransport implements MailTransport {
  readonly description: string;
  private transporter: Promise<Transporter> | undefined;

  constructor(private readonly url: string) {
    const { protocol, host } = new URL(url);
    this.description = `${protocol}//${host}`;
  }

  async send(mail: Mail): Promise<void> {
    try {
      const transporter = await (this.transporter ??= this.open());
      await transporter.sendMail(messageOf(mail));
    } catch (error) {
      throw isFinal(error) ? new MailRefusedError((error as Error).message) : error;
    }
  }

  /** Greets the mail server and logs in. @throws Error with what the server says */
  async reach(): Promise<void> {
    const transporter = await (this.transporter ??= this.open());
    await transporter.verify();
  }

  close(): void {
    inBackground(() => this.transporter?.then((transporter) => transporter.close()), untold);
  }

  private async open(): Promise<Transporter> {
    const nodemailer = await loadNodemailer();
    return nodemailer.createTransport({
      url: this.url,
      ...SMTP_TIMEOUTS,
      pool: true,
      maxConnections: SMTP_CONNECTIONS,
    });
  }
}

/** Loads the library with the first mail: every start would wait for it, and most processes send none. */
async function loadNodemailer() {
  const { default: nodemailer } = await import('nodemailer');
  return nodemailer;
}

/**
 * A refused recipient or message is refused for good (5xx); a refused login or greeting is a matter of
 * configuration, which somebody may put right.
 */
function isFinal(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const about = code === 'EENVELOPE' || code === 'EMESSAGE';
  return about && typeof responseCode === 'number' && responseCode >= 500;
}

function messageOf({ date, headers, ...mail }: Mail) {
  return {
    ...mail,
    date: new Date(date),
    headers: { ...headers, 'Auto-Submitted': 'auto-generated', [OWN_MAIL_HEADER]: '1' },
    // Texts come from people; files and addresses in them must not be followed.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A mail as bytes (RFC 5322). */
async function compose(mail: Mail): Promise<Buffer> {
  const nodemailer = await loadNodemailer();
  const composer = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
  });
  const { message } = await composer.sendMail(messageOf(mail));
  return message as Buffer;
}

/** Mails a folder keeps; older ones are removed. */
const MAX_KEPT_MAILS = 1000;

/** Writes each mail as an `.eml` file: for trying things out without a mail server. */
export class FolderTransport implements MailTransport {
  readonly description: string;
  constructor(
    private readonly folder: string,
    private readonly keep = MAX_KEPT_MAILS,
  ) {
    this.description = `${folder}/*.eml`;
  }

  async send(mail: Mail): Promise<void> {
    const message = await compose(mail);
    await makeFolder(this.folder);
    // The id makes a mail that is written again replace itself.
    const id = mail.messageId.replace(/[^\w.-]+/g, '');
    const name = `${new Date(mail.date).toISOString().replaceAll(':', '-')}-${id}.eml`;
    // Whole or not at all: whoever watches the folder sees finished mails only.
    await replaceFile(join(this.folder, name), message);
    await this.removeOldest();
  }

  close(): void {
    // Holds nothing open.
  }

  private async removeOldest(): Promise<void> {
    const names = (await readdir(this.folder)).filter(isMail).sort();
    for (const name of names.slice(0, Math.max(0, names.length - this.keep))) {
      await unlink(join(this.folder, name)).catch(() => undefined);
    }
  }
}

function isMail(name: string): boolean {
  return name.endsWith('.eml') && !name.startsWith('.');
}
