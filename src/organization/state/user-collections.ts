import { Collection, type Recorder } from './collection.js';
import { IdSets } from './id-sets.js';

/** Ids per range: few enough to encode in about a millisecond, many enough to keep the ranges few. */
export const RANGE_SIZE = 256;

/** The range that an id lies in. */
export function rangeOf(id: number): number {
  return Math.floor(id / RANGE_SIZE);
}

/** Ranges that are filled up at once: half a megabyte, in less than a millisecond. */
const MOST_FILLED = 65_536;

/**
 * RangeVersions counts changes by range of ids, so that a result cached for a range is known to be current.
 * Counters only increase, also when a change is reverted: equal sums mean that nothing changed.
 */
export class RangeVersions {
  private readonly counters: number[] = [];
  /** Of ranges far behind the others: a new history of the store skips millions of ids of some kinds. */
  private readonly distant = new Map<number, number>();

  /** @param size ids per range; 1 counts each by itself */
  constructor(private readonly size = RANGE_SIZE) {}

  /** Records a change of `id`. */
  touch(id: number): void {
    const range = Math.floor(id / this.size);
    if (range > this.counters.length + MOST_FILLED) {
      this.distant.set(range, (this.distant.get(range) ?? 0) + 1);
      return;
    }
    // Filled up first: assigning a distant index would make the array a slow one.
    while (this.counters.length <= range) this.counters.push(0);
    this.counters[range]! += 1;
  }

  /** Number of changes in the range. */
  of(range: number): number {
    return (this.counters[range] ?? 0) + (this.distant.get(range) ?? 0);
  }
}

/** PersonalCollection has at most one document per user and counts changes by range of user ids. */
export class PersonalCollection<D extends { readonly user_id: number }> extends Collection<
  number,
  D
> {
  readonly changes = new RangeVersions();

  constructor(name: string, recorder: Recorder) {
    super(name, recorder, (document) => document.user_id);
  }

  protected override reindex(previous?: D, next?: D): void {
    this.changes.touch((next ?? previous)!.user_id);
  }
}

/** A numbered document that belongs to one user. */
export interface OwnedDocument {
  readonly id: number;
  readonly user_id: number;
}

/** OwnedCollection has numbered documents of users, indexed by owner. */
export class OwnedCollection<D extends OwnedDocument> extends Collection<number, D> {
  private readonly idsByOwner = new IdSets<number>();

  constructor(name: string, recorder: Recorder) {
    super(name, recorder, (document) => document.id);
  }

  /** Number of documents of a user. */
  countOf(userId: number): number {
    return this.idsByOwner.countOf(userId);
  }

  /** The documents of a user, oldest first. */
  of(userId: number): D[] {
    return [...this.idsByOwner.of(userId)].sort((a, b) => a - b).map((id) => this.get(id)!);
  }

  protected override reindex(previous?: D, next?: D): void {
    if (previous?.user_id === next?.user_id) return;
    if (previous) this.idsByOwner.remove(previous.user_id, previous.id);
    if (next) this.idsByOwner.add(next.user_id, next.id);
  }
}

/**
 * BelongingCollection has what users keep to themselves: an export of the owner takes each document along under the
 * collection's name, and an erasure deletes it.
 */
export class BelongingCollection<D extends OwnedDocument> extends OwnedCollection<D> {}
