/** Turns a group of commits into one LMDB transaction. */
import { FencedError, type DueChange, type StoredEntry, type Write } from '../port.js';
import { LEASE_KEY, TRIMMED_KEY, type Environment } from './environment.js';

/** A commit as it waits in the queue: checked, its documents as text. */
export interface PreparedCommit {
  readonly token: number;
  readonly entries: readonly StoredEntry[];
  readonly writes: readonly PreparedWrite[];
  readonly due: readonly DueChange[];
  /** Journal positions to forget, in order. */
  readonly trim: readonly number[];
}

/** A document's text, or null to delete it. */
export interface PreparedWrite {
  readonly key: Write['key'];
  readonly text: string | null;
}

/** Documents as they are now, the last write per key only. */
export function prepareWrites(writes: readonly Write[]): PreparedWrite[] {
  if (writes.length < 2) return writes.map(prepare);
  const last = new Map<string, Write>();
  for (const write of writes) last.set(`${write.key.collection}:${write.key.id}`, write);
  return Array.from(last.values(), prepare);
}

function prepare(write: Write): PreparedWrite {
  return {
    key: write.key,
    text: write.op === 'delete' ? null : JSON.stringify(write.document),
  };
}

export class GroupWriter {
  /** Set once a transaction failed: LMDB may refuse to begin another, which lmdb would not report. */
  #suspect = false;
  /** Set when a transaction was handed over incompletely; nothing may be written after it. */
  #fatal: unknown = null;

  constructor(private readonly environment: Environment) {}

  /**
   * Writes all of the group or nothing; resolves when it is durable. All its commits carry the same
   * token, which the transaction itself compares with the newest.
   * @throws FencedError when there is a newer one
   */
  async write(group: readonly PreparedCommit[]): Promise<void> {
    if (this.#fatal !== null) throw new Error('The store must be reopened', { cause: this.#fatal });
    const token = group[0]?.token ?? 0;
    if (this.#suspect) this.environment.assertWritable();
    const slots = this.#currentSlots(group);
    let current: boolean;
    try {
      current = await this.environment.meta.ifVersion(LEASE_KEY, token, () => {
        this.#putAll(group, slots);
      });
    } catch (error) {
      this.#suspect = true;
      throw await transactionError(error);
    }
    this.#suspect = false;
    if (!current) throw new FencedError();
  }

  #putAll(group: readonly PreparedCommit[], slots: DueSlots): void {
    try {
      for (const commit of group) this.#put(commit, slots);
    } catch (error) {
      this.#fatal = error;
      throw error;
    }
  }

  /** The promises of single writes say nothing the transaction's does not. */
  #put(commit: PreparedCommit, slots: DueSlots): void {
    const { journal, documents, meta } = this.environment;
    for (const { seq, text } of commit.entries) void journal.put(seq, text);
    for (const { key, text } of commit.writes) {
      void (text === null ? documents.remove(key) : documents.put(key, text));
    }
    for (const change of commit.due) this.#schedule(change, slots);
    const trimmed = commit.trim.at(-1);
    if (trimmed === undefined) return;
    for (const seq of commit.trim) void journal.remove(seq);
    void meta.put(TRIMMED_KEY, String(trimmed), 0);
  }

  #schedule({ index, id, at }: DueChange, slots: DueSlots): void {
    const { due } = this.environment;
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
   * Where the ids to be rescheduled stand now. One group is written at a time, so what can be read
   * is what the transaction will find.
   */
  #currentSlots(group: readonly PreparedCommit[]): DueSlots {
    const slots: DueSlots = new Map();
    for (const commit of group) {
      for (const { index, id } of commit.due) {
        const at = this.environment.due.get({ index, at: null, id });
        if (at !== undefined) slots.set(slotName(index, id), Number(at));
      }
    }
    return slots;
  }
}

/** Due time by index and id. */
type DueSlots = Map<string, number | null>;

function slotName(index: string, id: string): string {
  return `${index}:${id}`;
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
