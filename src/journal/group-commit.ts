import { atEndOfRound } from '../next-round.js';
import { EarlierCommitError } from '../store/commits.js';
import { FencedError, StoreUnavailableError, type Lease, type Store } from '../store/port.js';
import { encodeTexts, isEncoded, type EntryText } from './entry-text.js';
import { EntryQueue, MAX_GROUP, type EntryGroup, type PendingEntry } from './entry-queue.js';

/** Concurrent commits: one is written while the next is handed to the store. */
const MAX_IN_FLIGHT = 2;

/** A group that was handed to the store, and the outcome of its commit. */
interface GroupUnderWay extends EntryGroup {
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
 * GroupCommit hands the journal's entries to the store in groups, and reports them in the order of the journal,
 * whatever the order of the store's answers. Entries that come while a commit is in progress share the next one.
 */
export class GroupCommit {
  private readonly queue: EntryQueue;
  /** Groups without an answer of the store, and answered ones behind them, in order. */
  private readonly underWay: GroupUnderWay[] = [];
  private scheduled = false;
  private encoding = false;

  constructor(
    private readonly options: GroupCommitOptions,
    private readonly listener: GroupCommitListener,
  ) {
    this.queue = new EntryQueue(options.steady, () => this.hasten(0));
  }

  /** When the oldest commit without an answer was handed to the store; null where none is. */
  get oldestSince(): number | null {
    return this.underWay[0]?.since ?? null;
  }

  /** Adds an entry; `schedule` or `send` takes it on. @param deferMs how long it may wait for others */
  add(entry: PendingEntry, text: EntryText, deferMs: number): void {
    this.queue.push(entry, text, deferMs);
  }

  /** Sends what was deferred within so many milliseconds, or as soon as the store takes it. */
  hasten(withinMs: number): void {
    this.queue.hasten(withinMs);
    this.schedule();
  }

  /** Sends the next group when it has waited for long enough and the store can take it. */
  schedule(): void {
    if (this.scheduled || this.isBusy || !this.queue.isDue) return;
    this.scheduled = true;
    const go = (): void => {
      this.scheduled = false;
      this.flush();
    };
    const wait = this.queue.length < MAX_GROUP ? (this.options.batching?.wait() ?? 0) : 0;
    // After the other requests that were read together, so that they commit together.
    if (wait > 0) setTimeout(go, wait);
    else atEndOfRound(go);
  }

  /** Hands the next group to the store. @param frees whether the group removes more than it adds */
  send(frees = false): void {
    const group: GroupUnderWay = {
      ...this.queue.take(),
      since: this.options.steady(),
      outcome: 'waiting',
    };
    this.underWay.push(group);
    this.options.batching?.started(group.entries.length);
    this.commit(group, frees).then(
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
   * (the port guarantees this), so the order is kept.
   */
  putBack(): void {
    this.queue.putBack(this.underWay.splice(0));
  }

  /** Takes every entry out, also those of refused groups, in order. */
  takeAll(): readonly PendingEntry[] {
    const refused = this.underWay.splice(0).flatMap(({ entries }) => entries);
    return [...refused, ...this.queue.clear()];
  }

  /** Sends nothing more that was deferred. */
  stop(): void {
    this.queue.stop();
  }

  /**
   * Whether the next group must wait, also for one that is still being encoded and would otherwise be
   * overtaken.
   */
  private get isBusy(): boolean {
    return this.underWay.length >= MAX_IN_FLIGHT || this.encoding || this.listener.isFailing();
  }

  private flush(): void {
    if (!this.queue.isDue || this.isBusy) return;
    this.send();
    this.schedule();
  }

  private async commit(group: GroupUnderWay, frees: boolean): Promise<void> {
    const { entries } = group;
    if (!group.texts.every(isEncoded)) await this.encode(group);
    await this.options.store.commit(this.options.lease, {
      entries: group.texts.filter(isEncoded),
      writes: entries.flatMap((entry) => entry.content.writes),
      due: entries.flatMap((entry) => entry.content.due),
      ...(frees ? { frees } : {}),
    });
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
    } else this.schedule();
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
  constructor(private readonly clock: () => number = () => performance.now()) {}

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
