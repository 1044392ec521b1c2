import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Test } from 'tap';
import { utf8Of } from './utf8.js';

/** A mail as a mailbox got it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers by name in lower case, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text part, decoded. */
  readonly text: string;
  /** The HTML part, decoded. */
  readonly html: string;
}

/** What the mail server does with a recipient, before it takes mails. */
export type Refusal = { readonly code: number; readonly message: string } | null;

export interface MailboxOptions {
  /** Asked for every recipient; null takes it. */
  readonly refuse?: (recipient: string) => Refusal;
  /** Without it nobody needs to log in. */
  readonly login?: { readonly user: string; readonly password: string };
  readonly port?: number;
}

/** A mail server of its own, which keeps what it gets. */
export class Mailbox {
  readonly mails: ReceivedMail[] = [];
  /** What new accounts get, kept apart from what tests wait for. */
  readonly welcomes: ReceivedMail[] = [];
  /** Logins that were accepted. */
  readonly logins: string[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
  ) {}

  static async open(t: Test, options: MailboxOptions = {}): Promise<Mailbox> {
    const { login, refuse } = options;
    // Made below, before anybody can connect.
    const made: Mailbox[] = [];
    const server = new SMTPServer({
      disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
      authOptional: login === undefined,
      allowInsecureAuth: true,
      logger: false,
      // A sender may keep its connection, and the end of a test need not wait for it. Milliseconds.
      closeTimeout: 100,
      onAuth: (auth, _session, done) => {
        const right = auth.username === login?.user && auth.password === login?.password;
        if (!right) return done(new Error('wrong password'));
        made[0]!.logins.push(auth.username!);
        return done(null, { user: auth.username });
      },
      onRcptTo: ({ address }, _session, done) => {
        const refusal = refuse?.(address) ?? null;
        if (!refusal) return done();
        return done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          const to = rcptTo.map((one) => one.address);
          made[0]!.take({ from, to, ...parsed(Buffer.concat(chunks).toString('latin1')) });
          done();
        });
      },
    });
    // A sender that is killed breaks its connection.
    server.on('error', () => undefined);
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server.server, 'listening');
    const { port } = server.server.address() as AddressInfo;
    const mailbox = new Mailbox(server, port);
    made.push(mailbox);
    t.teardown(() => mailbox.close());
    return mailbox;
  }

  /** Where a server sends mails to. */
  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** The first mail to an address that fits, now or when it comes. */
  async to(address: string, subject = /./): Promise<ReceivedMail> {
    for (;;) {
      const found = this.mails.find(
        (mail) => mail.to.includes(address) && subject.test(mail.headers.subject ?? ''),
      );
      if (found) return found;
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Ends; the port is free afterwards. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private take(mail: ReceivedMail): void {
    const isWelcome = /^Welcome to /.test(mail.headers.subject ?? '');
    (isWelcome ? this.welcomes : this.mails).push(mail);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

/** The one link in a mail's text. @throws Error when there is none */
export function linkIn({ text }: { readonly text: string }): URL {
  const found = /https?:\/\/\S+\/(?:accounts|join)\/\S+/.exec(text);
  if (!found) throw new Error(`no link in: ${text}`);
  return new URL(found[0]);
}

/** Reads a message as our server composes it: two alternatives, each in a transfer encoding. */
export function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return { headers, text: decoded(headers, body), html: '' };
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.trimStart()));
  const part = (type: string): string => {
    const found = parts.find((one) => one.headers['content-type']?.startsWith(type));
    return found ? decoded(found.headers, found.body) : '';
  };
  return { headers, text: part('text/plain'), html: part('text/html') };
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())];
  });
  return { headers: Object.fromEntries(headers), body: raw.slice(end + 4) };
}

function decodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_all, kind: string, coded: string) =>
      kind.toUpperCase() === 'B'
        ? utf8Of(Buffer.from(coded, 'base64'))
        : quoted(coded.replaceAll('_', ' ')),
    );
}

function quoted(text: string): string {
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return utf8Of(Buffer.from(bytes, 'latin1'));
}

function decoded(headers: Readonly<Record<string, string>>, body: string): string {
  switch (headers['content-transfer-encoding']?.toLowerCase()) {
    case 'quoted-printable':
      return quoted(body).replaceAll('\r\n', '\n');
    case 'base64':
      return utf8Of(Buffer.from(body, 'base64')).replaceAll('\r\n', '\n');
    default:
      return utf8Of(Buffer.from(body, 'latin1')).replaceAll('\r\n', '\n');
  }
}
