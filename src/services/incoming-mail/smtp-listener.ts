import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Readable } from 'node:stream';
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { LineTurns } from './line-turns.js';
import type { MailCounts } from './mail-counts.js';
import { MAX_MAIL_BYTES, type MailReply, type MailSink } from './mail-protocol.js';
import { onceSettled } from '../../turns/background.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';

/** All mails that are coming in, and those that are being read, together: four of the largest. Bytes. */
const MAX_BUFFERED_BYTES = 4 * MAX_MAIL_BYTES;
/** Addresses of ours in one mail; each is a message with files of its own. */
const MAX_RECIPIENTS = 10;
/** Wrong addresses after which a client is sent away: nobody mistypes so many. */
const MAX_WRONG_ADDRESSES = 20;
/** A mail is kept in pieces of so many bytes while it comes in. */
const PIECE_BYTES = 64 * 1024;
/** A client that says nothing for so long is sent away, milliseconds (RFC 5321 asks for five minutes at least). */
const IDLE_MS = 5 * 60_000;
/** No connection lasts longer, milliseconds: time for the largest mail at 40 KB/s, and a relay connects again. */
const MAX_CONNECTION_MS = 15 * 60_000;
/** How long replies under way may take at the end, milliseconds. */
const CLOSE_MS = 1000;

interface SmtpListenerOptions {
  /** LMTP, by which a mail server of the same machine hands over: a reply for each recipient. */
  readonly lmtp: boolean;
  /** The name by which it greets. */
  readonly name: string;
  readonly sink: MailSink;
  /** Told what the listener refuses by itself, or by what the sink says of an address. */
  readonly counts: Pick<MailCounts, 'add'>;
  readonly onError: (error: Error) => void;
  /** Bounds the connections; called before it listens. */
  readonly guard: (server: Server) => void;
}

/**
 * SmtpListener accepts mails over SMTP or LMTP: without TLS and login, behind a mail server (guides/incoming-mail.md).
 */
export class SmtpListener {
  private readonly server: SMTPServer;
  private buffered = 0;
  private readonly wrongAddresses = new WeakMap<SMTPServerSession, number>();

  constructor(private readonly options: SmtpListenerOptions) {
    const { lmtp, name } = options;
    this.server = new SMTPServer({
      lmtp,
      name,
      banner: 'Parley',
      size: MAX_MAIL_BYTES,
      disabledCommands: ['AUTH', 'STARTTLS', 'VRFY', 'WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'],
      disableReverseLookup: true,
      logger: false,
      socketTimeout: IDLE_MS,
      closeTimeout: CLOSE_MS,
      onRcptTo: ({ address }, session, done) => {
        onceSettled(
          this.recipient(address, session),
          () => done(),
          (error) => done(error as Error),
        );
      },
      onData: (stream, session, done) => {
        onceSettled(
          this.receive(stream, session),
          (replies) => {
            if (lmtp) done(null, replies.map(asResponse));
            else respond(together(replies), done);
          },
          (error) => done(error as Error),
        );
      },
    });
    this.server.on('error', (error) => options.onError(error));
    options.guard(this.server.server);
    this.server.server.on('connection', (socket: Socket) => {
      LineTurns.between(socket);
      const timer = setTimeout(() => socket.destroy(), MAX_CONNECTION_MS).unref();
      socket.once('close', () => clearTimeout(timer));
    });
  }

  /** @returns the port @throws Error when it is taken */
  async listen(host: string, port: number): Promise<number> {
    const { server } = this.server;
    server.listen({ host, port });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Takes no more connections, and ends those that there are within a second. */
  async close(): Promise<void> {
    if (!this.server.server.listening) return;
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private async recipient(address: string, session: SMTPServerSession): Promise<void> {
    const { envelope } = session;
    const { counts, lmtp, sink } = this.options;
    if (envelope.rcptTo.length >= MAX_RECIPIENTS) {
      counts.add('deferred');
      throw refusal({ code: 452, text: `At most ${MAX_RECIPIENTS} recipients a mail` });
    }
    const isRepeated = envelope.rcptTo.some(
      (one) => one.address.toLowerCase() === address.toLowerCase(),
    );
    // LMTP has a reply for each, and the library keeps one address once: the second reply would be missing.
    if (lmtp && isRepeated) throw refusal({ code: 452, text: 'Each recipient once a mail' });
    const reply = await sink.check(address);
    if (reply.code < 300) return;
    counts.add(reply.code < 500 ? 'deferred' : 'refused_address');
    const wrong = (this.wrongAddresses.get(session) ?? 0) + 1;
    this.wrongAddresses.set(session, wrong);
    throw refusal(
      wrong > MAX_WRONG_ADDRESSES ? { code: 421, text: 'Too many wrong addresses' } : reply,
    );
  }

  private async receive(
    stream: Readable & { readonly sizeExceeded?: boolean },
    { envelope }: SMTPServerSession,
  ): Promise<readonly MailReply[]> {
    const to = envelope.rcptTo.map(({ address }) => address);
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    const collected = new CollectedBytes();
    const pause = new EventLoopYield();
    let size = 0;
    let refused: MailReply | null = null;
    const release = (): void => {
      this.buffered -= size;
      size = 0;
      collected.clear();
    };
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (refused) continue;
        if (stream.sizeExceeded) refused = { code: 552, text: 'The mail is too large' };
        else if (this.buffered + chunk.length > MAX_BUFFERED_BYTES) {
          refused = { code: 452, text: 'Too many mails at once, try again later' };
        }
        if (refused) {
          release();
          continue;
        }
        collected.add(chunk);
        size += chunk.length;
        this.buffered += chunk.length;
      }
      if (refused) {
        this.options.counts.add(refused.code < 500 ? 'deferred' : 'refused_size', to.length);
        return to.map(() => refused!);
      }
      const raw = await collected.whole(pause);
      collected.clear();
      return await this.options.sink.receive({ from, to }, raw);
    } finally {
      release();
    }
  }
}

/** Bytes in large pieces: a mail may arrive a byte at a time, and each small buffer would take a hundred bytes more. */
class CollectedBytes {
  private readonly pieces: Buffer[] = [];
  /** Bytes of the last piece that are used. */
  private used = PIECE_BYTES;

  add(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      if (this.used === PIECE_BYTES) {
        this.pieces.push(Buffer.allocUnsafeSlow(PIECE_BYTES));
        this.used = 0;
      }
      const copied = chunk.copy(this.pieces.at(-1)!, this.used, from);
      this.used += copied;
      from += copied;
    }
  }

  /** All of them in one buffer, copied in turns. */
  async whole(pause: EventLoopYield): Promise<Buffer> {
    const { pieces } = this;
    const whole = Buffer.allocUnsafeSlow(pieces.length * PIECE_BYTES - (PIECE_BYTES - this.used));
    for (const [i, piece] of pieces.entries()) {
      if (pause.isDue) await pause.take();
      piece.copy(whole, i * PIECE_BYTES);
    }
    return whole;
  }

  clear(): void {
    this.pieces.length = 0;
    this.used = PIECE_BYTES;
  }
}

/**
 * One reply for all recipients: a temporary failure of one makes the sender retry for all, and nothing is posted twice.
 */
function together(replies: readonly MailReply[]): MailReply {
  const temporary = replies.find(({ code }) => code >= 400 && code < 500);
  return temporary ?? replies.find(({ code }) => code < 300) ?? replies[0]!;
}

function respond(reply: MailReply, done: (error?: Error | null, message?: string) => void): void {
  if (reply.code < 300) done(null, line(reply.text));
  else done(refusal(reply));
}

function asResponse(reply: MailReply): string | Error {
  return reply.code < 300 ? line(reply.text) : refusal(reply);
}

function refusal(reply: MailReply): Error {
  return Object.assign(new Error(line(reply.text)), { responseCode: reply.code });
}

/** A line that a reply may have: printable ASCII. */
function line(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}
