import { monotonicTime } from '../../platform/time.js';

/** Counters for the statuses from `FIRST` on. */
const FIRST = 100;
const PLACES = 500;

/** Upper bounds of the latency buckets, seconds: from what memory answers to what a client gives up on. */
export const LATENCY_BOUNDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
  ...[0.25, 0.5, 1, 2.5, 5, 10],
] as const;

/** Ticks per millisecond. */
const TICKS = 64;
/** The bounds in ticks. */
const LIMITS = LATENCY_BOUNDS.map((seconds) => seconds * 1000 * TICKS);

/**
 * The present time in ticks of 1/64 ms, which wrap around after some 18 hours: a small integer, so that no request
 * allocates for it. Differences are those of {@link ticksSince}.
 */
export function ticks(): number {
  return (monotonicTime() * TICKS) | 0;
}

/** Ticks between a time and now. */
export function ticksSince(start: number): number {
  return (ticks() - start) | 0;
}

/** Milliseconds since a time in ticks, or a little more. */
export function atMostMsSince(start: number): number {
  return (ticksSince(start) + 1) / TICKS;
}

/** How long the replies of an operation took. */
export interface Latencies {
  /** Replies within each of {@link LATENCY_BOUNDS}, those within a smaller one too. */
  readonly within: readonly number[];
  readonly count: number;
  /** Seconds. */
  readonly sum: number;
}

/** ReplyCounts counts the replies of an operation by status and by latency, without allocation. */
export class ReplyCounts {
  private readonly counts = new Float64Array(PLACES);
  /** Those that occurred: few of the places, and somebody looks at all operations each minute. */
  private readonly statuses: number[] = [];
  private readonly buckets = new Float64Array(LIMITS.length + 1);
  private ticks = 0;

  /**
   * @param operation name of the endpoint, or `other` for requests without one
   * @param isTimed false where a reply waits for what others do
   */
  constructor(
    readonly operation: string,
    readonly isTimed = true,
  ) {}

  /** @param took ticks from the head of the request to its reply */
  add(status: number, took: number): void {
    const before = this.counts[status - FIRST]!;
    if (before === 0) this.statuses.push(status);
    this.counts[status - FIRST] = before + 1;
    if (!this.isTimed) return;
    this.ticks += took;
    let place = 0;
    while (place < LIMITS.length && took > LIMITS[place]!) place += 1;
    this.buckets[place]! += 1;
  }

  /** Adds what another has counted. */
  include(other: ReplyCounts): void {
    for (const [status, count] of other.byStatus()) {
      if (this.counts[status - FIRST] === 0) this.statuses.push(status);
      this.counts[status - FIRST]! += count;
    }
    other.buckets.forEach((count, place) => (this.buckets[place]! += count));
    this.ticks += other.ticks;
  }

  /** The statuses that occurred, with their counts. */
  *byStatus(): Generator<[status: number, count: number]> {
    for (const status of [...this.statuses].sort((a, b) => a - b)) {
      yield [status, this.counts[status - FIRST]!];
    }
  }

  /** Null where nothing was timed. */
  latencies(): Latencies | null {
    let count = 0;
    const within = [...this.buckets].map((more) => (count += more));
    if (count === 0) return null;
    within.pop();
    return { within, count, sum: this.ticks / TICKS / 1000 };
  }
}

/** Counts of the same operation as one, for figures of a process. */
export function sumByOperation(all: Iterable<ReplyCounts>): ReplyCounts[] {
  const sums = new Map<string, ReplyCounts>();
  for (const one of all) {
    const sum = sums.get(one.operation) ?? new ReplyCounts(one.operation, one.isTimed);
    sums.set(one.operation, sum);
    sum.include(one);
  }
  return [...sums.values()];
}

/** ReplyCounters has the counters of all operations. */
export class ReplyCounters {
  private readonly byOperation = new Map<string, ReplyCounts>();

  /** @param waiting operations whose replies wait for what others do */
  constructor(private readonly waiting: ReadonlySet<string>) {}

  get all(): Iterable<ReplyCounts> {
    return this.byOperation.values();
  }

  /** The counters of an operation, made on first use. */
  of(operation: string): ReplyCounts {
    const known = this.byOperation.get(operation);
    if (known) return known;
    const counts = new ReplyCounts(operation, !this.waiting.has(operation));
    this.byOperation.set(operation, counts);
    return counts;
  }
}
