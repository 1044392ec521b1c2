import { STRETCH_MS } from '../../event-loop-yield.js';
import type { Organization } from './organization.js';
import type { Transaction } from './transaction.js';

/** What is done part by part; what comes back from a `yield` is the transaction of the next part. */
export type Parts<R> = Generator<void, R, Transaction>;

/**
 * A change that may be too large for one transaction: subscribing ten thousand people, say. It is a
 * generator, and between two parts, each a transaction of its own, others are served.
 *
 * What a part has done stays done, so everything is checked in the first; the later ones leave out what is
 * gone by then. A small change is one part, and applies whole or not at all.
 */
export class PartedChange {
  private began = performance.now();

  /** @param tx the transaction of the present part */
  constructor(public tx: Transaction) {}

  get org(): Organization {
    return this.tx.org;
  }

  /** Whether the present part has lasted as long as one may. */
  get isOver(): boolean {
    return performance.now() - this.began >= STRETCH_MS;
  }

  /** Ends the present part: `yield* change.nextPart()`. */
  *nextPart(): Parts<void> {
    this.tx = yield;
    this.began = performance.now();
  }
}

/** Does all parts in one transaction, for what must apply whole. */
export function inOnePart<R>(tx: Transaction, make: (change: PartedChange) => Parts<R>): R {
  const parts = make(new PartedChange(tx));
  let step = parts.next();
  while (!step.done) step = parts.next(tx);
  return step.value;
}

/** The items of a list, so many at a time. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
