import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type {
  DigestMail,
  OutgoingMailDocument,
  MailContent,
  MissedMessagesMail,
} from '../../../schemas/mail/outgoing-mail-document.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { MailRefusedError, type Mail, type MailTransport } from '../../services/mail.js';
import { OutboxWorker } from '../state/scheduled/outbox-worker.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import { composeMail, envelopeOf, linkOf, type Envelope } from './texts.js';
import { MAX_WAITING_MAILS } from '../../../schemas/limits.js';
import { serviceUnavailable } from '../../errors/index.js';

/** First pause after a failed attempt, milliseconds; each further one doubles it up to the longest. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 4 * 3_600_000;
/** Attempts per mail: about a day and a half with the pauses above. */
const MAX_ATTEMPTS = 16;
/** Attempts per test mail: some seven minutes, as long as somebody looks what comes of it. */
const MAX_TEST_ATTEMPTS = 5;
/** How long a request waits for what comes of a test mail, milliseconds: a click's patience. */
const TEST_WAIT_MS = 5000;
/** Of what a mail server answers, so much is kept for operators; UTF-16 units. */
const MAX_FAILURE_LENGTH = 300;
/** Concurrent attempts. */
const CONCURRENCY = 4;

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
  /** Called for each attempt that failed. */
  readonly failed: (error: Error) => void;
  /** Makes a mail about messages, which are read from the store; null where there is nothing left to show. */
  readonly composeOfMessages: (
    content: MissedMessagesMail | DigestMail,
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
  private readonly worker: OutboxWorker<OutgoingMailDocument, Error | null>;
  /** Who waits for what comes of a mail, by its id. */
  private readonly asked = new Map<number, (failure: Error | null) => void>();

  constructor(
    private readonly runtime: Transactor,
    private readonly options: MailDeliveryOptions,
  ) {
    const { mails, counters } = runtime.org;
    this.worker = new OutboxWorker(runtime, {
      documents: mails,
      newestId: () => counters.last('mail'),
      wakeUp: 'mail',
      wheel: options.wheel,
      log: options.log,
      failed: 'mails could not be sent',
      retryMs: FIRST_PAUSE_MS,
      concurrency: CONCURRENCY,
      attempt: (mail) => this.send(mail),
      record: (mail, failure) => this.record(mail, failure),
    });
  }

  /** Starts to send the stored mails and new ones. */
  start(): void {
    this.worker.start();
  }

  /** Starts no further attempts; those in progress continue. */
  stop(): void {
    this.worker.stop();
  }

  /** Stops and waits some time for attempts in progress: a mail not recorded as sent is sent again. */
  drain(ms: number): Promise<void> {
    return this.worker.drain(ms);
  }

  /** See {@link OutboxWorker.nextDue}. */
  nextDue(): number {
    return this.worker.nextDue();
  }

  /** Tries mails again once this transaction is durable, whatever their pauses. */
  retry(tx: Transaction, mails: readonly OutgoingMailDocument[]): void {
    for (const { id } of mails) tx.org.mails.update(id, { next_attempt_at: tx.now });
    tx.onceDurable(() => this.worker.wake());
  }

  /** What takes the mails, without credentials. */
  get description(): string {
    return this.options.transport.description;
  }

  /**
   * Queues a mail that says that mails arrive, and waits some seconds for what comes of it. One whose failure the caller
   * is told is not tried again.
   * @returns who took it; null where it waits with the other mails
   * @throws Error with the words of whoever did not take it
   */
  async sendTest(to: string): Promise<string | null> {
    const { wheel, transport } = this.options;
    const { org } = this.runtime;
    const { id } = this.runtime.transact((tx) => queueMail(tx, to, { kind: 'test' }));
    const key = `test mail ${id}`;
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      this.asked.set(id, resolve);
      wheel.arm(key, org.now() + TEST_WAIT_MS, () => resolve(undefined));
    });
    this.asked.delete(id);
    wheel.disarm(key);
    if (failure) throw failure;
    return failure === null ? transport.description : null;
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
          'a mail was dropped: it has no message left',
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
    const { keys, from, composeOfMessages } = this.options;
    const { org } = this.runtime;
    const { content } = mail;
    if (content.kind !== 'missed_messages' && content.kind !== 'digest') {
      return composeMail(org, keys, mail, from);
    }
    return composeOfMessages(content, envelopeOf(org, mail, from));
  }

  private record(mail: OutgoingMailDocument, failure: Error | null): void {
    const attempts = mail.attempts + 1;
    const most = mail.content.kind === 'test' ? MAX_TEST_ATTEMPTS : MAX_ATTEMPTS;
    const asked = this.asked.get(mail.id);
    const final = failure instanceof MailRefusedError || attempts >= most || asked !== undefined;
    const context = { err: failure, mail: mail.id, to: mail.to, attempts };
    if (failure) this.options.failed(failure);
    if (failure && asked) this.options.log.warn(context, 'a test mail was not taken');
    else if (failure && final) this.options.log.error(context, 'a mail was given up');
    else if (failure) this.options.log.warn(context, 'a mail was not sent and will be tried again');
    this.runtime.transact(({ org, now }) => {
      if (!failure || final) org.mails.delete(mail.id);
      else {
        const last_failure = failure.message.slice(0, MAX_FAILURE_LENGTH);
        const next_attempt_at = now + pauseAfter(attempts);
        org.mails.update(mail.id, { attempts, next_attempt_at, last_failure });
      }
    });
    asked?.(failure);
  }
}

function pauseAfter(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
}

/**
 * Adds a mail to the outbox: it is sent once this transaction is durable, and survives a crash.
 * @throws ApiError 503 when too many mails are waiting
 */
export function queueMail(tx: Transaction, to: string, content: MailContent): OutgoingMailDocument {
  const { mails, counters } = tx.org;
  if (mails.size >= MAX_WAITING_MAILS) throw serviceUnavailable('Too many mails are waiting', 60);
  return mails.insert({
    id: counters.next('mail'),
    to,
    content,
    created_at: tx.now,
    attempts: 0,
    next_attempt_at: tx.now,
  });
}

/** As `queueMail`, for a mail that nobody asked for: it is left out where too many wait. */
export function queueMailIfRoom(tx: Transaction, to: string, content: MailContent): void {
  if (tx.org.mails.size < MAX_WAITING_MAILS) queueMail(tx, to, content);
}
