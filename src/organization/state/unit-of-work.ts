import type { EntryContent } from '../../journal/entry.js';
import { LARGE_ENTRY_WRITES, foldWrites } from '../../journal/entry-text.js';
import type { Write } from '../../store/port.js';
import type { AuditedChange } from './audited.js';
import type { Recorder } from './collection.js';

/** Bounds of a transaction that frees space: its writes, and the text that it adds, UTF-16 units. */
const MOST_FREEING = 1000;

const MOST_ADDED = 64 * 1024;

function revert(undo: readonly (() => void)[]): void {
  for (let i = undo.length - 1; i >= 0; i--) undo[i]!();
}

/** The events and due changes of a transaction whose work is done. */
type TransactionContent = Pick<EntryContent, 'events' | 'due'>;

/** UnitOfWork collects the writes of the open transaction and reverts them when it fails. */
export class UnitOfWork implements Recorder {
  private writes: Write[] = [];
  private undo: (() => void)[] = [];
  private open = false;
  /** What the open transaction changed of what is audited, a document each. */
  readonly settings = new Map<string, AuditedChange>();

  /**
   * Whether the open transaction frees space: it deletes documents and adds little, so that it may be tried
   * on a full store.
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

  recordSetting(change: AuditedChange): void {
    const key = `${change.collection}:${change.id}`;
    const first = this.settings.get(key);
    if (first) first.next = change.next;
    else this.settings.set(key, change);
  }

  /**
   * Runs `work` and reverts its changes of memory if it throws. The returned `undo` reverts it later, after
   * everything that followed it.
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
        undo: () => revert(undo),
      };
    } catch (error) {
      revert(this.undo);
      throw error;
    } finally {
      this.open = false;
      this.writes = [];
      this.undo = [];
      // `clear` makes a new table each time.
      if (this.settings.size > 0) this.settings.clear();
    }
  }

  /** One write per document; large numbers of writes are folded when the journal encodes them. */
  private foldedWrites(): Write[] {
    return this.writes.length >= LARGE_ENTRY_WRITES ? this.writes : foldWrites(this.writes);
  }
}
