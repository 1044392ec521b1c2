import type { Worker } from 'node:worker_threads';
import { startThread } from '../../platform/threads.js';
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import type { MailAnswer, MailContent, MailRequest, ReadingOptions } from './mail-content.js';
import { ApiError } from '../../errors/index.js';
import { inBackground, untold } from '../../turns/background.js';
import { FairLimiter, type Claimant } from '../../turns/fair-limiter.js';

const THREAD = new URL('./mail-thread.js', import.meta.url);

/**
 * A mail may take so long, milliseconds: one of 25 MiB takes a second, and so does the worst that is known. Nobody knows whether
 * the mail or the machine is slow, so its sender may try again.
 */
const MAX_READ_MS = 10_000;
/** An idle thread ends after this long, so that its memory is there for others. */
const IDLE_MS = 60_000;
/** Mebibytes of objects in its memory; the bytes of mails and files are apart. */
const MAX_HEAP_MIB = 192;
/**
 * Mails that wait for the thread, and for how long. Beyond it the one gets a temporary failure whose turn would come
 * last, and its sender retries.
 */
const TURNS = { concurrency: 1, maxWaiting: 8, maxWaitMs: 60_000 };

/** A mail that no further attempt would make readable. */
export class UnreadableMailError extends Error {}
/** Too many mails wait already, or this one took too long: it may be read later. */
export class MailsWaitingError extends Error {}

interface Job {
  readonly resolve: (content: MailContent) => void;
  readonly reject: (error: Error) => void;
}

/**
 * MailReader reads mails in a thread of its own, one after another: the next one of whoever had the fewest lately. What takes
 * too long or too much ends with its thread.
 */
export class MailReader {
  private readonly turns = new FairLimiter(TURNS, 'Too many mails are being read');
  private reading = 0;
  private current: Job | undefined;
  private thread: Worker | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  /** @param program of the thread */
  constructor(
    private readonly maxReadMs = MAX_READ_MS,
    private readonly program = THREAD,
  ) {}

  /**
   * @param raw is given away: a buffer of its own goes to the thread as it is, a part of another is copied
   * @param claimant whose address the mail is for
   * @throws UnreadableMailError, MailsWaitingError
   */
  async read(
    raw: Uint8Array,
    readings: readonly ReadingOptions[],
    claimant: Claimant,
  ): Promise<MailContent> {
    const request = { raw: ownBytes(raw), readings };
    this.reading += 1;
    try {
      return await this.turns.run(claimant, () => this.readNow(request));
    } catch (error) {
      throw error instanceof ApiError ? new MailsWaitingError(error.message) : error;
    } finally {
      this.reading -= 1;
    }
  }

  /** Mails that are read, or wait for it. */
  get size(): number {
    return this.reading;
  }

  /** Ends the thread; waiting mails get a temporary failure. */
  stop(): void {
    this.isStopped = true;
    const { current } = this;
    this.current = undefined;
    this.end();
    current?.reject(stopping());
  }

  private readNow(request: MailRequest): Promise<MailContent> {
    if (this.isStopped) throw stopping();
    return new Promise((resolve, reject) => {
      this.current = { resolve, reject };
      clearTimeout(this.timer);
      this.thread ??= this.begin();
      this.thread.ref();
      const late = (): void => this.fail('it takes too long', MailsWaitingError);
      this.timer = setTimeout(late, this.maxReadMs);
      this.thread.postMessage(request, [request.raw.buffer as ArrayBuffer]);
    });
  }

  /** No mail is under way; an idle thread keeps nothing alive. */
  private rest(): void {
    clearTimeout(this.timer);
    this.thread?.unref();
    this.timer = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  private begin(): Worker {
    const thread = startThread(this.program, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    // What an ended thread still says is about nothing that waits.
    const whilePresent = (work: () => void): void => {
      if (this.thread === thread) work();
    };
    thread.on('message', (answer: MailAnswer) => whilePresent(() => this.told(answer)));
    thread.on('error', (error) =>
      whilePresent(() => this.fail(error instanceof Error ? error.message : String(error))),
    );
    thread.on('exit', () => whilePresent(() => this.fail('its thread ended')));
    return thread;
  }

  private told(answer: MailAnswer): void {
    const { current } = this;
    this.current = undefined;
    this.rest();
    if ('content' in answer) current?.resolve(answer.content);
    else current?.reject(new UnreadableMailError(answer.fault));
  }

  /** The mail under way cannot be read, now or ever, and its thread is of no further use. */
  private fail(reason: string, Kind = UnreadableMailError): void {
    const { current } = this;
    this.current = undefined;
    this.end();
    current?.reject(new Kind(reason));
  }

  private end(): void {
    clearTimeout(this.timer);
    const { thread } = this;
    this.thread = undefined;
    inBackground(() => thread?.terminate(), untold);
  }
}

function stopping(): MailsWaitingError {
  return new MailsWaitingError('The server is stopping');
}

function ownBytes(raw: Uint8Array): Uint8Array {
  const isWhole = raw.byteLength === raw.buffer.byteLength;
  return isWhole && raw.buffer instanceof ArrayBuffer ? raw : new Uint8Array(raw);
}
