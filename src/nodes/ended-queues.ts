import { setImmediate, setTimeout } from '../platform/timers.js';
import { forgetQueues } from '../organization/state/queue-documents.js';
import type { Runtime } from '../organization/state/runtime.js';
import { isStoreAway } from '../store/port.js';
import type { AppLog } from '../host/monitoring/log.js';

/** Ended queues removed per transaction: with what is remembered of their messages, 5,000 documents at most. */
const QUEUES_PER_ENTRY = 25;
/** Pause before the store is asked again to forget ended queues, milliseconds. */
const FORGET_AGAIN_MS = 1000;

/**
 * EndedQueues deletes the documents of queues that have ended, in transactions of their own: a queue ends in the middle of
 * other work.
 */
export class EndedQueues {
  private waiting: string[] = [];
  private isOver = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly log: AppLog,
  ) {}

  /** Its document is deleted after the current work, together with others. */
  forget(queueId: string): void {
    this.waiting.push(queueId);
    if (this.waiting.length === 1) this.forgetSoon();
  }

  /** The term is over: whoever leads next forgets what is left. */
  stop(): void {
    this.isOver = true;
  }

  private forgetSoon(): void {
    setImmediate(() => {
      const ids = this.waiting.splice(0, QUEUES_PER_ENTRY);
      if (this.waiting.length > 0) this.forgetSoon();
      if (this.isOver) return;
      const { runtime } = this;
      try {
        runtime.transact((tx) => forgetQueues(tx, ids));
        runtime.writer.whenDurable(
          () => undefined,
          () => this.forgetLater(ids),
        );
      } catch (error) {
        if (!isStoreAway(error)) {
          this.log.error({ err: error, count: ids.length }, 'ended queues were not removed');
        }
        this.forgetLater(ids);
      }
    });
  }

  /** The store did not take the end of queues: it is asked again, so that none comes back with the next process. */
  private forgetLater(ids: readonly string[]): void {
    if (this.isOver) return;
    setTimeout(() => ids.forEach((id) => this.forget(id)), FORGET_AGAIN_MS).unref();
  }
}
