import { Collection, type Recorder } from './collection.js';
import { addTo, removeFrom } from './key-indexes.js';

/** Ids of one range: small enough to encode in about a millisecond, large enough to be few. */
export const RANGE_SIZE = 256;

/** The range that an id lies in. */
export function rangeOf(id: number): number {
  return Math.floor(id / RANGE_SIZE);
}

/**
 * Counts changes by range of ids, so that what was made of a range once is known to be as it was. The
 * counters only rise, also when a change is taken back: equal sums of them mean that nothing changed.
 */
export class RangeVersions {
  private readonly counters: number[] = [];

  /** Something about `id` changed. */
  touch(id: number): void {
    const range = rangeOf(id);
    // Filled up first, or an id far away would make the array a slow one.
    while (this.counters.length <= range) this.counters.push(0);
    this.counters[range]! += 1;
  }

  /** How often something in the range changed. */
  of(range: number): number {
    return this.counters[range] ?? 0;
  }
}

/** One document for each of some users; knows in which ranges of user ids something changed. */
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

/** A document that belongs to one user and has a number of its own. */
interface OwnedDocument {
  readonly id: number;
  readonly user_id: number;
}

const NOBODYS: ReadonlySet<number> = new Set();

/** Numbered documents that belong to users, found by owner. */
export class OwnedCollection<D extends OwnedDocument> extends Collection<number, D> {
  private readonly idsByOwner = new Map<number, Set<number>>();

  constructor(name: string, recorder: Recorder) {
    super(name, recorder, (document) => document.id);
  }

  /** How many a user has. */
  countOf(userId: number): number {
    return this.idsByOwner.get(userId)?.size ?? 0;
  }

  /** The documents of a user, oldest first. */
  of(userId: number): D[] {
    const ids = this.idsByOwner.get(userId) ?? NOBODYS;
    return [...ids].sort((a, b) => a - b).map((id) => this.get(id)!);
  }

  protected override reindex(previous?: D, next?: D): void {
    if (previous?.user_id === next?.user_id) return;
    if (previous) removeFrom(this.idsByOwner, previous.user_id, previous.id);
    if (next) addTo(this.idsByOwner, next.user_id, next.id);
  }
}
