/**
 * The only port through which actors read the time and set timers, so that tests can step it. The clocks of a
 * process are in `src/platform/clock.ts`.
 *
 * There are two clocks. Times that end with the process (heartbeats, expiry of queues, presence, rate
 * limits, time limits of requests) use the steady clock, so that nothing waits an hour because the wall
 * clock was set back. Stored times (scheduled messages, invitations, waiting periods, mails) use the wall
 * clock.
 */

/** Revokes a timer. Calling it after the timer fired, or twice, does nothing. */
export type CancelTimer = () => void;

/** Source of the current time and of timers. */
export interface Clock {
  /**
   * Milliseconds since the Unix epoch. May step backwards when the host's clock is corrected. The clocks of this
   * file do not use `this`, so that theirs may be passed alone.
   */
  readonly now: () => number;
  /**
   * Calls `fn` once, not before `delayMs` milliseconds have passed; negative delays count as 0.
   *
   * @throws RangeError when `delayMs` exceeds {@link MAX_TIMER_MS} or is not a number.
   */
  setTimer(delayMs: number, fn: () => void): CancelTimer;
  /** Calls `fn` once, after pending input and output (`setImmediate`). */
  defer(fn: () => void): CancelTimer;
}

/** The longest delay a Node timer takes; beyond it `setTimeout` silently fires after 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** @throws RangeError for a delay that a Node timer would silently turn into 1 ms */
export function assertTimerDelay(delayMs: number): void {
  if (!(delayMs <= MAX_TIMER_MS)) {
    throw new RangeError(`A timer takes at most ${MAX_TIMER_MS} ms, not ${delayMs}`);
  }
}

/**
 * A {@link Clock} that never steps: it starts at the time of the wall clock and counts elapsed time. For
 * deadlines that end with the process; its times must not be stored or shown.
 *
 * @param wall milliseconds since the Unix epoch
 * @param elapsed milliseconds, monotonic
 */
export function createSteadyClock(timers: Clock, wall: () => number, elapsed: () => number): Clock {
  const start = wall() - elapsed();
  return {
    now: () => start + elapsed(),
    setTimer: (delayMs, fn) => timers.setTimer(delayMs, fn),
    defer: (fn) => timers.defer(fn),
  };
}
