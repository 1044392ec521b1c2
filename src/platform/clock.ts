import { assertTimerDelay, createSteadyClock, type Clock } from '../../actors/clock.js';
import { bound } from './bound.js';
import { monotonicTime, wallTime } from './time.js';
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from './timers.js';

/* The clocks of actors, by the time and the timers of the platform. */

/** The wall clock; its timers keep the process alive. For times that are stored or shown. */
export const systemClock: Clock = {
  now: wallTime,
  setTimer(delayMs, fn) {
    assertTimerDelay(delayMs);
    const timer = setTimeout(fn, Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
  defer(fn) {
    const immediate = setImmediate(fn);
    return () => clearImmediate(immediate);
  },
};

/** Counts from the time of the wall clock of one platform. */
let counting = { platform: bound(), clock: counted() };

function counted(): Clock {
  return createSteadyClock(systemClock, wallTime, monotonicTime);
}

/** The clock of all deadlines that end with the process. */
export const steadyClock: Clock = {
  now() {
    if (counting.platform !== bound()) counting = { platform: bound(), clock: counted() };
    return counting.clock.now();
  },
  setTimer: (delayMs, fn) => systemClock.setTimer(delayMs, fn),
  defer: (fn) => systemClock.defer(fn),
};

/**
 * Elapsed is the time since it was made, by two clocks, of which the one further ahead counts: the steady clock stands
 * still while a machine sleeps, and the wall clock may be set back.
 */
export class Elapsed {
  private readonly steady = monotonicTime();
  private readonly wall = wallTime();

  /** Milliseconds. */
  get ms(): number {
    return Math.max(monotonicTime() - this.steady, wallTime() - this.wall);
  }
}
