import { ApiError } from '../errors/index.js';
import type { DamagedError } from './damage.js';

export { DamagedError, DamagedFileError, VERIFY_ADVICE } from './damage.js';

/**
 * The persistence port. One organization, one ordered journal, documents that commit with it.
 *
 * An adapter promises, for a kill at any moment:
 * - a commit is all or nothing: its documents and its journal entries are there together or not at all;
 * - commits become durable in the order they were given;
 * - what a resolved `commit` acknowledged is there after a restart.
 *
 * Durable is what would be there then. A store with replicas may count a commit as durable only when they have it, and has
 * it before: `getManyWithLast` and scans show it, nothing else does.
 *
 * Every adapter passes the contract suite in `test/src/store/contract.ts`.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A stored document: a JSON object. */
export type Document = { readonly [key: string]: JsonValue };

/**
 * Names one document: `{collection}:{id}`. Ids of numbered things are decimal integers and sort by
 * number within a collection, before all other ids, which sort by their UTF-8 bytes; ids made of
 * several parts join them with `:`. A collection is 1 to 64 of `A-Z a-z 0-9 _ . -`, an id is
 * well-formed Unicode of at most 1024 bytes (`rules.ts`); due indexes and their ids likewise.
 */
export interface DocumentKey {
  readonly collection: string;
  readonly id: string;
}

/**
 * One write. `merge` replaces the named top-level fields and leaves the others; `document` is the
 * whole document after the write, so that an adapter without partial updates can store it.
 * The last write to a key within a commit wins.
 */
export type Write =
  | {
      readonly op: 'set';
      readonly key: DocumentKey;
      readonly document: Document;
      /** JSON text of the document, where the journal has made it: the entry contains it, too. */
      text?: string | undefined;
    }
  | {
      readonly op: 'merge';
      readonly key: DocumentKey;
      readonly fields: Document;
      readonly document: Document;
    }
  | { readonly op: 'delete'; readonly key: DocumentKey };

/** An entry as the store sees it: a position and an opaque JSON text. */
export interface StoredEntry {
  /** Position in the journal; strictly increasing, not necessarily by one. */
  readonly seq: number;
  /** JSON text of the entry. */
  readonly text: string;
  /** Set where the store no longer has what was written; `text` is empty then. */
  readonly damaged?: true;
}

/** A change of a document as a journal entry has it: the whole document, the fields named, or none. */
export type EntryChange =
  | { readonly op: 'set' | 'merge'; readonly key: DocumentKey; readonly fields: Document }
  | { readonly op: 'delete'; readonly key: DocumentKey };

/** What a journal entry says was committed with it. */
export interface EntryChanges {
  readonly changes: readonly EntryChange[];
  readonly due: readonly DueChange[];
}

/** A change of the due index: `at` in milliseconds since 1970 schedules, null unschedules. */
export interface DueChange {
  readonly index: string;
  readonly id: string;
  readonly at: number | null;
  /** Where an index is made anew: a time at which it has the id and should not. */
  readonly was?: number;
}

/** A place of an id in a due index. */
export interface DueSlot {
  readonly id: string;
  readonly at: number;
  /** An adapter keeps the place twice, and the two differ. */
  readonly isBroken?: true;
}

/** What becomes durable together. */
export interface Commit {
  readonly entries: readonly StoredEntry[];
  readonly writes: readonly Write[];
  readonly due: readonly DueChange[];
  /** Removes more than it adds: a store that is nearly full takes it from what it keeps in reserve. */
  readonly frees?: boolean;
}

/** A hold on the writer role. `token` grows with every holder (fencing token). */
export interface Lease {
  readonly token: number;
}

/** The store lost the writer role to somebody with a newer fencing token; nothing was written. */
export class FencedError extends Error {
  constructor(message = 'A newer writer holds the lease') {
    super(message);
    this.name = 'FencedError';
  }
}

/**
 * The store forgot commits it had acknowledged to this writer: a server restarted without them, was
 * restored from a backup, or a replica took over that had not received them. The writer must start over
 * from the documents, and with another history. It asks for the lease again without releasing it, so that
 * nobody who does not know of the loss comes before it.
 */
export class LostWritesError extends FencedError {
  constructor(message = 'The store lost commits that it had acknowledged') {
    super(message);
    this.name = 'LostWritesError';
  }
}

/** The store did not answer, or would not take commands, for as long as the caller may wait. */
export class StoreUnavailableError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** How many replicas have the newest change, when they were last asked, of those that must have it before it counts. */
export interface ReplicaCount {
  readonly have: number;
  readonly wanted: number;
}

/**
 * Nobody can take or renew the writer role now: the disk is full, or its file system read-only. What the store has can
 * be read, and nobody writes meanwhile.
 */
export class StoreReadOnlyError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The store can only be read: ${reason}`, options);
    this.name = 'StoreReadOnlyError';
  }
}

/** The store takes nothing more until it is opened again; the process that has it open has to end. */
export class UnusableStoreError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'UnusableStoreError';
  }
}

/** Entries a follower had not seen yet were trimmed away, or are lost: it must start over from the documents. */
export class TrimmedError extends Error {
  constructor(after: number) {
    super(`Journal entries after ${after} were trimmed, or are lost`);
    this.name = 'TrimmedError';
  }
}

/** What a store holds, read only. */
export interface StoreReads {
  /** What operators read in the log, e.g. `embedded:./data`. Holds no credentials. */
  readonly description: string;

  /**
   * Documents by key, `undefined` where there is none; same order as `keys`.
   * @throws DamagedError for one that is not what was written, as do scans
   */
  getMany(keys: readonly DocumentKey[]): Promise<(Document | undefined)[]>;

  /**
   * All documents of a collection in ascending order of id (numeric ids by number), streamed in
   * batches so that memory stays bounded. With `ahead` a batch may be read while the caller still has
   * the one before: quicker, where nobody writes meanwhile.
   */
  scan(
    collection: string,
    options?: { readonly after?: string; readonly batch?: number; readonly ahead?: boolean },
  ): AsyncIterable<readonly { readonly id: string; readonly document: Document }[]>;

  /** Newest durable entry, or null in a journal without one. */
  lastEntry(): Promise<StoredEntry | null>;
  /** Oldest retained entry's position, or null in an empty journal. */
  firstSeq(): Promise<number | null>;
  /** Entries with `from <= seq <= to` in order, at most `limit`, damaged ones too. @param isKnown whether it came to `to` */
  readJournal(
    from: number,
    to: number,
    limit: number,
    isKnown?: boolean,
  ): Promise<readonly StoredEntry[]>;
  /** Names of the collections that have documents, ascending. For tools: an adapter may look through all that it keeps. */
  collections(): Promise<readonly string[]>;
  /** Names of the due indexes that have slots, ascending. For tools, as above. */
  dueIndexes(): Promise<readonly string[]>;
  /** What is damaged beside documents and entries, where an adapter keeps anything else; for tools. */
  faults?(): Promise<readonly DamagedError[]>;
  /**
   * All slots of a due index by time, then by the bytes of their ids, in batches; broken ones without such a place last.
   * Complete where nobody changes the index meanwhile. The documents tell whether it has what it should.
   */
  scanDue(index: string, options?: { readonly batch?: number }): AsyncIterable<readonly DueSlot[]>;
}

/** One organization in a store, opened; see the head of this file for what every adapter promises. */
export interface Store extends StoreReads {
  /**
   * Whether a lease runs out by itself; otherwise it is held until it is released, or `close`. One that ran
   * out may be renewed while nobody else took the role.
   */
  readonly leasesExpire: boolean;
  /**
   * Whether `leaseFreed` learns of every end of a lease, so that who waits need not ask for it again and again.
   */
  readonly tellsLeaseEnd: boolean;
  /** Of the one that writes, or asked for the role. Absent without replicas that must have a commit, and before the first answer. */
  readonly replicas?: ReplicaCount | undefined;

  /**
   * Names the line of states that is read: another name says that the store may lack what it had given out, because its
   * server was started anew, or another has taken its place. What was read of two lines does not belong together. Absent
   * where a store cannot go back under running processes.
   */
  lineage?(): Promise<string>;

  /**
   * Documents by key, as `getMany`, and the newest entry, all of one line of states: the entry is none that is older than
   * one of the documents. It may not be durable yet.
   */
  getManyWithLast(keys: readonly DocumentKey[]): Promise<{
    documents: (Document | undefined)[];
    last: StoredEntry | null;
    /** Whether `last` may yet be lost: it is not durable yet, for all that the store can tell. */
    isUnsettled?: boolean;
  }>;

  /**
   * The newest position, durable or not, of a server that its replicas follow at this moment: another may have taken the
   * place of the one that is read, which cannot know. Null, or absent, where nobody waits for replicas.
   * @throws TooFewReplicasError
   */
  surelyNewest?(): Promise<number | null>;

  /**
   * Takes the writer role for `holder`, or returns null while another holder's lease runs.
   * Lasts `ttlMs` unless renewed, where leases run out; an adapter may know earlier that a holder ended.
   * @param insteadOf token of another's lease which this one takes the place of while it runs: its holder is refused
   *   from then on, but may not know that before its time is over. For stores that can go back under running processes
   * @throws StoreReadOnlyError
   */
  acquireLease(holder: string, ttlMs: number, insteadOf?: number): Promise<Lease | null>;
  /** Prolongs a lease. @throws FencedError when it was lost; StoreReadOnlyError */
  renewLease(lease: Lease, ttlMs: number): Promise<void>;
  /**
   * As `renewLease`, where the store may be on a server whose place another has taken without its knowing: replicas say that
   * they follow it. Absent where that cannot be.
   * @throws TooFewReplicasError, too
   */
  confirmLease?(lease: Lease, ttlMs: number): Promise<void>;
  /**
   * Whether nobody has taken the role since, asked of the store now. For a lease that cannot be renewed
   * (StoreReadOnlyError).
   */
  isNewest?(lease: Lease): boolean;
  /** Gives the role up early, so that a successor need not wait. */
  releaseLease(lease: Lease): Promise<void>;
  /**
   * For a process that did not get the lease. Resolves when the holder gives it up, when the adapter learns that the
   * holder has ended or has let the lease run out, after `withinMs`, or when `signal` aborts. Never rejects. Ask for
   * the lease afterwards to learn who has it.
   */
  leaseFreed(withinMs: number, signal: AbortSignal): Promise<void>;

  /**
   * Makes a commit durable, or rejects having changed nothing.
   * Calls may overlap; they take effect in call order, and a rejected one rejects all later ones
   * that are still under way.
   * @throws StoreUnavailableError where it may yet be durable: the same commit is to be given again, before any other
   * @throws FencedError when `lease` is no longer the newest
   */
  commit(lease: Lease, commit: Commit): Promise<void>;

  /**
   * Entries with seq > `after` as they become durable, whoever wrote them, until `signal` aborts: in order,
   * damaged ones too, none before it is durable. Waiting costs no polling: whoever waits is woken by the
   * commit, in another process too, within about a millisecond; after a change of the leader, or while the
   * leader is suspended, within some hundred. Goes on over changes of the leader and while the store is away.
   * What documents and the journal say otherwise may be ahead of it by a commit whose fate is not settled yet.
   * @param last the entry at `after`, as the caller has it
   * @throws TrimmedError when entries after `after` were trimmed before they could be yielded, or when the
   *   store lost entries that were, or `last`: it is behind them, or has others in their place
   */
  follow(
    after: number,
    signal: AbortSignal,
    last?: StoredEntry,
  ): AsyncIterable<readonly StoredEntry[]>;
  /**
   * Forgets entries with seq < `before`. The newest entry is always kept. For the writer; commits go
   * on meanwhile.
   * @throws FencedError when this store does not hold the lease
   */
  trimJournal(before: number): Promise<void>;

  /** Ids due at or before `at`, earliest first, at most `limit`. */
  due(index: string, at: number, limit: number): Promise<readonly { id: string; at: number }[]>;

  /**
   * Everything as it is now, whatever is written later, by this process or another. Absent where the
   * engine has no such reads. To be closed soon: what is deleted meanwhile keeps its room.
   */
  snapshot?(): Promise<StoreReads & { close(): Promise<void> }>;

  /** Flushes and closes; idempotent. */
  close(): Promise<void>;
}

/**
 * Whether an error says no more than that the store does not answer now: nobody's fault, reported once by whoever
 * commits, and waiting may help. A commit that was refused because of an earlier one has that one as its cause.
 */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503;
  if (error instanceof StoreUnavailableError) return true;
  return error instanceof Error && error.cause instanceof StoreUnavailableError;
}

/** Whether an error only says that the store is away, or led by another, or lost commits, which is reported elsewhere. */
export function isOutage(error: unknown): boolean {
  return error instanceof FencedError || isStoreAway(error);
}
