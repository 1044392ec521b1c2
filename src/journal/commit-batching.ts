/**
 * A group commit costs the store about as much as a dozen entries do, so commits in quick succession
 * are held back this long to share one. Milliseconds; far below what a person or a client notices.
 */
const PACE_MS = 4;
/** A held back group with fewer entries was not worth waiting for. */
const WORTHWHILE = 3;
/** Commits that are not held back after one that was not worth it: a client that waits for each of its
 * writes must not be slowed by the wait of others that are not there. */
const EASE = 200;

/** Decides how long a group waits for company before it goes to the store. */
export class CommitBatching {
  private lastStart = -Infinity;
  private easy = 0;
  private heldBack = false;

  /** @param clock milliseconds, monotonic */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Milliseconds the next group should wait; 0 to go at once. */
  wait(): number {
    this.heldBack = false;
    const rest = this.lastStart + PACE_MS - this.clock();
    if (rest <= 0) return 0;
    if (this.easy > 0) {
      this.easy -= 1;
      return 0;
    }
    this.heldBack = true;
    return rest;
  }

  /** A group of so many entries goes to the store now. */
  started(entries: number): void {
    this.lastStart = this.clock();
    if (this.heldBack && entries < WORTHWHILE) this.easy = EASE;
    this.heldBack = false;
  }
}
