/** Somebody who waits for a position of the journal. */
export interface PositionWaiter {
  readonly seq: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** PositionWaiters has who waits for positions of the journal, and tells them in the order of these. */
export class PositionWaiters {
  /** Ascending by position, as nearly all come. */
  private readonly waiting: PositionWaiter[] = [];

  add(waiter: PositionWaiter): void {
    let place = this.waiting.length;
    while (place > 0 && this.waiting[place - 1]!.seq > waiter.seq) place--;
    if (place === this.waiting.length) this.waiting.push(waiter);
    else this.waiting.splice(place, 0, waiter);
  }

  /** Everything up to a position is there. */
  reached(seq: number): void {
    let count = 0;
    while (count < this.waiting.length && this.waiting[count]!.seq <= seq) count++;
    if (count === 0) return;
    for (const { done } of this.waiting.splice(0, count)) done();
  }

  /** Nothing more is awaited in vain: all go on. */
  release(): void {
    for (const { done } of this.waiting.splice(0)) done();
  }

  /** What they wait for does not come, or not in time. */
  fail(error: unknown): void {
    for (const { failed } of this.waiting.splice(0)) failed(error);
  }
}
