/**
 * Checks that every client gets its events exactly once and in order. Events carry marks: 0, 1, 2 …
 * per client.
 */
export class DeliveryLedger {
  private readonly next: Int32Array;
  private readonly until: Int32Array;
  private waiting = 0;
  /** Marks that were skipped and never came. */
  lost = 0;
  /** Marks that came again, or after a later one, or before they were sent. */
  repeated = 0;

  constructor(clients: number) {
    this.next = new Int32Array(clients);
    this.until = new Int32Array(clients);
  }

  /** Client `client` is to get all marks below `until`. */
  expect(client: number, until: number): void {
    if (this.next[client]! >= this.until[client]! && until > this.next[client]!) this.waiting += 1;
    this.until[client] = Math.max(this.until[client]!, until);
  }

  /** True when every client has got what it is to get. */
  get complete(): boolean {
    return this.waiting === 0;
  }

  /** Notes a delivery; false when it is not the one that was due. */
  take(client: number, mark: number): boolean {
    const due = this.next[client]!;
    const until = this.until[client]!;
    if (mark < due || mark >= until) {
      this.repeated += 1;
      return false;
    }
    this.lost += mark - due;
    this.next[client] = mark + 1;
    if (mark + 1 === until) this.waiting -= 1;
    return mark === due;
  }

  /** Gives up on what has not come: it is lost. */
  close(): void {
    for (let client = 0; client < this.next.length; client++) {
      const missing = this.until[client]! - this.next[client]!;
      if (missing <= 0) continue;
      this.lost += missing;
      this.next[client] = this.until[client]!;
    }
    this.waiting = 0;
  }
}
