/** Ids of one range: small enough to encode in about a millisecond, large enough to be few. */
export const RANGE_SIZE = 256;

/** The range that an id lies in. */
export function rangeOf(id: number): number {
  return Math.floor(id / RANGE_SIZE);
}

/**
 * Counts changes by range of ids, so that what was made of a range once is known to be as it was. The
 * counters only rise, also when a change is taken back: equal sums of them mean that nothing changed.
 */
export class RangeVersions {
  private readonly counters: number[] = [];

  /** Something about `id` changed. */
  touch(id: number): void {
    const range = rangeOf(id);
    // Filled up first, or an id far away would make the array a slow one.
    while (this.counters.length <= range) this.counters.push(0);
    this.counters[range]! += 1;
  }

  /** How often something in the range changed. */
  of(range: number): number {
    return this.counters[range] ?? 0;
  }
}
