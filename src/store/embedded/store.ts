/**
 * The embedded adapter: one directory, one LMDB environment, no server. For the processes of one machine: one
 * has the lease and writes, the others read and follow.
 *
 * A commit can be read, in any process, after the disk has it: LMDB publishes a transaction last. One
 * exception: what a process had written when it was killed, but not yet published, the next transaction of
 * another publishes before it brings it to the disk. So followers go by `DurablePosition`.
 *
 * Bounds: the file grows to what the disk and the address space (terabytes) hold. Reads are
 * synchronous underneath: `getMany` reads all its keys from one snapshot before it answers, scans
 * and trims work in slices.
 */
import { nextTurn, setInterval, clearInterval } from '../../platform/timers.js';
import { CommitQueue, closedError, isStorableId, isStorableName, refusal } from '../commits.js';
import { follow } from '../follow.js';
import {
  type Commit,
  type DamagedError,
  type Document,
  type DueSlot,
  type DocumentKey,
  type Lease,
  type Store,
  type StoreReads,
  type StoredEntry,
} from '../port.js';
import { DurablePosition } from './durable-position.js';
import { roomIn, openEnvironment, TRIMMED_KEY, type Environment } from './environment.js';
import { LARGE_COMMIT, LargeWrites, prepareWrites } from './encoding.js';
import { DirectoryLease } from './lease/lease.js';
import { MergeApplier, UnappliedMerges } from './merges/unapplied.js';
import {
  collectionNames,
  dueIndexNames,
  allSlots,
  dueUntil,
  newestEntry,
  readDocument,
  readEntries,
  scanBatch,
  type ScanBatch,
} from './reading.js';
import type { EmbeddedStoreOptions } from './options.js';
import { DiskRoom } from './room.js';
import { WriteGate, CommitWriter, type EmbeddedCommit } from './writer.js';

const SCAN_BATCH = 256;
/** How often the writer looks for readers that are gone. */
const READER_CHECK_MS = 60_000;
/** Entries forgotten per transaction: about a millisecond of work that a commit may wait behind. */
const TRIM_SLICE = 512;
const NONE: readonly never[] = [];
const NOTHING = { entries: NONE, writes: NONE, due: NONE, trim: NONE, frees: false };

/**
 * Opens the store in a directory, creating it (mode 0700) where needed.
 * @throws Error naming the directory when it is unreadable, damaged or of another format
 */
export async function openEmbeddedStore(
  directory: string,
  options: EmbeddedStoreOptions = {},
): Promise<Store> {
  const environment = await openEnvironment(directory, options.durability ?? 'disk');
  return new EmbeddedStore(directory, environment, options);
}

class EmbeddedStore implements Store {
  readonly description: string;
  readonly leasesExpire = true;
  readonly tellsLeaseEnd = true;
  readonly #directory: string;
  readonly #environment: Environment;
  readonly #lease: DirectoryLease;
  readonly #gate = new WriteGate();
  readonly #unapplied: UnappliedMerges;
  readonly #applier: MergeApplier;
  readonly #writer: CommitWriter;
  readonly #queue: CommitQueue<EmbeddedCommit>;
  readonly #durable: DurablePosition;
  readonly #closing = new AbortController();
  #closed: Promise<void> | null = null;
  #readerCheck: NodeJS.Timeout | null = null;
  /** Newest position given to `commit`; what the next one must exceed. */
  #lastSeq: number;

  constructor(
    directory: string,
    environment: Environment,
    private readonly options: EmbeddedStoreOptions,
  ) {
    const { flush = () => environment.flush(), free = () => roomIn(directory) } = options;
    this.description = `embedded:${directory}`;
    this.#directory = directory;
    this.#environment = environment;
    const position = (): number => this.#durable.position;
    const room = new DiskRoom(free);
    this.#lease = new DirectoryLease(directory, environment, this.#gate, room, position);
    this.#durable = new DurablePosition({
      directory,
      leader: () => this.#leader(),
      newest: () => this.#newestPosition(),
      flush,
    });
    this.#unapplied = new UnappliedMerges(this.description, options.readChanges);
    this.#writer = new CommitWriter(environment, room, this.#unapplied, this.#gate, () =>
      this.#lease.assertWritable(),
    );
    this.#queue = new CommitQueue(
      (commit) => this.#write(commit),
      () => this.#resetPosition(),
    );
    this.#applier = new MergeApplier(
      () => this.#unapplied.isLeft,
      (token) => this.#queue.push({ ...NOTHING, token, applies: true }),
    );
    this.#lastSeq = newestEntry(this.#environment)?.seq ?? 0;
  }

  async acquireLease(holder: string, ttlMs: number): Promise<Lease | null> {
    this.#assertOpen();
    const lease = await this.#lease.acquire(holder, ttlMs);
    if (lease === null) return null;
    this.#resetPosition();
    // Taking the lease was a transaction, which brought everything before it to the disk.
    this.#tellDurable(this.#lastSeq);
    this.#unapplied.begin(this.#environment);
    this.#applier.start(lease.token);
    // A process that was killed while it exported would keep the file growing.
    this.#readerCheck ??= setInterval(
      () => this.#environment.releaseDeadReaders(),
      READER_CHECK_MS,
    ).unref();
    return lease;
  }

  async renewLease(lease: Lease, ttlMs: number): Promise<void> {
    this.#assertOpen();
    this.#lease.renew(lease, ttlMs);
  }

  isNewest(lease: Lease): boolean {
    return this.#closed === null && this.#lease.isNewest(lease);
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#queue.drain();
    await this.#applier.end();
    this.#unapplied.forget();
    await this.#lease.release(lease);
  }

  leaseFreed(withinMs: number, signal: AbortSignal): Promise<void> {
    return this.#lease.freed(withinMs, signal);
  }

  commit(lease: Lease, commit: Commit): Promise<void> {
    const error = this.#refusal(lease, commit);
    if (error !== null) return this.#queue.refuse(error);
    const writes =
      commit.writes.length >= LARGE_COMMIT
        ? new LargeWrites(commit.writes)
        : prepareWrites(commit.writes);
    const { entries, due, frees = false } = commit;
    this.#lastSeq = entries.at(-1)?.seq ?? this.#lastSeq;
    const { token } = lease;
    return this.#queue.push({ token, entries, writes, due, trim: NONE, frees, applies: false });
  }

  async getMany(keys: readonly DocumentKey[]): Promise<(Document | undefined)[]> {
    this.#assertOpen();
    const unapplied = this.#unapplied.of(this.#environment);
    return keys.map((key) => readDocument(this.#environment, this.description, unapplied, key));
  }

  async getManyWithLast(keys: readonly DocumentKey[]) {
    return { documents: await this.getMany(keys), last: await this.lastEntry() };
  }

  async *scan(
    collection: string,
    options: { readonly after?: string; readonly batch?: number } = {},
  ): AsyncGenerator<ScanBatch> {
    const environment = this.#environment;
    const limit = options.batch ?? SCAN_BATCH;
    let after = options.after;
    if (!isStorableName(collection) || !isStorableId(after ?? '')) {
      throw new RangeError(`Not a storable key: ${collection}:${after ?? ''}`);
    }
    for (;;) {
      this.#assertOpen();
      const unapplied = this.#unapplied.of(environment);
      const range = { collection, after, limit };
      const batch = scanBatch(environment, this.description, unapplied, range);
      const last = batch.at(-1);
      if (last === undefined) return;
      yield batch;
      after = last.id;
    }
  }

  async lastEntry(): Promise<StoredEntry | null> {
    this.#assertOpen();
    // Another process may have written since this one last read.
    this.#environment.refresh();
    return newestEntry(this.#environment);
  }

  async firstSeq(): Promise<number | null> {
    this.#assertOpen();
    for (const seq of this.#environment.journal.getKeys({ limit: 1 })) return seq;
    return null;
  }

  async readJournal(from: number, to: number, limit: number): Promise<readonly StoredEntry[]> {
    this.#assertOpen();
    return readEntries(this.#environment, from, to, limit);
  }

  async *follow(
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StoredEntry[], void, undefined> {
    const journal = {
      hasAfter: (position: number) => position < this.#durable.position,
      read: (position: number, limit: number) => {
        this.#environment.refresh();
        return readEntries(this.#environment, position + 1, this.#durable.position, limit);
      },
      trimmedThrough: () => Number(this.#environment.meta.get(TRIMMED_KEY) ?? 0),
    };
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    const leave = this.#durable.follow();
    // At once, for a follower that is never asked again.
    ended.addEventListener('abort', leave, { once: true });
    try {
      yield* follow(journal, this.#durable.changed, after, ended);
    } finally {
      ended.removeEventListener('abort', leave);
      leave();
    }
  }

  async trimJournal(before: number): Promise<void> {
    for (;;) {
      this.#assertOpen();
      const { token } = this.#lease.held();
      const end = Math.min(before, newestEntry(this.#environment)?.seq ?? 0);
      const trim = [...this.#environment.journal.getKeys({ end, limit: TRIM_SLICE })];
      if (trim.length === 0) return;
      await this.#queue.push({ ...NOTHING, token, trim, frees: true });
      await nextTurn();
    }
  }

  async due(index: string, at: number, limit: number): Promise<{ id: string; at: number }[]> {
    this.#assertOpen();
    return dueUntil(this.#environment, index, at, limit);
  }

  async collections(): Promise<string[]> {
    this.#assertOpen();
    return collectionNames(this.#environment);
  }

  async dueIndexes(): Promise<string[]> {
    this.#assertOpen();
    return dueIndexNames(this.#environment);
  }

  async *scanDue(
    index: string,
    options: { readonly batch?: number } = {},
  ): AsyncGenerator<DueSlot[]> {
    const environment = (): Environment => {
      this.#assertOpen();
      return this.#environment;
    };
    yield* allSlots(environment, index, options.batch ?? SCAN_BATCH);
  }

  async faults(): Promise<DamagedError[]> {
    this.#assertOpen();
    const fault = this.#unapplied.fault(this.#environment);
    return fault === null ? [] : [fault];
  }

  async snapshot(): Promise<StoreReads & { close(): Promise<void> }> {
    this.#assertOpen();
    return new EmbeddedStore(this.#directory, this.#environment.snapshot(), this.options);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#durable.close();
    if (this.#readerCheck !== null) clearInterval(this.#readerCheck);
    await this.#queue.drain();
    await this.#applier.end();
    await this.#lease.release(null);
    await this.#environment.close();
  }

  async #write(commit: EmbeddedCommit): Promise<void> {
    await this.#writer.write(commit);
    this.#applier.start(commit.token);
    const last = commit.entries.at(-1);
    if (last !== undefined) this.#tellDurable(last.seq);
  }

  #tellDurable(position: number): void {
    this.#durable.raise(position);
    if (this.#lease.isFollowed) this.#lease.announce();
  }

  /** Socket of the leader, null where it is this process. */
  #leader(): string | null {
    this.#environment.refresh();
    const socket = this.#lease.socketName();
    return this.#lease.isOwn(socket) ? null : socket;
  }

  #newestPosition(): number {
    this.#environment.refresh();
    return newestEntry(this.#environment)?.seq ?? 0;
  }

  #refusal(lease: Lease, commit: Commit): Error | null {
    if (this.#closed !== null) return closedError();
    return this.#lease.refusal(lease) ?? refusal(commit, this.#lastSeq);
  }

  /** After others wrote, or after commits in line were rejected. */
  #resetPosition(): void {
    this.#lastSeq = this.#newestPosition();
  }

  #assertOpen(): void {
    if (this.#closed !== null) throw closedError();
  }
}
