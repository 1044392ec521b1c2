import { monotonicTime } from '../platform/time.js';
import { FairQueue, type Account } from './fair-queue.js';
import { round } from './round.js';

/**
 * How long work goes on without a pause, milliseconds: a fifth of what anybody may be kept waiting by
 * somebody else's request, with room for what follows the pause.
 */
export const STRETCH_MS = 8;

/**
 * Work as short as this does not count towards the stretch of its round, milliseconds: most requests are, and a round
 * that is watched costs a call into the system.
 */
const SHORT_MS = 1;

/** Work that waits for its next stretch. */
const waiting = new FairQueue<() => void>();
/** Urgent work that waits. */
const urgent: (() => void)[] = [];
let isScheduled = false;
/** The stretch of a round: when it began, and how long it may go on. */
let stretch = { round: -1, began: 0, ms: 0 };

/**
 * Divides long work into stretches, so that requests are served in between. All long work of the process
 * shares the event loop: in each of its rounds one stretch is worked, whoever's it is, so that ten searches
 * keep nobody waiting longer than one does. Accounts take turns: the search of one user waits for one stretch of
 * another who has a hundred.
 *
 *     const pause = new EventLoopYield();
 *     for (const item of items) {
 *       work(item);
 *       if (pause.isDue) await pause.take();
 *     }
 */
export class EventLoopYield {
  private readonly began = monotonicTime();

  /**
   * @param isUrgent whether it comes before work of others that waits: when all writes wait for it
   * @param stretchMs less for work whose items take milliseconds each
   * @param account whose request it is for
   */
  constructor(
    private readonly isUrgent = false,
    private readonly stretchMs = STRETCH_MS,
    private readonly account: Account = null,
  ) {}

  /** Work for a request of a user. */
  static of(account: Account): EventLoopYield {
    return new EventLoopYield(false, STRETCH_MS, account);
  }

  /** Whether this round's stretch is over. Costs as much as reading the clock. */
  get isDue(): boolean {
    const now = monotonicTime();
    if (stretch.round === round.number) {
      return now - stretch.began >= Math.min(this.stretchMs, stretch.ms);
    }
    // Outside of a stretch, as where a request begins, all such work of a round has one together.
    if (!round.hasBegun && now - this.began < SHORT_MS) return false;
    return now - round.beginning(SHORT_MS, now) >= this.stretchMs;
  }

  /** Resolves at this work's next turn, in a later round of the event loop. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isUrgent) urgent.push(resolve);
      else waiting.add(resolve, this.account);
      wake();
    });
  }
}

/** Does something with each of many items, in order, in stretches. */
export async function inStretches<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  account: Account = null,
): Promise<void> {
  const pause = EventLoopYield.of(account);
  for (const item of items) {
    work(item);
    if (pause.isDue) await pause.take();
  }
}

/** What `make` makes of each of many items, made in stretches. */
export async function mapInStretches<T, R>(
  items: Iterable<T>,
  make: (item: T) => R,
  account: Account = null,
): Promise<R[]> {
  const made: R[] = [];
  await inStretches(items, (item) => void made.push(make(item)), account);
  return made;
}

function wake(): void {
  if (isScheduled) return;
  isScheduled = true;
  round.schedule('stretches', nextStretch);
}

/** The urgent work that came last, and the work whose turn it is: it does one piece at least. */
function nextStretch(): void {
  isScheduled = false;
  const began = monotonicTime();
  stretch = { round: round.number, began, ms: round.share(STRETCH_MS, began) };
  urgent.pop()?.();
  waiting.take()?.();
  if (waiting.size + urgent.length > 0) wake();
}
