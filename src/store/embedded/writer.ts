import { FencedError, UnusableStoreError, type DueChange, type StoredEntry } from '../port.js';
import { LEASE_KEY, TRIMMED_KEY, type Environment, type UnappliedRecord } from './environment.js';
import { LargeWrites, sealedEntries, type EmbeddedWrite } from './encoding.js';
import { defer, type Deferred } from './merges/deferred-merges.js';
import { UnappliedMerges } from './merges/unapplied.js';
import { roomFor, type DiskRoom } from './room.js';

/** A commit as it waits in the queue: checked, its documents as text. */
export interface EmbeddedCommit {
  readonly token: number;
  readonly entries: readonly StoredEntry[];
  /** A large commit's documents are made into text when its turn has come, a slice at a time. */
  readonly writes: readonly EmbeddedWrite[] | LargeWrites;
  readonly due: readonly DueChange[];
  /** Journal positions to forget, in order. */
  readonly trim: readonly number[];
  /** Removes more than it adds. */
  readonly frees: boolean;
  /** Has nothing of its own, and applies some of the merges that commits have left. */
  readonly applies?: boolean;
}

/** What of a commit goes to lmdb, encoded as far as it takes time. */
interface Encoded {
  readonly entries: readonly StoredEntry[];
  readonly writes: readonly EmbeddedWrite[];
  /** The record of merges that are left to be applied; null removes it. */
  readonly unapplied?: UnappliedRecord | null;
}

/** CommitWriter writes each commit in one transaction of LMDB. */
export class CommitWriter {
  /** Set once a transaction failed: LMDB may refuse to begin another, which lmdb would not report. */
  #suspect = false;
  /** Set when a transaction was handed over incompletely; nothing may be written after it. */
  #fatal: unknown = null;

  #hasRaisedFormat = false;

  /**
   * @param room what there is on the disk
   * @param unapplied merges that commits leave to be applied
   * @param gate held for each transaction, not for a commit that needs several: an opener would wait for all
   * @param assertWritable asks the file system; throws where it takes no writes
   */
  constructor(
    private readonly environment: Environment,
    private readonly room: DiskRoom,
    private readonly unapplied = new UnappliedMerges('the embedded store'),
    private readonly gate = new WriteGate(),
    private readonly assertWritable: () => void = () => undefined,
  ) {}

  /**
   * Writes all of the commit or nothing; resolves when it is durable. The transaction itself compares its token
   * with the newest.
   * @throws FencedError when there is a newer one
   */
  async write(commit: EmbeddedCommit): Promise<void> {
    const { token, writes } = commit;
    if (commit.applies === true) {
      await this.#applySome(token, false);
      return;
    }
    this.#assertCanWrite();
    const isLarge = writes instanceof LargeWrites;
    const mayDefer = isLarge && commit.entries.length > 0;
    const deferred = mayDefer ? await defer(writes, this.unapplied.merges) : null;
    if (!deferred && this.unapplied.concerns(isLarge ? writes.writes : writes)) {
      while (this.unapplied.isLeft) await this.#applySome(token, true);
    }
    if (!deferred) {
      const encoded = encodedWhole(commit);
      await this.#transact(commit, encoded instanceof Promise ? await encoded : encoded);
      return;
    }
    const mark = this.unapplied.markWith(commit.entries);
    await this.#transact(commit, await encodedWithout(commit, deferred, mark));
    this.unapplied.left(mark, deferred.merges);
  }

  async #applySome(token: number, isAwaited: boolean): Promise<void> {
    this.#assertCanWrite();
    if (!this.unapplied.isLeft) return;
    const slice = this.unapplied.slice(this.environment, isAwaited);
    const nothing = { token, entries: [], writes: [], due: [], trim: [], frees: true };
    const encoded = { entries: [], writes: await new LargeWrites(slice.writes).prepare() };
    await this.#transact(nothing, slice.isLast ? { ...encoded, unapplied: null } : encoded);
    this.unapplied.applied(slice);
  }

  #assertCanWrite(): void {
    if (this.#fatal !== null) throw unusable(this.#fatal);
    try {
      this.assertWritable();
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`The embedded store could not commit: ${message}`, { cause: error });
    }
    if (this.#suspect) this.#assertUsable();
  }

  async #transact(commit: EmbeddedCommit, encoded: Encoded): Promise<void> {
    const { meta } = this.environment;
    this.room.take(roomFor(encoded, commit.due.length + commit.trim.length), commit.frees);
    let current: boolean;
    try {
      current = await this.gate.run(() => {
        const slots = this.#currentSlots(commit.due);
        return meta.ifVersion(LEASE_KEY, commit.token, () => {
          this.#putAll(commit, encoded, slots);
        });
      });
    } catch (error) {
      this.#suspect = true;
      throw await transactionError(error);
    }
    this.#suspect = false;
    if (!current) {
      this.unapplied.forget();
      throw new FencedError();
    }
    this.#hasRaisedFormat = true;
  }

  /** @throws UnusableStoreError when LMDB begins no transaction any more, as after a failed meta page */
  #assertUsable(): void {
    try {
      this.environment.assertWritable();
    } catch (error) {
      this.#fatal = error;
      throw unusable(error);
    }
  }

  #putAll(commit: EmbeddedCommit, encoded: Encoded, slots: DueSlots): void {
    try {
      if (!this.#hasRaisedFormat) this.environment.raiseFormat();
      this.#put(commit, encoded, slots);
    } catch (error) {
      this.#fatal = error;
      throw error;
    }
  }

  /** The promises of single writes say nothing the transaction's does not. */
  #put(commit: EmbeddedCommit, { entries, writes, unapplied }: Encoded, slots: DueSlots): void {
    const { journal, documents, meta } = this.environment;
    for (const { seq, text } of entries) void journal.put(seq, text);
    for (const { key, text } of writes) {
      void (text === null ? documents.remove(key) : documents.put(key, text));
    }
    if (unapplied !== undefined) this.environment.putUnapplied(unapplied);
    for (const change of commit.due) this.#schedule(change, slots);
    const trimmed = commit.trim.at(-1);
    if (trimmed === undefined) return;
    for (const seq of commit.trim) void journal.remove(seq);
    void meta.put(TRIMMED_KEY, String(trimmed), 0);
  }

  #schedule({ index, id, at, was }: DueChange, slots: DueSlots): void {
    const { due } = this.environment;
    if (was !== undefined) void due.remove({ index, at: was, id });
    const name = slotName(index, id);
    const old = slots.get(name) ?? null;
    if (old !== null) void due.remove({ index, at: old, id });
    slots.set(name, at);
    if (at === null) {
      void due.remove({ index, at: null, id });
    } else {
      void due.put({ index, at, id }, '');
      void due.put({ index, at: null, id }, String(at));
    }
  }

  /**
   * Where the ids to be rescheduled stand now. One commit is written at a time, so what can be read
   * is what the transaction will find.
   */
  #currentSlots(due: readonly DueChange[]): DueSlots {
    const slots: DueSlots = new Map();
    for (const { index, id } of due) {
      const at = this.environment.due.get({ index, at: null, id });
      if (at !== undefined) slots.set(slotName(index, id), Number(at));
    }
    return slots;
  }
}

/** A commit as lmdb takes it; at once unless it is large. */
function encodedWhole({ entries, writes }: EmbeddedCommit): Encoded | Promise<Encoded> {
  const sealed = sealedEntries(entries);
  if (sealed instanceof Promise || writes instanceof LargeWrites)
    return encodedLarge(sealed, writes);
  return { entries: sealed, writes };
}

async function encodedLarge(
  entries: ReturnType<typeof sealedEntries>,
  writes: EmbeddedCommit['writes'],
): Promise<Encoded> {
  return {
    entries: await entries,
    writes: writes instanceof LargeWrites ? await writes.prepare() : writes,
  };
}

/** A commit with a record of the merges that it defers. */
async function encodedWithout(
  { entries }: EmbeddedCommit,
  { rest, text }: Deferred,
  mark: string,
): Promise<Encoded> {
  const { seq } = entries.at(-1)!;
  const sealed = await sealedEntries([...entries, { seq, text }]);
  const writes = await new LargeWrites(rest).prepare();
  return { entries: sealed.slice(0, -1), writes, unapplied: { mark, text: sealed.at(-1)!.text } };
}

/** Due time by index and id. */
type DueSlots = Map<string, number | null>;

function slotName(index: string, id: string): string {
  return `${index}:${id}`;
}

function unusable(cause: unknown): UnusableStoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UnusableStoreError(
    `The embedded store must be opened again before it takes another commit: ${reason}`,
    cause,
  );
}

/** lmdb rejects writes with a general error that carries a promise of the particular one. */
async function transactionError(error: unknown): Promise<unknown> {
  const promised = (error as { commitError?: Promise<never> }).commitError;
  if (promised === undefined) return error;
  return promised.catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new Error(`The embedded store could not commit: ${reason}`, { cause });
  });
}

/** WriteGate holds the transactions of this process back while others open the database (`open-gate.ts`). */
export class WriteGate {
  #writes = 0;
  #pauses = 0;
  /** Called when the last transaction under way ends. */
  #idle: (() => void)[] = [];
  /** Called when the last pause ends. */
  #resumed: (() => void)[] = [];

  /** Runs a transaction, after every pause that is under way. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    while (this.#pauses > 0) await new Promise<void>((resolve) => this.#resumed.push(resolve));
    this.#writes += 1;
    try {
      return await write();
    } finally {
      this.#writes -= 1;
      if (this.#writes === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  /**
   * Resolves when no transaction is under way; none begins any more.
   * @returns ends the pause
   */
  async pause(): Promise<() => void> {
    this.#pauses += 1;
    if (this.#writes > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#pauses -= 1;
      if (this.#pauses === 0) for (const resumed of this.#resumed.splice(0)) resumed();
    };
  }
}
