import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type {
  OutgoingMailDocument,
  MailContent,
} from '../../../schemas/mail/outgoing-mail-document.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { MailRefusedError, type MailTransport } from '../../services/mail.js';
import type { Runtime } from '../state/runtime.js';
import { composeMail, linkOf } from './texts.js';
import { MAX_WAITING_MAILS } from '../../../schemas/limits.js';
import { serviceUnavailable } from '../../errors.js';
import type { Transaction } from '../state/transaction.js';

/** First pause after a failed attempt; doubled with each up to the longest. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 4 * 3_600_000;
/** About a day and a half with the pauses above. */
const MAX_ATTEMPTS = 16;
/** Mails on their way at once. */
const CONCURRENCY = 4;

const WAKE_UP = 'mail';

/** Where delivery reports; failures are for operators, a mail's own link only with `showLinks`. */
interface MailLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** What mail delivery needs of others. */
interface MailDeliveryOptions {
  readonly transport: MailTransport;
  readonly keys: LinkKeys;
  /** Address mails come from. */
  readonly from: string;
  readonly wheel: Deadlines;
  readonly log: MailLog;
  /** Log every link: where mails go to a folder, for whoever tries the server out. */
  readonly showLinks: boolean;
}

/**
 * Sends the mails of the outbox. A mail is taken up once it is durable and removed once somebody else
 * has it, so a crash loses none and may send one twice, under the same `Message-ID`. What fails is
 * tried again after pauses of half a minute to four hours, kept in the mail's document, and given up,
 * with a line in the log, after sixteen attempts or when the receiving side refuses it for good.
 */
export class MailDelivery {
  private readonly underWay = new Set<number>();
  /** Outcomes the store did not take: what was sent is not sent again while this process lives. */
  private readonly unrecorded = new Map<number, Error | null>();
  private scheduled = false;
  private stopped = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly runtime: Runtime,
    private readonly options: MailDeliveryOptions,
  ) {}

  /** Takes up what a former process left behind, and whatever comes. */
  start(): void {
    this.runtime.org.mails.onAppear = () => this.wake();
    this.wake();
  }

  /** Takes nothing up any more. What is under way may still end. */
  stop(): void {
    this.stopped = true;
    this.options.wheel.disarm(WAKE_UP);
  }

  /** Stops, and gives what is under way some time to end: what is not noted as sent is sent again. */
  async drain(ms: number): Promise<void> {
    this.stop();
    if (this.underWay.size === 0) return;
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
    // Not inside the transaction that made the mail.
    setImmediate(() => void this.round());
  }

  /** Starts as many attempts as there is room for. */
  private async round(): Promise<void> {
    this.scheduled = false;
    const { mails } = this.runtime.org;
    const ids = [...mails.values()].map(({ id }) => id);
    try {
      // What is in memory now is durable after this, or was never committed and gone. What comes while
      // this waits need not be durable then, and has a round of its own.
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
      if (!mail || this.underWay.has(id)) continue;
      if (mail.next_attempt_at > now) next = Math.min(next, mail.next_attempt_at);
      else if (this.underWay.size >= CONCURRENCY) return;
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
    this.underWay.add(id);
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
      this.underWay.delete(id);
      if (this.underWay.size === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  private async send(mail: OutgoingMailDocument): Promise<Error | null> {
    const { transport, keys, from, log, showLinks } = this.options;
    const { org } = this.runtime;
    try {
      await transport.send(composeMail(org, keys, mail, from));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    const { kind } = mail.content;
    const link = showLinks ? linkOf(org, keys, mail.content) : null;
    log.info({ mail: mail.id, kind, to: mail.to, ...(link ? { link } : {}) }, 'mail sent');
    return null;
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
 * Puts a mail into the outbox: it goes out once this transaction is durable, and survives a crash.
 * @throws ApiError 503 when too many mails wait already
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
