import type { Worker } from 'node:worker_threads';
import { startThread } from '../../platform/threads.js';
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import type { MailAnswer, MailContent, MailRequest, ReadingOptions } from './mail-content.js';
import { inBackground, untold } from '../../turns/background.js';

const THREAD = new URL('./mail-thread.js', import.meta.url);

/**
 * A mail may take so long, milliseconds: one of 25 MiB takes a second. HTML that is nested thousands deep takes longer.
 */
const MAX_READ_MS = 10_000;
/** An idle thread ends after this long, so that its memory is there for others. */
const IDLE_MS = 60_000;
/** Mebibytes of objects in its memory; the bytes of mails and files are apart. */
const MAX_HEAP_MIB = 192;
/** Mails that wait for the thread; further ones get a temporary failure, and their senders retry. */
const MAX_WAITING = 8;

/** A mail that no further attempt would make readable. */
export class UnreadableMailError extends Error {}
/** Too many mails wait already. */
export class MailsWaitingError extends Error {}

interface Job {
  readonly request: MailRequest;
  readonly resolve: (content: MailContent) => void;
  readonly reject: (error: Error) => void;
}

/**
 * MailReader reads mails in a thread of its own, one after another. What takes too long or too much ends with its
 * thread.
 */
export class MailReader {
  private readonly waiting: Job[] = [];
  private current: Job | undefined;
  private thread: Worker | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly maxReadMs = MAX_READ_MS) {}

  /**
   * @param raw is given away: a buffer of its own goes to the thread as it is, a part of another is copied
   * @throws UnreadableMailError, MailsWaitingError
   */
  read(raw: Uint8Array, readings: readonly ReadingOptions[]): Promise<MailContent> {
    return new Promise((resolve, reject) => {
      if (this.isStopped || this.waiting.length >= MAX_WAITING) {
        reject(new MailsWaitingError('Too many mails are being read'));
        return;
      }
      this.waiting.push({ request: { raw: ownBytes(raw), readings }, resolve, reject });
      this.next();
    });
  }

  /** Mails that are read, or wait for it. */
  get size(): number {
    return this.waiting.length + (this.current ? 1 : 0);
  }

  /** Ends the thread; waiting mails get a temporary failure. */
  stop(): void {
    this.isStopped = true;
    const jobs = [...(this.current ? [this.current] : []), ...this.waiting];
    this.current = undefined;
    this.waiting.length = 0;
    this.end();
    for (const { reject } of jobs) reject(new MailsWaitingError('The server is stopping'));
  }

  private next(): void {
    if (this.current || this.isStopped) return;
    const job = this.waiting.shift();
    clearTimeout(this.timer);
    if (!job) {
      // An idle thread keeps nothing alive.
      this.thread?.unref();
      this.timer = setTimeout(() => this.end(), IDLE_MS).unref();
      return;
    }
    this.current = job;
    this.thread ??= this.begin();
    this.thread.ref();
    this.timer = setTimeout(() => this.fail('it takes too long'), this.maxReadMs);
    const { raw } = job.request;
    this.thread.postMessage(job.request, [raw.buffer as ArrayBuffer]);
  }

  private begin(): Worker {
    const thread = startThread(THREAD, {
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
    if ('content' in answer) current?.resolve(answer.content);
    else current?.reject(new UnreadableMailError(answer.fault));
    this.next();
  }

  /** The mail under way cannot be read, and its thread is of no further use. */
  private fail(reason: string): void {
    const { current } = this;
    this.current = undefined;
    this.end();
    current?.reject(new UnreadableMailError(reason));
    this.next();
  }

  private end(): void {
    clearTimeout(this.timer);
    const { thread } = this;
    this.thread = undefined;
    inBackground(thread?.terminate(), untold);
  }
}

function ownBytes(raw: Uint8Array): Uint8Array {
  const isWhole = raw.byteLength === raw.buffer.byteLength;
  return isWhole && raw.buffer instanceof ArrayBuffer ? raw : new Uint8Array(raw);
}
