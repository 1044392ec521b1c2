/**
 * Checks that every client gets its events exactly once and in order. Events carry marks: 0, 1, 2 … per client. Where
 * they are published on several lanes at once, event n on lane n modulo their number, only those of a lane have an
 * order.
 */
export class DeliveryLedger {
  /** By client and lane, what is due next and where it ends, as numbers within the lane. */
  private readonly next: Int32Array;
  private readonly until: Int32Array;
  /** Below these, some were given up: they may come late. */
  private readonly givenUp: Int32Array;
  private waiting = 0;
  /** Marks that were skipped and never came. */
  lost = 0;
  /** Marks that came again, or after a later one, or before they were sent. */
  repeated = 0;

  constructor(
    private readonly clients: number,
    private readonly lanes = 1,
  ) {
    this.next = new Int32Array(clients * lanes);
    this.until = new Int32Array(clients * lanes);
    this.givenUp = new Int32Array(clients * lanes);
  }

  /** Client `client` is to get all marks below `until`. */
  expect(client: number, until: number): void {
    for (let lane = 0; lane < this.lanes; lane++) {
      const slot = client * this.lanes + lane;
      const end = Math.max(0, Math.ceil((until - lane) / this.lanes));
      if (this.next[slot]! >= this.until[slot]! && end > this.next[slot]!) this.waiting += 1;
      this.until[slot] = Math.max(this.until[slot]!, end);
    }
  }

  /** True when every client has got what it is to get. */
  get complete(): boolean {
    return this.waiting === 0;
  }

  /** Notes a delivery; false when it is not the one that was due. */
  take(client: number, mark: number): boolean {
    const slot = client * this.lanes + (mark % this.lanes);
    const number = Math.floor(mark / this.lanes);
    const due = this.next[slot]!;
    const until = this.until[slot]!;
    if (number < due && number < this.givenUp[slot]!) return false;
    if (number < due || number >= until) {
      this.repeated += 1;
      return false;
    }
    this.lost += number - due;
    this.next[slot] = number + 1;
    if (number + 1 === until) this.waiting -= 1;
    return number === due;
  }

  /** Gives up on what has not come: it is lost. */
  close(): void {
    for (let slot = 0; slot < this.clients * this.lanes; slot++) {
      const missing = this.until[slot]! - this.next[slot]!;
      if (missing <= 0) continue;
      this.lost += missing;
      this.next[slot] = this.until[slot]!;
      this.givenUp[slot] = this.until[slot]!;
    }
    this.waiting = 0;
  }
}
