import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type {
  OutgoingMailDocument,
  MailContent,
  MissedMessagesMail,
} from '../../../schemas/mail/outgoing-mail-document.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { MailRefusedError, type Mail, type MailTransport } from '../../services/mail.js';
import type { Runtime } from '../state/runtime.js';
import { composeMail, envelopeOf, linkOf, type Envelope } from './texts.js';
import { MAX_WAITING_MAILS } from '../../../schemas/limits.js';
import { serviceUnavailable } from '../../errors.js';
import type { Transaction } from '../state/transaction.js';

/** First pause after a failed attempt, milliseconds; each further one doubles it up to the longest. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 4 * 3_600_000;
/** Attempts per mail: about a day and a half with the pauses above. */
const MAX_ATTEMPTS = 16;
/** Concurrent attempts. */
const CONCURRENCY = 4;

const WAKE_UP = 'mail';

/** Log of the delivery for operators; the link of a mail appears only with `showLinks`. */
interface MailLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** Dependencies of the mail delivery. */
interface MailDeliveryOptions {
  readonly transport: MailTransport;
  readonly keys: LinkKeys;
  /** Sender address. */
  readonly from: string;
  readonly wheel: Deadlines;
  readonly log: MailLog;
  /** Whether to log links: for trials, where mails are written to a folder. */
  readonly showLinks: boolean;
  /** Makes a mail about messages, which are read from the store; null where there is nothing to tell any more. */
  readonly composeMissed?: (
    content: MissedMessagesMail,
    envelope: Envelope,
  ) => Promise<Mail | null>;
}

/**
 * MailDelivery sends the mails of the outbox. It sends a mail once it is durable and deletes it once the
 * transport has accepted it, so a crash loses no mail and may repeat one under the same `Message-ID`. A
 * failed mail is retried after pauses of half a minute to four hours, kept in its document, and given up
 * with an error in the log after sixteen attempts, or when the receiving server refuses it permanently.
 */
export class MailDelivery {
  private readonly inProgress = new Set<number>();
  /** Outcomes that could not be stored: a sent mail is not sent again while this process lives. */
  private readonly unrecorded = new Map<number, Error | null>();
  private scheduled = false;
  private stopped = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly runtime: Runtime,
    private readonly options: MailDeliveryOptions,
  ) {}

  /** Starts to send the stored mails and new ones. */
  start(): void {
    this.runtime.org.mails.onAppear = () => this.wake();
    this.wake();
  }

  /** Starts no further attempts; those in progress continue. */
  stop(): void {
    this.stopped = true;
    this.options.wheel.disarm(WAKE_UP);
  }

  /** Stops and waits some time for attempts in progress: a mail not recorded as sent is sent again. */
  async drain(ms: number): Promise<void> {
    this.stop();
    if (this.inProgress.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private wake(): void {
    if (this.scheduled || this.stopped) return;
    this.scheduled = true;
    // After the transaction that added the mail.
    setImmediate(() => void this.round());
  }

  /** Starts as many attempts as the concurrency permits. */
  private async round(): Promise<void> {
    this.scheduled = false;
    const { mails } = this.runtime.org;
    const ids = [...mails.values()].map(({ id }) => id);
    try {
      // Mails in memory are durable after this, or were reverted. Mails added in the meantime get a round
      // of their own.
      await this.runtime.journal.barrier();
    } catch (error) {
      this.later(error);
      return;
    }
    if (this.stopped) return;
    const now = this.runtime.org.now();
    let next = Infinity;
    for (const id of ids) {
      const mail = mails.get(id);
      if (!mail || this.inProgress.has(id)) continue;
      if (mail.next_attempt_at > now) next = Math.min(next, mail.next_attempt_at);
      else if (this.inProgress.size >= CONCURRENCY) return;
      else void this.attempt(mail);
    }
    if (next < Infinity) this.options.wheel.arm(WAKE_UP, next, () => this.wake());
  }

  private later(error: unknown): void {
    if (this.stopped) return;
    this.options.log.warn({ err: error }, 'mails wait for the store');
    const at = this.runtime.org.now() + FIRST_PAUSE_MS;
    this.options.wheel.arm(WAKE_UP, at, () => this.wake());
  }

  private async attempt(mail: OutgoingMailDocument): Promise<void> {
    const { id } = mail;
    this.inProgress.add(id);
    try {
      const known = this.unrecorded.get(id);
      const failure = known === undefined ? await this.send(mail) : known;
      this.unrecorded.set(id, failure);
      this.record(mail, failure);
      this.unrecorded.delete(id);
      this.wake();
    } catch (error) {
      this.later(error);
    } finally {
      this.inProgress.delete(id);
      if (this.inProgress.size === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  private async send(mail: OutgoingMailDocument): Promise<Error | null> {
    const { transport, keys, log, showLinks } = this.options;
    const { org } = this.runtime;
    const { kind } = mail.content;
    try {
      const composed = await this.compose(mail);
      if (!composed) {
        log.info(
          { mail: mail.id, kind, to: mail.to },
          'a mail was dropped: nothing is left to tell',
        );
        return null;
      }
      await transport.send(composed);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    const link = showLinks ? linkOf(org, keys, mail.content) : null;
    log.info({ mail: mail.id, kind, to: mail.to, ...(link ? { link } : {}) }, 'mail sent');
    return null;
  }

  private async compose(mail: OutgoingMailDocument): Promise<Mail | null> {
    const { keys, from, composeMissed } = this.options;
    const { org } = this.runtime;
    const { content } = mail;
    if (content.kind !== 'missed_messages') return composeMail(org, keys, mail, from);
    return (await composeMissed?.(content, envelopeOf(org, mail, from))) ?? null;
  }

  private record(mail: OutgoingMailDocument, failure: Error | null): void {
    const attempts = mail.attempts + 1;
    const final = failure instanceof MailRefusedError || attempts >= MAX_ATTEMPTS;
    const context = { err: failure, mail: mail.id, to: mail.to, attempts };
    if (failure && final) this.options.log.error(context, 'a mail was given up');
    else if (failure) this.options.log.warn(context, 'a mail was not sent and will be tried again');
    this.runtime.transact(({ org, now }) => {
      if (!failure || final) org.mails.delete(mail.id);
      else org.mails.update(mail.id, { attempts, next_attempt_at: now + pauseAfter(attempts) });
    });
  }
}

function pauseAfter(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
}

/**
 * Adds a mail to the outbox: it is sent once this transaction is durable, and survives a crash.
 * @throws ApiError 503 when too many mails are waiting
 */
export function queueMail(tx: Transaction, to: string, content: MailContent): void {
  const { mails, counters } = tx.org;
  if (mails.size >= MAX_WAITING_MAILS) throw serviceUnavailable('Too many mails are waiting', 60);
  mails.insert({
    id: counters.next('mail'),
    to,
    content,
    created_at: tx.now,
    attempts: 0,
    next_attempt_at: tx.now,
  });
}
