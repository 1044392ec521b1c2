/** Largest id the index holds: ids are kept in 32 bits each. */
export const MAX_INDEXED_ID = 0xffff_ffff;

const FIRST_CAPACITY = 4;

/** An ascending list of message ids without duplicates, four bytes each. */
export class PostingList {
  private ids = new Uint32Array(0);
  private used = 0;

  /** A list of ids that ascend already. */
  static from(ascending: ArrayLike<number>): PostingList {
    const list = new PostingList();
    list.ids = Uint32Array.from(ascending);
    list.used = ascending.length;
    return list;
  }

  get length(): number {
    return this.used;
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
    // Questions about the newest messages are by far the most frequent.
    if (high > 0 && id > ids[high - 1]!) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(id: number): boolean {
    return this.at(this.lowerBound(id)) === id;
  }

  /** Whether the list has an id strictly between two ids. */
  hasBetween(above: number, below: number): boolean {
    const next = this.at(this.lowerBound(above + 1));
    return next !== undefined && next < below;
  }

  /** Adds an id; false when it was there. Cheap at the end, where ids normally go. */
  add(id: number): boolean {
    const position = this.lowerBound(id);
    if (this.at(position) === id) return false;
    this.reserve(this.used + 1);
    if (position < this.used) this.ids.copyWithin(position + 1, position, this.used);
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
    return true;
  }

  /** All ids, ascending. */
  toArray(): number[] {
    return Array.from(this.ids.subarray(0, this.used));
  }

  private reserve(count: number): void {
    if (count <= this.ids.length) return;
    // A quarter more keeps the waste of a million messages small; growing stays rare.
    const grown = new Uint32Array(Math.max(count, FIRST_CAPACITY, Math.ceil(this.used * 1.25)));
    grown.set(this.ids);
    this.ids = grown;
  }
}
