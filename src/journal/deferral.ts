/** Deferral is the time at which deferred entries go to the store, whatever else comes: the earliest that was asked for. */
export class Deferral {
  private timer: NodeJS.Timeout | null = null;
  /** By the clock. */
  private end = Infinity;

  /** @param clock milliseconds, monotonic */
  constructor(
    private readonly clock: () => number,
    private readonly over: () => void,
  ) {}

  /** Ends in so many milliseconds, or sooner where it was told so. */
  endWithin(ms: number): void {
    const end = this.clock() + ms;
    if (this.end <= end) return;
    this.cancel();
    this.end = end;
    this.timer = setTimeout(() => {
      this.cancel();
      this.over();
    }, ms);
  }

  /** Nothing is deferred any more. */
  cancel(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.end = Infinity;
  }
}
