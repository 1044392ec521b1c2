import { FairQueue, type Account } from './fair-queue.js';

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
/** When the first long work of this round of the event loop began; null where none has. */
let roundBegan: number | null = null;

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
  private readonly began = performance.now();

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
    const now = performance.now();
    if (roundBegan === null) {
      if (now - this.began < SHORT_MS) return false;
      // It may have waited for something since it began.
      beginRound(now - SHORT_MS);
    }
    return now - roundBegan! >= this.stretchMs;
  }

  /** Resolves at this work's next turn, in a later round of the event loop. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isUrgent) urgent.push(resolve);
      else waiting.add(resolve, this.account);
      if (!isScheduled) {
        isScheduled = true;
        setImmediate(nextStretch);
      }
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

function nextStretch(): void {
  roundBegan = performance.now();
  const next = urgent.pop() ?? waiting.take();
  isScheduled = waiting.size + urgent.length > 0;
  if (isScheduled) setImmediate(nextStretch);
  // What was begun here ends with this round.
  else setImmediate(endRound);
  next?.();
}

function beginRound(at: number): void {
  roundBegan = at;
  if (!isScheduled) setImmediate(endRound);
}

function endRound(): void {
  if (!isScheduled) roundBegan = null;
}
