import { assertTimerDelay, type CancelTimer, type Clock } from './clock.js';

interface SimulatedTimer {
  readonly dueAt: number;
  readonly fn: () => void;
}

/**
 * A {@link Clock} that stands still until `advance`.
 *
 * Unlike the clock of the same name in XState, `advance` visits every timer at the timer's own due
 * time: a 10 ms timer that arms another 10 ms timer has run both after `advance(20)`, and each saw
 * `now()` at its own instant. Timers due at the same instant fire in the order they were set.
 */
export class SimulatedClock implements Clock {
  /** Sum of all advances; the time base of timers. */
  #elapsed = 0;
  /** Difference between the wall clock and `#elapsed`. */
  #offset: number;
  readonly #start: number;
  /** Sorted by due time, then by the order of setting. */
  readonly #timers: SimulatedTimer[] = [];

  /** @param startMs The first value of `now()`, milliseconds since the epoch. */
  constructor(startMs = 0) {
    this.#offset = startMs;
    this.#start = startMs;
  }

  now(): number {
    return this.#elapsed + this.#offset;
  }

  /** The same clock without the steps of `jumpTo`: see `createSteadyClock`. */
  get steady(): Clock {
    const start = this.#start;
    return {
      now: () => start + this.#elapsed,
      setTimer: (delayMs, fn) => this.setTimer(delayMs, fn),
      defer: (fn) => this.defer(fn),
    };
  }

  setTimer(delayMs: number, fn: () => void): CancelTimer {
    assertTimerDelay(delayMs);
    const timer: SimulatedTimer = { dueAt: this.#elapsed + Math.max(0, delayMs), fn };
    this.#timers.splice(this.#positionAfter(timer.dueAt), 0, timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  defer(fn: () => void): CancelTimer {
    return this.setTimer(0, fn);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.length;
  }

  /**
   * Moves the time forward by `ms` and fires every timer that falls due on the way, including those
   * armed by timers. An error thrown by a timer leaves the clock at that timer's due time.
   */
  advance(ms: number): void {
    const target = this.#elapsed + ms;
    for (let next = this.#timers[0]; next && next.dueAt <= target; next = this.#timers[0]) {
      this.#timers.shift();
      this.#elapsed = next.dueAt;
      next.fn();
    }
    this.#elapsed = target;
  }

  /**
   * Sets the wall clock to `atMs`, as a correction of the host's clock does: nothing fires, and
   * timers still wait for the time they had left.
   */
  jumpTo(atMs: number): void {
    this.#offset = atMs - this.#elapsed;
  }

  /** Index of the first timer due after `dueAt`. */
  #positionAfter(dueAt: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const timer = this.#timers[middle];
      if (timer && timer.dueAt <= dueAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
