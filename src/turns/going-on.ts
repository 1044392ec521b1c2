import { monotonicTime } from '../platform/time.js';
import { queueMicrotask } from '../platform/timers.js';
import { FairQueue, type Account } from './fair-queue.js';
import { round } from './round.js';

/** How long such work of one round goes on, milliseconds; one piece at least. */
const GOING_ON_MS = 8;

/**
 * So many reactions to promises are awaited before the next piece begins, some 2 µs: what a handler does with what is in
 * memory is done by then, and what waits for something outside is not waited for.
 */
const REACTIONS = 40;

/** Begins work, and tells whether it is over; the work must not throw. */
type Begin = () => () => boolean;

const waiting = new FairQueue<Begin>();
let isScheduled = false;

/**
 * Begins work in a later round of the event loop that goes on in reactions to promises, as a handler does that loads
 * messages and then answers: the next piece begins when these are over, as far as they wait for nothing outside of this
 * process. All of hundreds that are begun together would go on in one turn, however little it takes to begin them.
 * Accounts take turns.
 */
export function whileItGoesOn(begin: Begin, account: Account = null): void {
  waiting.add(begin, account);
  wake();
}

function wake(): void {
  if (isScheduled) return;
  isScheduled = true;
  round.schedule('stretches', run);
}

function run(): void {
  const now = monotonicTime();
  const end = now + round.share(GOING_ON_MS, now);
  const next = (): void => {
    const isOver = waiting.take()!();
    if (waiting.size === 0) {
      isScheduled = false;
      return;
    }
    let left = REACTIONS;
    const react = (): void => {
      if (--left > 0 && !isOver()) return queueMicrotask(react);
      if (monotonicTime() < end) return next();
      isScheduled = false;
      wake();
    };
    queueMicrotask(react);
  };
  next();
}
