import { setImmediate } from '../platform/timers.js';
import { serviceUnavailable } from '../errors/index.js';
import { FairQueue, type Account } from './fair-queue.js';

/**
 * Lets at most `atOnce` pieces of work run and `maxWaiting` wait, accounts in turns, each first come, first served;
 * beyond that they are refused with 503 `SERVICE_UNAVAILABLE`, which clients retry.
 */
export class ConcurrencyLimiter {
  private running = 0;
  private readonly waiting = new FairQueue<() => void>();

  constructor(
    private readonly atOnce: number,
    private readonly maxWaiting: number,
    /** What the refusal says. */
    private readonly refusal: string,
    /** Whether a place is free only in the next round of the event loop, so that others run in between. */
    private readonly apart = false,
  ) {}

  /** Runs `work` when its turn has come. @throws ApiError 503 when too many wait */
  async take<T>(work: () => Promise<T>, account: Account = null): Promise<T> {
    if (this.running < this.atOnce) this.running += 1;
    else await this.wait(account);
    try {
      return await work();
    } finally {
      if (this.apart) setImmediate(() => this.leave());
      else this.leave();
    }
  }

  private leave(): void {
    const next = this.waiting.take();
    // The place is handed over, so nobody who comes later can take it first.
    if (next) next();
    else this.running -= 1;
  }

  private wait(account: Account): Promise<void> {
    if (this.waiting.size >= this.maxWaiting) throw serviceUnavailable(this.refusal);
    return new Promise((resolve) => this.waiting.add(resolve, account));
  }
}
