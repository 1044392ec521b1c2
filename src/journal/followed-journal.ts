import { setTimeout, clearTimeout } from '../platform/timers.js';
import type { JournalReader } from './journal.js';
import { type Position, PositionWaiters } from './entry.js';

/**
 * FollowedJournal is the journal of a node that does not lead: as far as the node has folded it. All of it is
 * durable.
 */
export class FollowedJournal implements JournalReader {
  readonly pending = 0;
  readonly owes = false;
  private readonly waiters = new PositionWaiters();
  private ended = false;
  private failure: Error | null = null;

  constructor(private head: Position) {}

  get durableHead(): Position {
    return this.head;
  }

  get nextSeq(): number {
    return this.head.seq + this.head.span;
  }

  /** Records that an entry was folded and its events were delivered. */
  advance(position: Position): void {
    this.head = position;
    this.waiters.reached(position.seq);
  }

  /** The node leads from now on: it has everything. */
  end(): void {
    this.ended = true;
    this.waiters.release();
  }

  /** The node folds nothing more: whoever waits for a later position waits in vain. */
  fail(error: Error): void {
    this.failure = error;
    this.waiters.fail(error);
  }

  /** Resolves once everything up to a position is folded; null where it is. Rejects where that never comes. */
  reached(seq: number): Promise<void> | null {
    if (this.hasReached(seq)) return null;
    return new Promise((done, failed) => {
      if (this.failure) failed(this.failure);
      else this.waiters.add({ seq, done, failed });
    });
  }

  /**
   * Whether everything up to a position is folded within so many milliseconds; null where it is by now. Clients name any
   * position, so nothing is kept for longer of one that does not come.
   * @param then called once everything up to it is folded, before anything behind it is, unless that is folded by now
   */
  reachedWithin(
    seq: number,
    ms: number,
    then: () => void = () => undefined,
  ): Promise<boolean> | null {
    if (this.hasReached(seq)) {
      then();
      return null;
    }
    if (this.failure) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isReached: boolean): void => {
        clearTimeout(deadline);
        resolve(isReached);
      };
      const done = (): void => {
        then();
        settle(true);
      };
      const waiter = { seq, done, failed: () => settle(false) };
      const deadline = setTimeout(() => {
        this.waiters.remove(waiter);
        resolve(false);
      }, ms);
      this.waiters.add(waiter);
    });
  }

  private hasReached(seq: number): boolean {
    return seq <= this.head.seq || this.ended;
  }

  barrier(): Promise<void> {
    return Promise.resolve();
  }
}
