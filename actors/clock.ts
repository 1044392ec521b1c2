/**
 * The only port through which actors read the time and set timers, so that tests can step it. Users of
 * the port never call `Date.now` or `setTimeout`.
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

/** Options of {@link createSystemClock}. */
interface SystemClockOptions {
  /** When true, pending timers do not keep the process alive. Default false. */
  readonly unref?: boolean;
}

/** A {@link Clock} over the wall clock and the timers of Node. */
export function createSystemClock(options: SystemClockOptions = {}): Clock {
  const unref = options.unref ?? false;
  return {
    now: () => Date.now(),
    setTimer(delayMs, fn) {
      assertTimerDelay(delayMs);
      const timer = setTimeout(fn, Math.max(0, delayMs));
      if (unref) timer.unref();
      return () => clearTimeout(timer);
    },
    defer(fn) {
      const immediate = setImmediate(fn);
      if (unref) immediate.unref();
      return () => clearImmediate(immediate);
    },
  };
}

/** The wall clock; its timers keep the process alive. For times that are stored or shown. */
export const systemClock: Clock = createSystemClock();

/**
 * A {@link Clock} that never steps: it starts at the time of the wall clock and counts elapsed time. For
 * deadlines that end with the process; its times must not be stored or shown.
 *
 * @param wall milliseconds since the Unix epoch
 * @param elapsed milliseconds, monotonic
 */
export function createSteadyClock(
  timers: Clock = systemClock,
  wall: () => number = () => Date.now(),
  elapsed: () => number = () => performance.now(),
): Clock {
  const start = wall() - elapsed();
  return {
    now: () => start + elapsed(),
    setTimer: (delayMs, fn) => timers.setTimer(delayMs, fn),
    defer: (fn) => timers.defer(fn),
  };
}

/** The clock of all deadlines that end with the process. */
export const steadyClock: Clock = createSteadyClock();
