/**
 * Minimum time between the starts of two group commits, milliseconds. A group commit costs the store about
 * as much as a dozen entries, so commits in quick succession wait this long to share one. The wait is far
 * below what a person or a client notices.
 */
const MIN_INTERVAL_MS = 4;
/** A delayed group of fewer entries did not gain from the delay. */
const MIN_SHARED_ENTRIES = 3;
/**
 * Commits that start without delay after a delay that gained nothing: a client that waits for each of its
 * writes must not be slowed down while no other client writes.
 */
const UNDELAYED_COMMITS = 200;

/** CommitBatching decides how long a group of entries waits for further entries before it goes to the store. */
export class CommitBatching {
  private lastStart = -Infinity;
  private undelayedLeft = 0;
  private delayed = false;

  /** @param clock milliseconds, monotonic */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** How long the next group waits, milliseconds; 0: it goes at once. */
  wait(): number {
    this.delayed = false;
    const rest = this.lastStart + MIN_INTERVAL_MS - this.clock();
    if (rest <= 0) return 0;
    if (this.undelayedLeft > 0) {
      this.undelayedLeft -= 1;
      return 0;
    }
    this.delayed = true;
    return rest;
  }

  /** Records that a group goes to the store now. */
  started(entries: number): void {
    this.lastStart = this.clock();
    if (this.delayed && entries < MIN_SHARED_ENTRIES) this.undelayedLeft = UNDELAYED_COMMITS;
    this.delayed = false;
  }
}
