import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { Organization } from './organization.js';
import type { Transaction } from './transaction.js';

/** A change in parts; `yield` returns the transaction of the next part. */
export type Parts<R> = Generator<void, R, Transaction>;

/**
 * PartedChange is a change that may be too large for one transaction, such as subscribing ten thousand
 * users. It is a generator: each part is a transaction of its own, and other requests are served in
 * between.
 *
 * Finished parts stay committed, so everything is checked in the first part; later ones skip what no longer
 * exists. A small change is one part and applies completely or not at all.
 */
export class PartedChange {
  private pause = new EventLoopYield();

  /** @param tx the transaction of the current part */
  constructor(public tx: Transaction) {}

  get org(): Organization {
    return this.tx.org;
  }

  /** Whether the current part has used up its time slice. */
  get isOver(): boolean {
    return this.pause.isDue;
  }

  /** Ends the current part: `yield* change.nextPart()`. */
  *nextPart(): Parts<void> {
    this.tx = yield;
    this.pause = new EventLoopYield();
  }
}

/** A change in one transaction: no part ends early, so that the order of its events does not depend on time. */
class WholeChange extends PartedChange {
  override get isOver(): boolean {
    return false;
  }
}

/** Runs all parts in one transaction, for changes that must apply completely. */
export function inOnePart<R>(tx: Transaction, make: (change: PartedChange) => Parts<R>): R {
  const parts = make(new WholeChange(tx));
  let step = parts.next();
  while (!step.done) step = parts.next(tx);
  return step.value;
}

/** Splits a list into chunks. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
