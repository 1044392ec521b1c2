import type { DueChange, Write } from '../store/port.js';
import {
  LARGE_ENTRY_WRITES,
  type Audience,
  type EntryContent,
  type EventData,
  type JournalEvent,
} from '../journal/entry.js';
import { foldWrites } from '../journal/fold-writes.js';
import type { Recorder } from './collection.js';
import type { Organization } from './organization.js';

/** What `emit` may say beside the event itself. */
export interface EmitOptions {
  /** Ids the event takes, where some receivers get several bodies. */
  slots?: number;
  /** `collection:id` of a document this transaction set and the event shows. */
  subject?: string;
  /** This user's queues are served first. */
  first?: number;
}

/**
 * The unit of work: everything a handler changes and tells, as one journal entry (architecture.md
 * section 3). A handler runs without `await` between its first check and its last write, so at most
 * one transaction is open at any time, and collections record into it.
 */
export class Transaction {
  readonly events: JournalEvent[] = [];
  /** Changes of the store's due indexes, in order; of several of one id the last counts. */
  readonly due: DueChange[] = [];
  /** What is to be done once this transaction is durable, before its events go out. */
  readonly afterwards: (() => void)[] = [];

  constructor(
    readonly org: Organization,
    /** Position this transaction's entry will have. */
    readonly seq: number,
    /** Milliseconds since 1970, the same for everything this transaction does. */
    readonly now: number,
  ) {}

  /** UNIX seconds. */
  get seconds(): number {
    return Math.floor(this.now / 1000);
  }

  /**
   * Has something outside the collections done once the transaction is durable, just before its events
   * go out: ending queues, removing files. It must not throw, and is lost in a crash.
   */
  onceDurable(work: () => void): void {
    this.afterwards.push(work);
  }

  /** Has the store wake an id of a due index at a time (milliseconds since 1970), or never (null). */
  schedule(index: string, id: string, at: number | null): void {
    this.due.push({ index, id, at });
  }

  /** Announces a change; delivered once the transaction is durable. */
  emit(type: string, audience: Audience, data: EventData, options: EmitOptions = {}): void {
    if (audience.to === 'users' && audience.users.length === 0) return;
    this.events.push({ ...options, type, audience, data, slots: options.slots ?? 1 });
  }
}

/** Writes, and text of those that stay (UTF-16 units), of a transaction that makes room. */
const MOST_FREEING = 1000;
const MOST_ADDED = 64 * 1024;

/** Collects the writes of the open transaction and takes them back when it fails. */
export class UnitOfWork implements Recorder {
  private writes: Write[] = [];
  private undo: (() => void)[] = [];
  private open = false;

  /**
   * Whether the open transaction makes room: it removes documents, and changes few others a little, so
   * that it may be done although the store is full.
   */
  get frees(): boolean {
    if (this.writes.length > MOST_FREEING) return false;
    let added = 0;
    let removed = 0;
    for (const write of this.writes) {
      if (write.op === 'delete') removed += 1;
      else added += JSON.stringify(write.document).length;
    }
    return removed > 0 && added <= MOST_ADDED;
  }

  /** Whether the open transaction has changed anything. */
  get hasWrites(): boolean {
    return this.writes.length > 0;
  }

  record(write: Write, undo: () => void): void {
    if (!this.open) throw new Error('A collection was changed outside a transaction');
    this.writes.push(write);
    this.undo.push(undo);
  }

  /**
   * Runs `work`; if it throws, memory is as before. `undo` takes it back later, after all that came
   * behind it.
   * @throws whatever `work` throws
   */
  run<T>(
    tx: Transaction,
    work: (tx: Transaction) => T,
  ): { result: T; content: EntryContent; undo: () => void } {
    if (this.open) throw new Error('A transaction is already open');
    this.open = true;
    try {
      const result = work(tx);
      const { undo } = this;
      return {
        result,
        content: { writes: this.foldedWrites(), events: tx.events, due: tx.due },
        undo: () => takeBack(undo),
      };
    } catch (error) {
      takeBack(this.undo);
      throw error;
    } finally {
      this.open = false;
      this.writes = [];
      this.undo = [];
    }
  }

  /** One write per document; so many that it takes long are folded when the journal encodes them. */
  private foldedWrites(): Write[] {
    return this.writes.length >= LARGE_ENTRY_WRITES ? this.writes : foldWrites(this.writes);
  }
}

function takeBack(undo: readonly (() => void)[]): void {
  for (let i = undo.length - 1; i >= 0; i--) undo[i]!();
}
