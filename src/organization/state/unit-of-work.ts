import { type EntryContent, LARGE_ENTRY_WRITES } from '../../journal/entry.js';
import { foldWrites } from '../../journal/entry-writes.js';
import type { Write } from '../../store/port.js';
import type { Recorder } from './collection.js';

/** Writes, and text of those that stay (UTF-16 units), of a transaction that makes room. */
const MOST_FREEING = 1000;

const MOST_ADDED = 64 * 1024;

function takeBack(undo: readonly (() => void)[]): void {
  for (let i = undo.length - 1; i >= 0; i--) undo[i]!();
}

/** What a transaction has emitted and scheduled by the time its work is done. */
type TransactionContent = Pick<EntryContent, 'events' | 'due'>;

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
  run<Tx extends TransactionContent, T>(
    tx: Tx,
    work: (tx: Tx) => T,
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
