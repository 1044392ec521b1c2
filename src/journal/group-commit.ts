import { monotonicTime } from '../platform/time.js';
import { setTimeout, clearTimeout } from '../platform/timers.js';
import { atEndOfRound } from '../turns/next-round.js';
import { EarlierCommitError } from '../store/commits.js';
import {
  FencedError,
  StoreUnavailableError,
  type DueChange,
  type Lease,
  type Store,
  type Write,
} from '../store/port.js';
import { encodeTexts, isEncoded, type EntryText } from './entry-text.js';
import type { PendingEntry } from './entry.js';
import { onceSettled } from '../turns/background.js';

/** Concurrent commits: one is written while the next is handed to the store. */
const MAX_IN_FLIGHT = 2;

/** Entries that are committed together, with their texts. */
export interface EntryGroup {
  readonly entries: readonly PendingEntry[];
  readonly texts: EntryText[];
}

/** Entries per group commit: bounds one commit's memory and latency. */
const MAX_GROUP = 1024;
/**
 * Documents per group commit, unless a single entry has more: the store applies them without yielding, 2 to
 * 4 µs each.
 */
const MAX_GROUP_WRITES = 2000;
/**
 * Text of the entries per group commit, UTF-16 units, unless a single entry has more: entries of large documents must
 * not add up to a commit that the store would refuse as too large, all of them for the sum.
 */
const MAX_GROUP_TEXT = 8 * 1024 * 1024;

/** A group that was handed to the store, and the outcome of its commit. */
interface GroupUnderWay extends EntryGroup {
  /** Whether it removes more than it adds. */
  readonly frees: boolean;
  /** When it was handed over. */
  readonly since: number;
  outcome: 'waiting' | 'durable' | 'refused';
  /** Why it was refused. */
  error?: unknown;
}

/** Dependencies of the group commit. */
interface GroupCommitOptions {
  readonly store: Store;
  readonly lease: Lease;
  /** Milliseconds, monotonic. */
  readonly steady: () => number;
  /** Delays groups so that more entries share a commit; without it every group goes as soon as possible. */
  readonly batching?: CommitBatching;
}

/** What the journal hears of its commits. */
interface GroupCommitListener {
  /** Whether no group may go to the store by itself. */
  isFailing(): boolean;
  /** The store has a group; called in journal order. @param isLast whether no other is under way */
  committed(group: EntryGroup, isLast: boolean): void;
  /** The store refused a commit or did not answer; called at once. */
  failed(error: unknown): void;
  /** Every group under way was refused. @param isFinal whether nothing of them is or will be stored */
  refused(isFinal: boolean): void;
}

/**
 * Whether the store definitely refused a commit (as opposed to not answering): what it refused is not
 * stored and never will be.
 */
export function isFinal(error: unknown): boolean {
  if (error instanceof FencedError || error instanceof StoreUnavailableError) return false;
  return !(error instanceof EarlierCommitError) || isFinal(error.cause);
}

/**
 * GroupCommit has the entries that wait for their commit, hands them to the store in groups, and reports them in the
 * order of the journal, whatever the order of the store's answers. Entries that come while a commit is in progress
 * share the next one.
 */
export class GroupCommit {
  private entries: PendingEntry[] = [];
  private texts: EntryText[] = [];
  /** The groups, of what is first in the queue, that were handed to the store before. */
  private given: { readonly size: number; readonly frees: boolean }[] = [];
  /** Entries up to this position have waited for long enough. */
  private due = 0;
  private readonly deferral: Deferral;
  /** Groups without an answer of the store, and answered ones behind them, in order. */
  private readonly underWay: GroupUnderWay[] = [];
  private scheduled = false;
  private encoding = false;

  constructor(
    private readonly options: GroupCommitOptions,
    private readonly listener: GroupCommitListener,
  ) {
    this.deferral = new Deferral(options.steady, () => this.hasten(0));
  }

  /** When the oldest commit without an answer was handed to the store; null where none is. */
  get oldestSince(): number | null {
    return this.underWay[0]?.since ?? null;
  }

  /** Adds an entry; `schedule` or `send` takes it on. @param deferMs how long it may wait; very many don't wait */
  add(entry: PendingEntry, text: EntryText, deferMs: number): void {
    this.entries.push(entry);
    this.texts.push(text);
    if (deferMs === 0 || this.entries.length >= MAX_GROUP) this.due = entry.position.seq;
    else this.deferral.endWithin(deferMs);
  }

  /** Sends what was deferred within so many milliseconds, or as soon as the store takes it. */
  hasten(withinMs: number): void {
    const seq = this.entries.at(-1)?.position.seq ?? 0;
    if (seq > this.due && withinMs > 0) this.deferral.endWithin(withinMs);
    else if (seq > this.due) {
      this.deferral.cancel();
      this.due = seq;
    }
    this.schedule();
  }

  /** Sends the next group when it has waited for long enough and the store can take it. */
  schedule(): void {
    if (this.scheduled || this.isBusy || !this.isDue) return;
    this.scheduled = true;
    const go = (): void => {
      this.scheduled = false;
      this.flush();
    };
    const wait = this.entries.length < MAX_GROUP ? (this.options.batching?.wait() ?? 0) : 0;
    // After the other requests that were read together, so that they commit together.
    if (wait > 0) setTimeout(go, wait);
    else atEndOfRound(go);
  }

  /** Hands the next group to the store. @param frees whether a new group removes more than it adds */
  send(frees = false): void {
    const next = this.given.shift() ?? { size: this.groupSize(), frees };
    const group: GroupUnderWay = {
      entries: this.entries.splice(0, next.size),
      texts: this.texts.splice(0, next.size),
      frees: next.frees,
      since: this.options.steady(),
      outcome: 'waiting',
    };
    if (this.entries.length === 0) this.deferral.cancel();
    this.underWay.push(group);
    this.options.batching?.started(group.entries.length);
    onceSettled(
      this.commit(group),
      () => this.settle(group, 'durable'),
      (error: unknown) => {
        this.listener.failed(error);
        group.error = error;
        this.settle(group, 'refused');
      },
    );
  }

  /**
   * Puts refused groups back to the front of the queue. Groups behind the first refused one were refused with it
   * (the port guarantees this), so the order is kept. Each goes to the store again as the group that it was: the first
   * may be there, and what is refused later, with nothing of it stored, must not have it within.
   */
  putBack(): void {
    const groups = this.underWay.splice(0);
    this.given.unshift(...groups.map(({ entries, frees }) => ({ size: entries.length, frees })));
    this.entries.unshift(...groups.flatMap(({ entries }) => entries));
    this.texts.unshift(...groups.flatMap(({ texts }) => texts));
  }

  /** Every entry that is not known to be durable, in order. */
  pending(): readonly PendingEntry[] {
    return [...this.underWay.flatMap(({ entries }) => entries), ...this.entries];
  }

  /** Takes every entry out, also those of refused groups, in order. */
  takeAll(): readonly PendingEntry[] {
    const entries = this.pending();
    this.underWay.length = 0;
    this.entries.length = 0;
    this.deferral.cancel();
    this.texts = [];
    this.given = [];
    this.due = 0;
    return entries;
  }

  /** Sends nothing more that was deferred, or put back. */
  stop(): void {
    this.given = [];
    this.deferral.cancel();
  }

  /** Whether the first entry has waited for long enough. */
  private get isDue(): boolean {
    return this.entries.length > 0 && this.entries[0]!.position.seq <= this.due;
  }

  /** Entries of the next group: at least one, where there are any. */
  private groupSize(): number {
    const most = Math.min(this.entries.length, MAX_GROUP);
    let writes = 0;
    let length = 0;
    for (let i = 0; i < most; i++) {
      const text = this.texts[i]!;
      writes += this.entries[i]!.content.writes.length;
      if (isEncoded(text)) length += text.text.length;
      if (writes > MAX_GROUP_WRITES || length > MAX_GROUP_TEXT) return Math.max(1, i);
    }
    return most;
  }

  /**
   * Whether the next group must wait, also for one that is still being encoded and would otherwise be
   * overtaken.
   */
  private get isBusy(): boolean {
    return this.underWay.length >= MAX_IN_FLIGHT || this.encoding || this.listener.isFailing();
  }

  private flush(): void {
    if (!this.isDue || this.isBusy) return;
    this.send();
    this.schedule();
  }

  private async commit(group: GroupUnderWay): Promise<void> {
    const { entries, frees } = group;
    if (!group.texts.every(isEncoded)) await this.encode(group);
    const writes: Write[] = [];
    const due: DueChange[] = [];
    for (const { content } of entries) {
      for (const write of content.writes) writes.push(write);
      for (const change of content.due) due.push(change);
    }
    const texts = group.texts.filter(isEncoded);
    await this.options.store.commit(this.options.lease, { entries: texts, writes, due, frees });
  }

  /** Encodes large entries outside the transaction that made them. */
  private async encode({ entries, texts }: GroupUnderWay): Promise<void> {
    this.encoding = true;
    await encodeTexts(entries, texts);
    this.encoding = false;
    this.schedule();
  }

  private settle(group: GroupUnderWay, outcome: 'durable' | 'refused'): void {
    group.outcome = outcome;
    const { underWay } = this;
    while (underWay[0]?.outcome === 'durable') {
      const first = underWay.shift()!;
      this.listener.committed(first, underWay.length === 0);
    }
    const allRefused = underWay.every((one) => one.outcome === 'refused');
    if (underWay.length > 0 && allRefused) {
      this.listener.refused(underWay.every(({ error }) => isFinal(error)));
    } else if (underWay.length === 0 && this.given.length > 0) this.send();
    else this.schedule();
  }
}

/**
 * Deferral is the time at which deferred entries go to the store, whatever else comes: the earliest that was asked for.
 */
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

/**
 * Minimum time between the starts of two group commits, milliseconds. A group commit costs the store about
 * as much as a dozen entries, so commits in quick succession wait this long to share one. The wait is far
 * below what a person or a client notices.
 */
const MIN_INTERVAL_MS = 4;
/** A delayed group of fewer entries did not gain from the delay. */
const MIN_SHARED_ENTRIES = 3;
/**
 * Commits that start without delay after a delay that gained nothing: a client that waits for each of its
 * writes must not be slowed down while no other client writes.
 */
const UNDELAYED_COMMITS = 200;

/** CommitBatching decides how long a group of entries waits for further entries before it goes to the store. */
export class CommitBatching {
  private lastStart = -Infinity;
  private undelayedLeft = 0;
  private delayed = false;

  /** @param clock milliseconds, monotonic */
  constructor(private readonly clock: () => number = () => monotonicTime()) {}

  /** How long the next group waits, milliseconds; 0: it goes at once. */
  wait(): number {
    this.delayed = false;
    const rest = this.lastStart + MIN_INTERVAL_MS - this.clock();
    if (rest <= 0) return 0;
    if (this.undelayedLeft > 0) {
      this.undelayedLeft -= 1;
      return 0;
    }
    this.delayed = true;
    return rest;
  }

  /** Records that a group goes to the store now. */
  started(entries: number): void {
    this.lastStart = this.clock();
    if (this.delayed && entries < MIN_SHARED_ENTRIES) this.undelayedLeft = UNDELAYED_COMMITS;
    this.delayed = false;
  }
}
