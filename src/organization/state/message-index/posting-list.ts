/** Largest id in the index: ids have 32 bits. */
export const MAX_INDEXED_ID = 0xffff_ffff;

const FIRST_CAPACITY = 4;
/** Lists with a smaller capacity never shrink. */
const SMALL = 256;

/** An ascending list of message ids without duplicates, four bytes each. */
export class PostingList {
  private ids: Uint32Array = new Uint32Array(0);
  private used = 0;
  private moves = 0;

  /** A list of ids that ascend already. */
  static from(ascending: ArrayLike<number>): PostingList {
    const list = new PostingList();
    list.ids = Uint32Array.from(ascending);
    list.used = ascending.length;
    return list;
  }

  /** The list of ids that ascend already, in memory that it takes over. */
  static of(ascending: Uint32Array): PostingList {
    const list = new PostingList();
    list.ids = ascending;
    list.used = ascending.length;
    return list;
  }

  /** How many ids there are. */
  get length(): number {
    return this.used;
  }

  /** Number of changes other than ids appended at the end, which leave all others in place. */
  get shifts(): number {
    return this.moves;
  }

  /** Capacity in ids. */
  get capacity(): number {
    return this.ids.length;
  }

  /** Smallest id, or undefined in an empty list. */
  get first(): number | undefined {
    return this.used === 0 ? undefined : this.ids[0];
  }

  /** Largest id, or undefined in an empty list. */
  get last(): number | undefined {
    return this.used === 0 ? undefined : this.ids[this.used - 1];
  }

  /** The id at a position; undefined outside the list. */
  at(position: number): number | undefined {
    return position < this.used ? this.ids[position] : undefined;
  }

  /** Number of ids below `id`: the position where it is or would be. */
  lowerBound(id: number): number {
    const { ids } = this;
    let low = 0;
    let high = this.used;
    // Lookups of the newest messages are by far the most frequent.
    if (high > 0 && id > ids[high - 1]!) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether an id is in the list. */
  has(id: number): boolean {
    return this.at(this.lowerBound(id)) === id;
  }

  /** Whether the list may have an id between two ids, inclusive; true where it has one. */
  reaches(from: number, to: number): boolean {
    return this.used > 0 && this.ids[0]! <= to && this.ids[this.used - 1]! >= from;
  }

  /** Whether the list has an id strictly between two ids. */
  hasBetween(above: number, below: number): boolean {
    const next = this.at(this.lowerBound(above + 1));
    return next !== undefined && next < below;
  }

  /** Adds an id; false when it was there already. Cheap at the end, where nearly all ids are added. */
  add(id: number): boolean {
    const position = this.lowerBound(id);
    if (this.at(position) === id) return false;
    this.reserve(this.used + 1);
    if (position < this.used) {
      this.ids.copyWithin(position + 1, position, this.used);
      this.moves += 1;
    }
    this.ids[position] = id;
    this.used += 1;
    return true;
  }

  /** Removes an id; false when it was not there. */
  remove(id: number): boolean {
    const position = this.lowerBound(id);
    if (this.at(position) !== id) return false;
    this.ids.copyWithin(position, position + 1, this.used);
    this.used -= 1;
    this.moves += 1;
    return true;
  }

  /**
   * Removes ids. Costs the logarithm of the list for each of them and one move of everything behind the
   * first.
   * @param ids ascending
   * @returns the removed ids
   */
  removeAll(ids: readonly number[]): number[] {
    const removed: number[] = [];
    if (ids.length === 0 || !this.reaches(ids[0]!, ids[ids.length - 1]!)) return removed;
    // The remaining ids are moved to `end`, run by run; `next` is behind the last removed one.
    let end = -1;
    let next = 0;
    for (const id of ids) {
      // Often the ids are neighbours.
      const place = this.ids[next] === id && next < this.used ? next : this.lowerBound(id);
      if (this.at(place) !== id) continue;
      removed.push(id);
      if (end < 0) end = place;
      else if (place > next) {
        this.ids.copyWithin(end, next, place);
        end += place - next;
      }
      next = place + 1;
    }
    if (end < 0) return removed;
    this.ids.copyWithin(end, next, this.used);
    this.used -= removed.length;
    this.moves += 1;
    this.shrink();
    return removed;
  }

  /**
   * Adds ids. Costs the logarithm of the list for each of them and one move of everything behind the first.
   * @param ids ascending, without duplicates; none of them is in the list
   */
  addAll(ids: readonly number[] | Uint32Array): void {
    if (ids.length === 0) return;
    const before = this.used;
    this.reserve(before + ids.length);
    let end = before;
    if (before === 0 || ids[0]! > this.ids[before - 1]!) {
      this.ids.set(ids, before);
      this.used = before + ids.length;
      return;
    }
    this.moves += 1;
    for (let i = ids.length - 1; i >= 0; i--) {
      const place = this.lowerBound(ids[i]!);
      this.ids.copyWithin(place + i + 1, place, end);
      this.ids[place + i] = ids[i]!;
      end = place;
      // Ids behind were moved already; lookups consider the rest.
      this.used = place;
    }
    this.used = before + ids.length;
  }

  /** All ids, ascending. */
  toArray(): number[] {
    return Array.from(this.ids.subarray(0, this.used));
  }

  /** A copy of all ids, ascending. */
  toColumn(): Uint32Array {
    return this.ids.slice(0, this.used);
  }

  /** Releases memory after many removals. */
  private shrink(): void {
    if (this.ids.length <= SMALL || this.used >= this.ids.length / 4) return;
    this.ids = this.ids.slice(0, Math.max(this.used * 2, FIRST_CAPACITY));
  }

  private reserve(count: number): void {
    if (count <= this.ids.length) return;
    // A quarter more keeps the unused capacity of a million messages small and growth rare.
    const grown = new Uint32Array(Math.max(count, FIRST_CAPACITY, Math.ceil(this.used * 1.25)));
    grown.set(this.ids);
    this.ids = grown;
  }
}

/** The list of a key, such as a user, created on first use. */
export function listOf(lists: Map<number, PostingList>, key: number): PostingList {
  let list = lists.get(key);
  if (!list) lists.set(key, (list = new PostingList()));
  return list;
}
