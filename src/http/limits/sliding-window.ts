/** A window is counted in this many segments; a call expires when its segment leaves the window. */
const SEGMENTS = 30;

/** At most `max` calls in any `seconds` seconds. */
export interface WindowRule {
  readonly max: number;
  readonly seconds: number;
}

/**
 * Counts the calls of one key in a sliding window. Time advances in segments of a thirtieth of the
 * window, so a call is remembered for at least the window and at most a thirtieth longer: the rule is
 * never exceeded, in constant memory and without a timer.
 */
export class SlidingWindow {
  private readonly counts = new Uint32Array(SEGMENTS + 1);
  private readonly segmentMs: number;
  private total = 0;
  /** Number of the newest segment since 1970. */
  private head = 0;
  /** Number of the newest segment with a call in it. */
  private newest = 0;

  constructor(private readonly rule: WindowRule) {
    this.segmentMs = (rule.seconds * 1000) / SEGMENTS;
  }

  /** Calls left at this time. */
  remaining(now: number): number {
    this.advance(now);
    return this.rule.max - this.total;
  }

  /** Counts a call; only where some remain. */
  take(now: number): void {
    this.advance(now);
    this.counts[this.head % this.counts.length]!++;
    this.newest = this.head;
    this.total++;
  }

  /** Milliseconds until one more call remains than now. */
  msUntilNext(now: number): number {
    this.advance(now);
    for (let segment = this.head - SEGMENTS; segment <= this.head; segment++) {
      if (this.counts[segment % this.counts.length]! > 0) return this.expiry(segment) - now;
    }
    return 0;
  }

  /** The time, in milliseconds since 1970, at which all calls are forgotten. */
  replenishedAt(now: number): number {
    this.advance(now);
    return this.total === 0 ? now : this.expiry(this.newest);
  }

  private expiry(segment: number): number {
    return (segment + SEGMENTS + 1) * this.segmentMs;
  }

  private advance(now: number): void {
    const current = Math.floor(now / this.segmentMs);
    // A clock that steps back must not revive forgotten segments.
    if (current <= this.head) return;
    const steps = Math.min(current - this.head, this.counts.length);
    for (let i = 1; i <= steps; i++) {
      const slot = (this.head + i) % this.counts.length;
      this.total -= this.counts[slot]!;
      this.counts[slot] = 0;
    }
    this.head = current;
  }
}
