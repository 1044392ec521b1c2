import type { EntryContent, Position } from './entry.js';
import type { EntryText } from './entry-text.js';

/** An entry that is applied to memory and not yet durable. */
export interface PendingEntry {
  readonly position: Position;
  /**
   * The writes of a large entry are folded when it is encoded: until then a document may occur in several
   * writes.
   */
  content: EntryContent;
  /** Reverts the entry in memory. */
  readonly undo: () => void;
}

/** Entries that are committed together, with their texts. */
export interface EntryGroup {
  readonly entries: readonly PendingEntry[];
  readonly texts: EntryText[];
}

/** Entries per group commit: bounds one commit's memory and latency. */
export const MAX_GROUP = 1024;
/**
 * Documents per group commit, unless a single entry has more: the store applies them without yielding, 2 to
 * 4 µs each.
 */
const MAX_GROUP_WRITES = 2000;

/** EntryQueue has the entries that wait for their commit, in order, and reports when the commit is due. */
export class EntryQueue {
  private entries: PendingEntry[] = [];
  private texts: EntryText[] = [];
  /** Entries up to this position have waited for long enough. */
  private due = 0;
  private readonly deferral: Deferral;

  /**
   * @param clock milliseconds, monotonic
   * @param deferred called when the time of deferred entries is over
   */
  constructor(clock: () => number, deferred: () => void) {
    this.deferral = new Deferral(clock, deferred);
  }

  get length(): number {
    return this.entries.length;
  }

  /** Whether the first entry has waited for long enough. */
  get isDue(): boolean {
    return this.entries.length > 0 && this.entries[0]!.position.seq <= this.due;
  }

  /** @param deferMs how long it may wait for others; very many don't wait */
  push(entry: PendingEntry, text: EntryText, deferMs: number): void {
    this.entries.push(entry);
    this.texts.push(text);
    if (deferMs === 0 || this.entries.length >= MAX_GROUP) this.due = entry.position.seq;
    else this.deferral.endWithin(deferMs);
  }

  /** Lets what is here wait for so many milliseconds at most. */
  hasten(withinMs: number): void {
    const seq = this.entries.at(-1)?.position.seq ?? 0;
    if (seq <= this.due) return;
    if (withinMs > 0) {
      this.deferral.endWithin(withinMs);
      return;
    }
    this.deferral.cancel();
    this.due = seq;
  }

  /** Takes the next group from the front: at least one entry, where there are any. */
  take(): EntryGroup {
    const size = this.groupSize();
    const group = { entries: this.entries.splice(0, size), texts: this.texts.splice(0, size) };
    if (this.entries.length === 0) this.deferral.cancel();
    return group;
  }

  /** Puts groups back to the front, in their order. */
  putBack(groups: readonly EntryGroup[]): void {
    this.entries.unshift(...groups.flatMap(({ entries }) => entries));
    this.texts.unshift(...groups.flatMap(({ texts }) => texts));
  }

  /** Takes everything. */
  clear(): readonly PendingEntry[] {
    this.deferral.cancel();
    this.texts = [];
    this.due = 0;
    return this.entries.splice(0);
  }

  /** Cancels the timer: deferred entries are not sent any more. */
  stop(): void {
    this.deferral.cancel();
  }

  private groupSize(): number {
    const most = Math.min(this.entries.length, MAX_GROUP);
    let writes = 0;
    for (let i = 0; i < most; i++) {
      writes += this.entries[i]!.content.writes.length;
      if (writes > MAX_GROUP_WRITES) return Math.max(1, i);
    }
    return most;
  }
}

/** Deferral is the time at which deferred entries go to the store, whatever else comes: the earliest that was asked for. */
class Deferral {
  private timer: NodeJS.Timeout | null = null;
  /** By the clock. */
  private end = Infinity;

  /** @param clock milliseconds, monotonic */
  constructor(
    private readonly clock: () => number,
    private readonly over: () => void,
  ) {}

  /** Ends in so many milliseconds, or sooner where an earlier end was set. */
  endWithin(ms: number): void {
    const end = this.clock() + ms;
    if (this.end <= end) return;
    this.cancel();
    this.end = end;
    this.timer = setTimeout(() => {
      this.cancel();
      this.over();
    }, ms);
  }

  /** Nothing is deferred any more. */
  cancel(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.end = Infinity;
  }
}

/** Somebody who waits for a position of the journal. */
export interface PositionWaiter {
  readonly seq: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** PositionWaiters has the callbacks that wait for positions of the journal, and calls them in the order of the positions. */
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
