import { setTimeout } from '../platform/timers.js';
import { serviceUnavailable, storeUnavailable, type ApiError } from '../errors/index.js';
import {
  FencedError,
  UnusableStoreError,
  type Lease,
  type Store,
  type StoredEntry,
} from '../store/port.js';
import { tooFewReplicas, TooFewReplicasError } from '../store/too-few-replicas.js';
import {
  slotsOf,
  spanOf,
  type EntryContent,
  type Position,
  type PendingEntry,
  PositionWaiters,
  type PositionWaiter,
} from './entry.js';
import { positionOf } from './entry-reading.js';
import { encodeEntry, isLargeEntry, isEncoded } from './entry-text.js';
import { type EntryGroup, GroupCommit, isFinal, type CommitBatching } from './group-commit.js';
import { onceSettled } from '../turns/background.js';

/** Notifications of the journal to its owner. */
interface JournalListener {
  /** The entry is durable; called in journal order. */
  durable(entry: PendingEntry): void;
  /** All entries of one group commit were reported. */
  flushed(): void;
  /** The store refuses commits or does not answer. The entries wait and are retried. */
  storeFailed(error: unknown): void;
  /** The store takes commits again. */
  storeRecovered(): void;
  /**
   * The store refused these entries permanently; given in journal order, after memory was reverted to the
   * state before them.
   */
  takenBack(entries: readonly PendingEntry[]): void;
  /** These entries wait for replicas; given in journal order, after memory was reverted to the state before them. */
  withheld(entries: readonly PendingEntry[]): void;
  /** An entry that was withheld is durable: memory has to have it again. Called before `durable`. */
  applyAgain(entry: PendingEntry, text: string): void;
  /** Another writer took over; this process may never write again. */
  deposed(error: FencedError): void;
}

/** Options of a journal. */
export interface JournalOptions {
  readonly store: Store;
  readonly lease: Lease;
  /** Milliseconds since 1970, for the entries. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, for the commit timeout; default: `now`. */
  readonly steady?: () => number;
  readonly listener: JournalListener;
  /** Delays groups so that more entries share a commit; without it every group goes as soon as possible. */
  readonly batching?: CommitBatching;
  /** How long a commit may take before the store counts as failing. Milliseconds. */
  readonly commitTimeoutMs?: number;
  /** With more entries waiting for the store new ones are refused with 503. */
  readonly maxPending?: number;
  /** First pause before a failed commit is tried again, doubled up to 1 s. Milliseconds. */
  readonly retryMs?: number;
}

const NOTHING = (): void => undefined;
const NO_CONTENT: EntryContent = { writes: [], events: [], due: [] };

/**
 * What callers may do:
 *
 * - `open`: read and write.
 * - `away`: nothing, because the store does not answer, and memory may be ahead of it. What waits is retried.
 * - `read_only`: read, and write what frees space. The store refused definitely: memory equals what it has.
 * - `undecided`: read. Too few replicas have what waits: it may be lost yet, and memory is without it until it is durable.
 * - `probing`: read. An empty entry asks whether the store takes commits again; what became of it is not known.
 * - `closed`: nothing new. What was written before still becomes durable.
 * - `lost`: nothing, for ever. Another writer took over, or the journal ended while the store was away.
 */
type JournalState = 'open' | 'away' | 'read_only' | 'undecided' | 'probing' | 'closed' | 'lost';

/** The journal as far as a node has it in memory, on the leader and on a follower. */
export type JournalReader = Pick<
  Journal,
  'barrier' | 'durableHead' | 'nextSeq' | 'owes' | 'pending'
>;

/**
 * Journal is the writer's side of the journal: it assigns positions, has entries committed in groups
 * ({@link GroupCommit}), reports when an entry is durable, and decides what to do when the store fails.
 */
export class Journal {
  private readonly groups: GroupCommit;
  private pendingCount = 0;
  private readonly waiters = new PositionWaiters();
  /** Position of the newest entry that was not deferred. */
  private owed: number;
  private state: JournalState = 'open';
  private retryDelay: number;
  private applied: Position;
  private head: Position;
  private text: string;

  /** @param newest entry of the store, read while nobody else could write */
  constructor(
    private readonly options: JournalOptions,
    newest: StoredEntry | null,
  ) {
    this.text = newest?.text ?? '';
    this.head = newest ? positionOf(newest) : { seq: 0, span: 1, slots: 0 };
    this.applied = this.head;
    this.owed = this.head.seq;
    this.retryDelay = options.retryMs ?? 50;
    const { store, lease, batching } = options;
    const steady = (): number => this.steadyNow();
    this.groups = new GroupCommit(
      { store, lease, steady, batching },
      {
        isFailing: () => this.isFailing,
        committed: (group, isLast) => this.committed(group, isLast),
        failed: (error) => this.storeFailed(error),
        refused: (isFinal) => (isFinal ? this.takeBack() : this.retryLater()),
      },
    );
  }

  /** Opens the journal at its newest entry. */
  static async open(options: JournalOptions): Promise<Journal> {
    return new Journal(options, await options.store.lastEntry());
  }

  /** Position the next entry will get. */
  get nextSeq(): number {
    return this.applied.seq + this.applied.span;
  }

  /** The newest durable entry. */
  get durableHead(): Position {
    return this.head;
  }

  /** The stored form of the newest durable entry; empty while there is none. */
  get durableText(): string {
    return this.text;
  }

  /** Whether the store does not accept commits. */
  get isFailing(): boolean {
    return this.health !== 'ready';
  }

  /**
   * Which requests can be served in view of the store: all, only reads, or none because the state is
   * unknown.
   */
  get health(): 'ready' | 'read_only' | 'unavailable' {
    if (this.state === 'open' || this.state === 'closed') return 'ready';
    return this.isReadOnly ? 'read_only' : 'unavailable';
  }

  /** Whether reads may be served although the store accepts no commits: memory equals the durable state. */
  get isReadOnly(): boolean {
    return this.state === 'read_only' || this.state === 'undecided' || this.state === 'probing';
  }

  /** Whether anything that replies depend on is not durable yet: an entry that was not deferred. */
  get owes(): boolean {
    return this.owed > this.head.seq;
  }

  /** Entries not yet durable. */
  get pending(): number {
    return this.pendingCount;
  }

  /**
   * Refuses new work while the store is failing or too far behind.
   * @param frees whether the work removes more than it adds: then it may be tried on a full store
   * @throws ApiError 503
   */
  assertWritable(frees = false): void {
    if (this.state === 'closed') throw serviceUnavailable('The server is stopping');
    const mayTry = frees && this.state === 'read_only' && this.pendingCount === 0;
    if (this.state !== 'open' && !mayTry) throw this.unavailable;
    if (this.pendingCount >= (this.options.maxPending ?? 20_000)) {
      throw serviceUnavailable('The store is too far behind');
    }
  }

  /** Skips positions: the next entry gets `seq`, unless its position would be later anyway. */
  skipTo(seq: number): void {
    if (seq > this.nextSeq) this.applied = { seq: seq - 1, span: 1, slots: 0 };
  }

  /**
   * Appends an entry that the caller has already applied to memory. Its position is the former `nextSeq`.
   * @param undo reverts it in memory
   * @param deferMs how long it may wait for entries that share its commit; nobody's reply waits for it
   * @param dropped called after `undo` where the store refused it for good
   */
  append(
    content: EntryContent,
    undo: () => void = NOTHING,
    deferMs = 0,
    dropped: () => void = NOTHING,
  ): Position {
    const position = { seq: this.nextSeq, span: spanOf(content), slots: slotsOf(content) };
    const at = this.options.now();
    const text = isLargeEntry(content) ? { at } : encodeEntry(position.seq, at, content);
    this.applied = position;
    this.groups.add({ position, content, undo, dropped }, text, deferMs);
    this.pendingCount += 1;
    if (deferMs === 0) this.owed = position.seq;
    if (this.state === 'read_only') this.groups.send(true);
    else this.groups.schedule();
    return position;
  }

  /**
   * Calls `done` once everything applied so far is durable, except what was deferred: at once where it
   * already is. Calls `failed` with ApiError 503 when the store fails before that or is failing already.
   */
  whenDurable(done: () => void, failed: (error: unknown) => void): void {
    this.wait({ seq: this.owed, done, failed });
  }

  /** Like `whenDurable`, deferred entries included: they go to the store within so many milliseconds. */
  whenAllDurable(done: () => void, failed: (error: unknown) => void, withinMs: number): void {
    this.groups.hasten(withinMs);
    this.wait({ seq: this.applied.seq, done, failed });
  }

  /** Resolves once everything applied so far is durable. */
  barrier(): Promise<void> {
    this.groups.hasten(0);
    const { seq } = this.applied;
    return new Promise((done, failed) => this.wait({ seq, done, failed }));
  }

  private wait(waiter: PositionWaiter): void {
    if (this.pendingCount === 0 || waiter.seq <= this.head.seq) {
      waiter.done();
      return;
    }
    if (this.health === 'unavailable' || this.state === 'undecided') {
      waiter.failed(this.unavailable);
      return;
    }
    this.waiters.add(waiter);
  }

  private steadyNow(): number {
    return (this.options.steady ?? this.options.now)();
  }

  /** Refuses new entries and waits for the pending ones, unless the store is away. */
  async close(): Promise<void> {
    if (this.isFailing) this.abandon();
    else this.state = 'closed';
    if (this.pendingCount > 0) await this.barrier().catch(() => undefined);
  }

  /**
   * Stops at once: rejects all waiters and retries nothing. Entries already handed to the store may still
   * become durable; the next process that opens the journal finds out.
   */
  abandon(): void {
    this.state = 'lost';
    this.groups.stop();
    this.waiters.fail(storeUnavailable());
  }

  /**
   * Rejects all waiters when the store has not answered a commit within the timeout; called a few times a
   * second. The commit itself continues, and service resumes when it succeeds.
   */
  checkCommitTimeout(): void {
    const { commitTimeoutMs } = this.options;
    const { oldestSince } = this.groups;
    if (commitTimeoutMs === undefined || this.isFailing || oldestSince === null) return;
    const ms = this.steadyNow() - oldestSince;
    if (ms < commitTimeoutMs) return;
    this.storeFailed(tooFewReplicas(this.options.store) ?? new Error(`No commit within ${ms} ms`));
  }

  /** What nobody can be answered for says why, where the store's replicas are missing. */
  private get unavailable(): ApiError {
    return storeUnavailable(tooFewReplicas(this.options.store)?.message);
  }

  private committed({ entries, texts }: EntryGroup, isLast: boolean): void {
    const { listener } = this.options;
    const isUndecided = this.state === 'undecided';
    if (isLast && this.state === 'away') this.recovered();
    this.pendingCount -= entries.length;
    this.head = entries[entries.length - 1]!.position;
    const newest = texts[texts.length - 1]!;
    if (isEncoded(newest)) this.text = newest.text;
    this.waiters.reached(this.head.seq);
    entries.forEach((entry, i) => {
      const text = texts[i]!;
      if (isUndecided && isEncoded(text)) listener.applyAgain(entry, text.text);
      listener.durable(entry);
    });
    listener.flushed();
    if (!isUndecided) return;
    // What memory is without comes first: nothing new is taken before all of it is there again.
    if (this.pendingCount === 0) this.recovered();
    else if (isLast) this.groups.send();
  }

  /** Reports no further success until a commit succeeds again; none where this process may not write any more. */
  private storeFailed(error: unknown): void {
    const { listener } = this.options;
    const { state, isFailing } = this;
    if (state === 'closed' || error instanceof FencedError) this.state = 'lost';
    else if (state === 'open') this.state = 'away';
    if (this.state === 'away' && error instanceof TooFewReplicasError) this.withhold();
    if (error instanceof FencedError && state !== 'lost') listener.deposed(error);
    if (isFailing) {
      if (error instanceof UnusableStoreError) listener.storeFailed(error);
      return;
    }
    listener.storeFailed(error);
    this.waiters.fail(this.unavailable);
  }

  /**
   * Reverts memory to the durable state, so that reads can be served while what waits for replicas waits. Its positions
   * remain its own.
   */
  private withhold(): void {
    const entries = this.groups.pending();
    for (const entry of [...entries].reverse()) entry.undo();
    this.state = 'undecided';
    this.owed = this.head.seq;
    this.options.listener.withheld(entries);
  }

  private recovered(): void {
    this.state = 'open';
    this.retryDelay = this.options.retryMs ?? 50;
    this.options.listener.storeRecovered();
  }

  /**
   * The store refused definitely: nothing of the refused entries is or will be stored. Reverts memory to
   * the durable state, so that reads can be served, and starts to probe for writes.
   */
  private takeBack(): void {
    const entries = this.groups.takeAll();
    for (const entry of [...entries].reverse()) {
      if (this.state !== 'undecided') entry.undo();
      entry.dropped();
    }
    this.applied = this.head;
    this.owed = this.head.seq;
    this.pendingCount = 0;
    this.waiters.fail(storeUnavailable());
    this.options.listener.takenBack(entries);
    // Where work that frees space was refused, a probe is planned already.
    if (this.state !== 'away' && this.state !== 'undecided') return;
    this.state = 'read_only';
    this.probeLater();
  }

  private probeLater(): void {
    this.later(() => {
      if (!this.isReadOnly) return;
      // One commit at a time; work that frees space takes precedence.
      if (this.pendingCount > 0) this.probeLater();
      else this.probe();
    });
  }

  /** Tests the store with an empty entry, which is the same until it is stored: nothing else takes its position. */
  private probe(): void {
    this.state = 'probing';
    const position = { seq: this.nextSeq, span: 1, slots: 0 };
    const text = encodeEntry(position.seq, 0, NO_CONTENT);
    const { store, lease, listener } = this.options;
    onceSettled(
      store.commit(lease, { entries: [text], writes: [], due: [] }),
      () => {
        if (this.state !== 'probing') return;
        this.applied = this.head = position;
        this.text = text.text;
        this.recovered();
        listener.durable({ position, content: NO_CONTENT, undo: NOTHING, dropped: NOTHING });
        listener.flushed();
      },
      (error: unknown) => {
        this.storeFailed(error);
        if (this.state !== 'probing') return;
        if (isFinal(error)) this.state = 'read_only';
        this.probeLater();
      },
    );
  }

  /** Retries the refused groups, one at a time. */
  private retryLater(): void {
    this.groups.putBack();
    this.later(() => this.groups.send());
  }

  /** Does something after a pause, unless this process may not write any more. */
  private later(work: () => void): void {
    const delay = this.retryDelay;
    this.retryDelay = Math.min(delay * 2, 1000);
    setTimeout(() => {
      if (this.state !== 'lost') work();
    }, delay).unref();
  }
}
