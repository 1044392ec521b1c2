/** Following the journal from memory of the same process: a wake-up per commit, then a read. */
import { TrimmedError, type StoredEntry } from './port.js';

/** Most entries handed over at once. */
const BATCH = 512;

/** Tells those who listen of each commit. */
export class CommitSignal {
  readonly #listeners = new Set<() => void>();

  /** Calls everybody who listens. */
  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` at each `notify`, until the result is called. */
  listen(listener: () => void): () => void {
    // One function may listen twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Resolves at the next `notify`, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const waiting = new Waiting(this, signal);
    if (!signal.aborted) await waiting.next();
    waiting.end();
  }
}

/** Waits for one commit after the other, listening to signal and abort only once. */
class Waiting {
  readonly #wake = (): void => this.#resolve();
  readonly #leave: () => void;
  #resolve = (): void => undefined;

  constructor(
    committed: CommitSignal,
    private readonly signal: AbortSignal,
  ) {
    this.#leave = committed.listen(this.#wake);
    signal.addEventListener('abort', this.#wake, { once: true });
  }

  /** Resolves at the next commit, or when the signal aborts. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  end(): void {
    this.#leave();
    this.signal.removeEventListener('abort', this.#wake);
  }
}

/** The journal as a follower sees it. All answer at once; the last two from the same snapshot. */
export interface FollowableJournal {
  /** Whether there may be something after a position: entries, or what was trimmed. */
  hasAfter(position: number): boolean;
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
  journal: FollowableJournal,
  committed: CommitSignal,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEntry[]> {
  let position = after;
  const waiting = new Waiting(committed, signal);
  try {
    while (!signal.aborted) {
      const entries = journal.hasAfter(position) ? readAfter(journal, position) : [];
      const last = entries.at(-1);
      if (last === undefined) {
        await waiting.next();
      } else {
        yield entries;
        position = last.seq;
      }
    }
  } finally {
    waiting.end();
  }
}

/** @throws TrimmedError */
function readAfter(journal: FollowableJournal, position: number): readonly StoredEntry[] {
  const entries = journal.read(position, BATCH);
  // Entries are trimmed in their order: where the next position is there, nothing behind it is missing.
  if (entries[0]?.seq !== position + 1 && position < journal.trimmedThrough()) {
    throw new TrimmedError(position);
  }
  return entries;
}
