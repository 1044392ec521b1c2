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
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unsealDocument, unsealEntry } from '../checksum.js';
import { CommitQueue } from '../commit-queue.js';
import { follow } from '../follow.js';
import {
  DamagedError,
  type Commit,
  type Document,
  type DocumentKey,
  type Lease,
  type Store,
  type StoreReads,
  type StoredEntry,
} from '../port.js';
import { closedError, isStorableId, isStorableName, refusal } from '../rules.js';
import { DurablePosition } from './durable-position.js';
import {
  freeBytes,
  openEnvironment,
  TRIMMED_KEY,
  type Durability,
  type Environment,
} from './environment.js';
import {
  COLLECTION_END,
  COLLECTION_START,
  LARGE_COMMIT,
  LargeWrites,
  prepareWrites,
} from './encoding.js';
import { DirectoryLease } from './lease.js';
import { collectionNames, dueIndexNames, dueSlots, type DueSlot } from './listing.js';
import { WriteGate, CommitWriter, type EmbeddedCommit } from './writer.js';

/** How an embedded store is opened. */
export interface EmbeddedStoreOptions {
  /** What an acknowledgement means; `disk` unless told. */
  readonly durability?: Durability;
  /** Room on the disk, bytes; looked up unless told. */
  readonly free?: () => number;
  /** Makes durable what other processes wrote; asks the disk unless told. */
  readonly flush?: () => Promise<void>;
}

const SCAN_BATCH = 256;
/** How often the writer looks for readers that are gone. */
const READER_CHECK_MS = 60_000;
/** Most text in one batch of a scan, in UTF-16 units; one larger document still comes, alone. */
const SCAN_BATCH_SIZE = 4 * 1024 * 1024;
/** Entries forgotten per transaction: about a millisecond of work that a commit may wait behind. */
const TRIM_SLICE = 512;
const NONE: readonly never[] = [];

/**
 * Opens the store in a directory, creating it (mode 0700) where needed.
 * @throws Error naming the directory when it is unreadable, damaged or of another format
 */
export async function openEmbeddedStore(
  directory: string,
  options: EmbeddedStoreOptions = {},
): Promise<Store> {
  const environment = await openEnvironment(directory, options.durability ?? 'disk');
  const free = options.free ?? (() => freeBytes(directory));
  return new EmbeddedStore(directory, environment, free, options.flush);
}

class EmbeddedStore implements Store {
  readonly description: string;
  readonly leasesExpire = true;
  readonly #directory: string;
  readonly #free: () => number;
  readonly #environment: Environment;
  readonly #lease: DirectoryLease;
  readonly #gate = new WriteGate();
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
    free: () => number,
    flush = () => environment.flush(),
  ) {
    this.description = `embedded:${directory}`;
    this.#directory = directory;
    this.#free = free;
    this.#environment = environment;
    this.#lease = new DirectoryLease(directory, environment, this.#gate);
    this.#durable = new DurablePosition({
      directory,
      leader: () => this.#leader(),
      newest: () => this.#newestPosition(),
      flush,
    });
    this.#writer = new CommitWriter(environment, free);
    this.#queue = new CommitQueue(
      (commit) => this.#write(commit),
      () => this.#resetPosition(),
    );
    this.#lastSeq = this.#newest()?.seq ?? 0;
  }

  async acquireLease(holder: string, ttlMs: number): Promise<Lease | null> {
    this.#assertOpen();
    const lease = await this.#lease.acquire(holder, ttlMs);
    if (lease === null) return null;
    this.#resetPosition();
    // Taking the lease was a transaction, which brought everything before it to the disk.
    this.#tellDurable(this.#lastSeq);
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

  async releaseLease(lease: Lease): Promise<void> {
    await this.#queue.drain();
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
    return this.#queue.push({ token: lease.token, entries, writes, due, trim: NONE, frees });
  }

  async getMany(keys: readonly DocumentKey[]): Promise<(Document | undefined)[]> {
    this.#assertOpen();
    return keys.map((key) => {
      if (!isStorableName(key.collection) || !isStorableId(key.id)) return undefined;
      const text = this.#environment.documents.get(key);
      return text === undefined ? undefined : this.#parse(key, text);
    });
  }

  async *scan(
    collection: string,
    options: { readonly after?: string; readonly batch?: number } = {},
  ): AsyncGenerator<ScanBatch> {
    const limit = options.batch ?? SCAN_BATCH;
    let after = options.after;
    if (!isStorableName(collection) || !isStorableId(after ?? '')) {
      throw new RangeError(`Not a storable key: ${collection}:${after ?? ''}`);
    }
    for (;;) {
      this.#assertOpen();
      const batch = this.#scanBatch(collection, after, limit);
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
    return this.#newest();
  }

  async firstSeq(): Promise<number | null> {
    this.#assertOpen();
    for (const seq of this.#environment.journal.getKeys({ limit: 1 })) return seq;
    return null;
  }

  async readJournal(from: number, to: number, limit: number): Promise<readonly StoredEntry[]> {
    this.#assertOpen();
    return this.#read(from, to, limit);
  }

  async *follow(
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StoredEntry[], void, undefined> {
    const journal = {
      read: (position: number, limit: number) => {
        const end = this.#durable.position;
        return position < end ? this.#read(position + 1, end, limit) : NONE;
      },
      trimmedThrough: () => {
        this.#environment.refresh();
        return Number(this.#environment.meta.get(TRIMMED_KEY) ?? 0);
      },
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
      const end = Math.min(before, this.#newest()?.seq ?? 0);
      const trim = [...this.#environment.journal.getKeys({ end, limit: TRIM_SLICE })];
      if (trim.length === 0) return;
      const nothing = { entries: NONE, writes: NONE, due: NONE };
      await this.#queue.push({ token, ...nothing, trim, frees: true });
      await nextTurn();
    }
  }

  async due(index: string, at: number, limit: number): Promise<{ id: string; at: number }[]> {
    this.#assertOpen();
    const end = Math.min(Math.floor(at), Number.MAX_SAFE_INTEGER - 1) + 1;
    if (!isStorableName(index) || !(end > 0)) return [];
    const range = { start: { index, at: 0, id: '' }, end: { index, at: end, id: '' }, limit };
    const found: { id: string; at: number }[] = [];
    for (const slot of this.#environment.due.getKeys(range)) {
      found.push({ id: slot.id, at: slot.at ?? 0 });
    }
    return found;
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
  ): AsyncGenerator<{ id: string; at: number }[]> {
    const limit = options.batch ?? SCAN_BATCH;
    let after: DueSlot | null = null;
    for (;;) {
      this.#assertOpen();
      const batch = dueSlots(this.#environment, index, after, limit);
      const last = batch.at(-1);
      if (last === undefined) return;
      yield batch;
      after = last;
    }
  }

  async snapshot(): Promise<StoreReads & { close(): Promise<void> }> {
    this.#assertOpen();
    return new EmbeddedStore(this.#directory, this.#environment.snapshot(), this.#free);
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
    await this.#lease.release(null);
    await this.#environment.close();
  }

  async #write(commit: EmbeddedCommit): Promise<void> {
    await this.#gate.run(() => this.#writer.write(commit));
    const last = commit.entries.at(-1);
    if (last !== undefined) this.#tellDurable(last.seq);
  }

  #tellDurable(position: number): void {
    this.#durable.raise(position);
    this.#lease.announce(position);
  }

  /** Socket of the leader, null where it is this process. */
  #leader(): string | null {
    this.#environment.refresh();
    const socket = this.#lease.socketName();
    return this.#lease.isOwn(socket) ? null : socket;
  }

  #newestPosition(): number {
    this.#environment.refresh();
    return this.#newest()?.seq ?? 0;
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

  #newest(): StoredEntry | null {
    for (const { key, value } of this.#environment.journal.getRange({ reverse: true, limit: 1 })) {
      return entryOf(key, value);
    }
    return null;
  }

  #read(from: number, to: number, limit: number): StoredEntry[] {
    const entries: StoredEntry[] = [];
    const range = { start: from, end: to + 1, limit };
    for (const { key, value } of this.#environment.journal.getRange(range)) {
      entries.push(entryOf(key, value));
    }
    return entries;
  }

  /** @throws DamagedError naming the document */
  #parse(key: DocumentKey, stored: string): Document {
    const name = `${key.collection}:${key.id}`;
    const text = unsealDocument(key, stored);
    if (text === null) throw new DamagedError(this.description, name, 'its checksum differs');
    try {
      return JSON.parse(text) as Document;
    } catch (cause) {
      throw new DamagedError(this.description, name, 'it is no JSON', { cause });
    }
  }

  /** Reads one batch from one snapshot, which is let go before the batch is handed over. */
  #scanBatch(collection: string, after: string | undefined, limit: number): ScanBatch {
    const range = {
      start: { collection, id: after ?? COLLECTION_START },
      end: { collection, id: COLLECTION_END },
      exclusiveStart: true,
      limit,
    };
    const batch: ScanBatch = [];
    let size = 0;
    for (const { key, value } of this.#environment.documents.getRange(range)) {
      size += value.length;
      if (batch.length > 0 && size > SCAN_BATCH_SIZE) break;
      batch.push({ id: key.id, document: this.#parse(key, value) });
    }
    return batch;
  }
}

function entryOf(seq: number, stored: string): StoredEntry {
  const text = unsealEntry(seq, stored);
  return text === null ? { seq, text: '', damaged: true } : { seq, text };
}

type ScanBatch = { id: string; document: Document }[];
