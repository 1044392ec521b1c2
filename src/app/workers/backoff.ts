/** First pause before a worker that ended is started again, milliseconds: long enough for no busy loop. */
const FIRST_MS = 50;
/** Longest pause, milliseconds: what was wrong may have been put right. */
const LONGEST_MS = 10_000;
/** A worker that lived for so long had no fault that each start has, milliseconds. */
const STEADY_MS = 30_000;

/** Pauses between starts of one worker, doubled while it ends soon after each. */
export class Backoff {
  private pause = 0;

  /** @param livedMs how long the worker lived that ended. @returns milliseconds until the next start */
  next(livedMs: number): number {
    const isFirst = this.pause === 0 || livedMs >= STEADY_MS;
    this.pause = isFirst ? FIRST_MS : Math.min(this.pause * 2, LONGEST_MS);
    return this.pause;
  }
}
