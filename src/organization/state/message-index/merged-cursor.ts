import { ALL_IDS, intervalAtOrAfter, type Intervals } from './intervals.js';
import type { PostingList } from './posting-lists.js';

/** Ascending ids by their positions. */
export type IdList = Pick<PostingList, 'length' | 'at' | 'lowerBound'>;

/** A source of messages: the ids of a list that lie in the intervals. */
export interface Source {
  readonly list: IdList;
  /** A cursor asks for them once, and not before it may be this source's turn: a reader may have thousands. */
  readonly within: Intervals;
}

/** Towards newer messages, or towards older ones. */
export type Direction = 'up' | 'down';

/** A whole list as a source. */
export function whole(list: IdList): Source {
  return { list, within: ALL_IDS };
}

/** A source whose intervals are made when its turn comes. */
export class MadeSource implements Source {
  constructor(
    readonly list: IdList,
    private readonly make: () => Intervals,
  ) {}

  get within(): Intervals {
    return this.make();
  }
}

/** The newest id of a list that lies in the intervals, or -1. */
export function newestWithin(list: IdList, within: Intervals): number {
  for (let i = within.length - 1; i >= 0; i--) {
    const [from, to] = within[i]!;
    const id = list.at(list.lowerBound(to + 1) - 1);
    if (id === undefined) return -1;
    if (id >= from) return id;
  }
  return -1;
}

/** Upper bound of the number of ids in sources. */
export function sizeOf(sources: readonly Source[]): number {
  return sources.reduce((sum, source) => sum + source.list.length, 0);
}

/**
 * A position in a source that moves in one direction; exhausted when `id` is negative. Until it is opened, its id may lie
 * outside of the intervals: no id of the source comes before it.
 */
class Cursor {
  id: number;
  private position: number;
  private within: Intervals | null = null;

  constructor(
    private readonly source: Source,
    private readonly direction: Direction,
    start: number,
  ) {
    const { list } = source;
    this.position = direction === 'up' ? list.lowerBound(start) : list.lowerBound(start + 1) - 1;
    this.id = this.position < 0 ? -1 : (list.at(this.position) ?? -1);
  }

  get isOpen(): boolean {
    return this.within !== null;
  }

  open(): void {
    this.within = this.source.within;
    this.settle(this.within);
  }

  next(): void {
    this.position += this.direction === 'up' ? 1 : -1;
    this.settle(this.within!);
  }

  /** Moves to the next id inside the intervals, skipping gaps of both the list and the intervals. */
  private settle(within: Intervals): void {
    const { list } = this.source;
    for (;;) {
      const id = this.position < 0 ? undefined : list.at(this.position);
      if (id === undefined) {
        this.id = -1;
        return;
      }
      const i = intervalAtOrAfter(within, id);
      const interval = within[i];
      if (interval && interval[0] <= id) {
        this.id = id;
        return;
      }
      if (this.direction === 'up') {
        this.position = interval ? list.lowerBound(interval[0]) : list.length;
      } else {
        this.position = i > 0 ? list.lowerBound(within[i - 1]![1] + 1) - 1 : -1;
      }
    }
  }
}

/**
 * MergedCursor iterates over several sources in order of id, without duplicates. A step costs the logarithm
 * of their number. Only those sources are opened whose turn comes. Do not keep it while the lists change.
 */
export class MergedCursor {
  private readonly heap: Cursor[] = [];

  /** Starts at `start`, inclusive. */
  constructor(
    sources: readonly Source[],
    private readonly direction: Direction,
    start: number,
  ) {
    for (const source of sources) {
      const cursor = new Cursor(source, direction, start);
      if (cursor.id >= 0) this.heap.push(cursor);
    }
    for (let i = (this.heap.length >>> 1) - 1; i >= 0; i--) this.sink(i);
  }

  /** The next id, or undefined at the end. */
  next(): number | undefined {
    const { heap } = this;
    while (heap.length > 0 && !heap[0]!.isOpen) this.moveTop();
    const id = heap[0]?.id;
    while (id !== undefined && heap[0]?.id === id) this.moveTop();
    return id;
  }

  /** Moves the first cursor to its next id, or to its first one where it is not open yet, and puts it where it belongs. */
  private moveTop(): void {
    const { heap } = this;
    const top = heap[0]!;
    if (top.isOpen) top.next();
    else top.open();
    if (top.id < 0) {
      const last = heap.pop()!;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    this.sink(0);
  }

  private before(a: Cursor, b: Cursor): boolean {
    return this.direction === 'up' ? a.id < b.id : a.id > b.id;
  }

  private sink(start: number): void {
    const { heap } = this;
    const moving = heap[start];
    if (!moving) return;
    let place = start;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!this.before(heap[child]!, moving)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = moving;
  }
}
