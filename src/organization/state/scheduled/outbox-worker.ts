import { setTimeout, clearTimeout, setImmediate } from '../../../platform/timers.js';
import type { Deadlines } from '../../../../actors/deadline-wheel.js';
import { NEVER, NOW } from './next-due.js';
import type { Transactor } from '../runtime.js';
import { isStoreAway } from '../../../store/port.js';
import { inBackground } from '../../../turns/background.js';

/** A document that waits to be delivered. */
interface Waiting {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly next_attempt_at: number;
}

/** What an outbox is, and how one of its documents is delivered. */
interface Outbox<D extends Waiting, Outcome> {
  readonly documents: {
    readonly size: number;
    has(id: number): boolean;
    values(): Iterable<D>;
    /** Called with the id of one that is added, even if its transaction is reverted later, or is there again. */
    onAppear: (id: number) => void;
  };
  /** The newest id that was given. */
  readonly newestId: () => number;
  /** Key of the deadline of the next attempt. */
  readonly wakeUp: string;
  readonly wheel: Deadlines;
  readonly log: { warn(context: object, message: string): void };
  /** Line of the log where it fails for another reason than that the store is away, which is told by whoever commits. */
  readonly failed: string;
  /** Pause after that, milliseconds. */
  readonly retryMs: number;
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** Whether an attempt may begin now, given those in progress; absent: it may. */
  readonly mayBegin?: (document: D, inProgress: Iterable<D>) => boolean;
  /** Tries to deliver a document. Rejects where what it needs of the store cannot be read. */
  readonly attempt: (document: D) => Promise<Outcome>;
  /** Records what came of it, in one transaction. @throws ApiError where the store fails */
  readonly record: (document: D, outcome: Outcome) => void;
}

/**
 * OutboxWorker tries to deliver the documents of an outbox, each once it is durable and its time has come, and again as
 * soon as one was tried, one was added, or a deadline passed. What the store does not take of an outcome is recorded
 * again after a pause, and delivered again by no process but the next.
 */
export class OutboxWorker<D extends Waiting, Outcome> {
  /** Until what came of them is durable, or was taken back. */
  private readonly inProgress = new Map<number, D>();
  /** Outcomes that are not known to be durable. */
  private readonly outcomes = new Map<number, Outcome>();
  private scheduled = false;
  private stopped = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly runtime: Transactor,
    private readonly outbox: Outbox<D, Outcome>,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Starts to deliver what is stored, and what comes. */
  start(): void {
    this.outbox.documents.onAppear = (id) => {
      // One whose end was taken back is there again: without a pause the store would be asked again at once.
      if (!this.inProgress.has(id)) this.wake();
    };
    this.wake();
  }

  /** Starts no further attempts; those in progress continue. */
  stop(): void {
    this.stopped = true;
    this.outbox.wheel.disarm(this.outbox.wakeUp);
  }

  /** Stops and waits some time for attempts in progress. */
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

  /** When the next attempt is due; one in progress, or an outcome that the store has not got, is under way. */
  nextDue(): number {
    if (this.inProgress.size + this.outcomes.size > 0) return NOW;
    let next = NEVER;
    for (const { next_attempt_at } of this.outbox.documents.values()) {
      next = Math.min(next, next_attempt_at);
    }
    return next;
  }

  /** Looks for what is due, soon. */
  wake(): void {
    if (this.scheduled || this.stopped) return;
    this.scheduled = true;
    // After the transaction that added the document.
    setImmediate(() =>
      inBackground(
        () => this.round(),
        (error) => this.later(error),
      ),
    );
  }

  /** Starts as many attempts as the concurrency permits. */
  private async round(): Promise<void> {
    this.scheduled = false;
    const { documents, newestId, concurrency, mayBegin } = this.outbox;
    if (documents.size === 0) return;
    const newest = newestId();
    try {
      // What is in memory is durable after this, or was taken back. What comes meanwhile gets a round of its own.
      await this.runtime.journal.barrier();
    } catch (error) {
      this.later(error);
      return;
    }
    if (this.stopped) return;
    for (const id of this.outcomes.keys()) {
      if (!documents.has(id) && !this.inProgress.has(id)) this.outcomes.delete(id);
    }
    const now = this.runtime.org.now();
    let next = Infinity;
    for (const document of documents.values()) {
      const { id, next_attempt_at } = document;
      if (id > newest || this.inProgress.has(id)) continue;
      if (next_attempt_at > now) next = Math.min(next, next_attempt_at);
      else if (this.inProgress.size >= concurrency) return;
      else if (mayBegin?.(document, this.inProgress.values()) ?? true) {
        inBackground(
          () => this.attempt(document),
          (error) => this.later(error),
        );
      }
    }
    if (next < Infinity) this.wakeAt(next);
  }

  private async attempt(document: D): Promise<void> {
    const { id } = document;
    const { outcomes } = this;
    this.inProgress.set(id, document);
    try {
      // After the round, which walks over what this changes.
      const outcome = await (outcomes.has(id) ? outcomes.get(id)! : this.outbox.attempt(document));
      outcomes.set(id, outcome);
      this.outbox.record(document, outcome);
      await this.runtime.journal.barrier();
      outcomes.delete(id);
      this.wake();
    } catch (error) {
      this.later(error);
    } finally {
      this.inProgress.delete(id);
      if (this.inProgress.size === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  private later(error: unknown): void {
    if (this.stopped) return;
    const { log, failed, retryMs } = this.outbox;
    if (!isStoreAway(error)) log.warn({ err: error }, failed);
    this.wakeAt(this.runtime.org.now() + retryMs);
  }

  private wakeAt(time: number): void {
    const { wheel, wakeUp } = this.outbox;
    wheel.arm(wakeUp, time, () => this.wake());
  }
}
