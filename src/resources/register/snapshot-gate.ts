import { serviceUnavailable } from '../../errors.js';

/** Registrations that may wait; beyond that they are refused with 503, which clients retry. */
const MAX_WAITING = 20_000;

/**
 * Lets snapshots be made one after the other, each in a turn of the event loop of its own: when everybody
 * comes back at once, other requests get their answers in between.
 */
export class SnapshotGate {
  private waiting: (() => void)[] = [];
  /** Of `waiting`, how many had their turn. */
  private served = 0;
  private busy = false;

  /** Waits until it is our turn; `leave` must follow. @throws ApiError 503 when too many wait */
  async enter(): Promise<void> {
    if (!this.busy) {
      this.busy = true;
      return;
    }
    if (this.waiting.length - this.served >= MAX_WAITING) {
      throw serviceUnavailable('Too many registrations at once');
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The next one gets its turn in the next round of the event loop, when ours is done. */
  leave(): void {
    setImmediate(() => {
      const next = this.waiting[this.served];
      if (!next) {
        this.busy = false;
        return;
      }
      this.served += 1;
      if (this.served === this.waiting.length || this.served > 1000) {
        this.waiting = this.waiting.slice(this.served);
        this.served = 0;
      }
      next();
    });
  }
}

/** Lets others run: resolves in the next round of the event loop. */
export function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
