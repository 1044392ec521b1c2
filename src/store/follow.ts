/** Following the journal from memory of the same process: a wake-up per commit, then a read. */
import { TrimmedError, type StoredEntry } from './port.js';

/** Most entries handed over at once. */
const BATCH = 512;

/** Wakes those who wait for the next commit. */
export class CommitSignal {
  readonly #waiting = new Set<() => void>();

  /** Wakes everybody who waits. */
  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next `notify`, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

/** The journal as a follower sees it. Both functions answer at once, from the same snapshot. */
export interface FollowedJournal {
  /** Durable entries with seq > `after`, in order, at most `limit`. */
  read(after: number, limit: number): readonly StoredEntry[];
  /** Highest position ever trimmed, 0 if none. */
  trimmedThrough(): number;
}

/**
 * Yields entries with seq > `after` until `signal` aborts. Holds no entry between reads, so a slow
 * follower costs no memory: it reads on from its own position when it asks for more.
 * @throws TrimmedError when entries it has not seen were trimmed
 */
export async function* follow(
  journal: FollowedJournal,
  committed: CommitSignal,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEntry[]> {
  let position = after;
  while (!signal.aborted) {
    if (position < journal.trimmedThrough()) throw new TrimmedError(position);
    const entries = journal.read(position, BATCH);
    const last = entries.at(-1);
    if (last === undefined) {
      await committed.next(signal);
    } else {
      yield entries;
      position = last.seq;
    }
  }
}
