/** Counters for the statuses from `FIRST` on. */
const FIRST = 100;
const PLACES = 500;

/** ReplyCounts counts the replies of an operation by status: one addition per reply, no allocation. */
export class ReplyCounts {
  private readonly counts = new Float64Array(PLACES);

  /** @param operation name of the endpoint, or `other` for requests without one */
  constructor(readonly operation: string) {}

  add(status: number): void {
    this.counts[status - FIRST]! += 1;
  }

  /** The statuses that occurred, with their counts. */
  *byStatus(): Generator<[status: number, count: number]> {
    for (let place = 0; place < PLACES; place++) {
      if (this.counts[place]! > 0) yield [place + FIRST, this.counts[place]!];
    }
  }
}
