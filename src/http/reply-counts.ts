/** Statuses from 100 on that have a place of their own. */
const FIRST = 100;
const PLACES = 500;

/** How often an operation was answered, by status: one addition per reply, no allocation. */
export class ReplyCounts {
  private readonly counts = new Float64Array(PLACES);

  /** @param operation name of the endpoint, or `other` for what is none */
  constructor(readonly operation: string) {}

  add(status: number): void {
    this.counts[status - FIRST]! += 1;
  }

  /** Statuses that occurred, and how often. */
  *byStatus(): Generator<[status: number, count: number]> {
    for (let place = 0; place < PLACES; place++) {
      if (this.counts[place]! > 0) yield [place + FIRST, this.counts[place]!];
    }
  }
}
