import { unsealDocument } from '../../../src/store/checksum.js';
import type { Document, DocumentKey } from '../../../src/store/port.js';
import { merged } from '../../../src/store/embedded/merges/unapplied.js';
import { intact, type Merges } from '../../../src/store/embedded/merges/unapplied-record.js';
import {
  LEASE_KEY,
  UNAPPLIED_KEY,
  type Environment,
} from '../../../src/store/embedded/environment.js';
import { documentKeys, type DocumentTableKey } from '../../../src/store/embedded/encoding.js';
import type { NumberedTransaction, Pages, Stored, TableChange, View } from '../lmdb/pages.js';
import type { StoreCheck, StoreContents } from './store-check.js';

const scratch = Buffer.alloc(4096);

/** Watches a store in a folder, transaction by transaction. */
export class EmbeddedContents implements StoreContents {
  private pages: Pages | null = null;
  /** What the disk has. */
  private view: View = { newest: 0, until: Infinity };
  /** What documents lack. */
  private unapplied: Merges | null = null;
  private readonly parsed = new WeakMap<Stored, Document>();

  document(key: DocumentKey): { text: string | null; document: Document | undefined } {
    const stored = this.pages?.get(this.view, 'docs', placeOf(key));
    if (!stored) return { text: null, document: undefined };
    let document = this.parsed.get(stored);
    if (!document) {
      const text = unsealDocument(key, stored.text);
      if (text === null)
        return { text: `${stored.text}, whose checksum differs`, document: undefined };
      document = JSON.parse(text) as Document;
      this.parsed.set(stored, document);
    }
    const whole = merged(this.unapplied, key, document);
    return { text: JSON.stringify(whole), document: whole };
  }

  *keys(): Generator<DocumentKey> {
    for (const { key } of this.pages?.range(this.view, 'docs', {}) ?? []) yield key as DocumentKey;
  }

  newest(): number {
    for (const { key } of this.pages?.range(this.view, 'journal', { reverse: true, limit: 1 }) ??
      [])
      return key as number;
    return 0;
  }

  session(): string {
    return String(this.pages?.get(this.view, 'meta', LEASE_KEY)?.version ?? '');
  }

  /** Takes the next transaction that is on the disk. */
  take(
    check: StoreCheck,
    pages: Pages,
    transaction: NumberedTransaction,
    fault: (what: string) => void,
  ) {
    this.pages = pages;
    this.view = { newest: transaction.number, until: Infinity };
    const { changes, pid } = transaction;
    let isCommit = false;
    let isChanged = false;
    if (changes.some(({ table, key }) => table === 'meta' && key === UNAPPLIED_KEY)) {
      // Nobody may forget one of them: its document has it, or the next record.
      for (const { key } of this.unapplied?.values() ?? []) check.wrote(key);
      isChanged = this.unapplied !== null;
      this.unapplied = this.recorded();
    }
    for (const { table, key, value } of changes) {
      if (table === 'meta' && key === LEASE_KEY && value && value.version > 0) {
        check.began(String(value.version));
      }
      if (table === 'journal' && value) {
        isCommit = true;
        check.entry(key as number, value.text);
      }
      if (table === 'docs') {
        isChanged = true;
        check.wrote(key as DocumentKey);
      }
    }
    if (isCommit || isChanged) check.committed();
    const writer = this.writer(changes);
    if (isCommit && writer !== null && writer !== pid)
      fault(`process ${pid} commits, and process ${writer} has the lease`);
  }

  /** Id of the process that has the lease. */
  private writer(changes: readonly TableChange[]): number | null {
    if (changes.some(({ table, key }) => table === 'meta' && key === LEASE_KEY)) return null;
    const record = this.pages!.get(this.view, 'meta', LEASE_KEY)?.text ?? '{}';
    return (JSON.parse(record) as { process?: { pid: number } }).process?.pid ?? null;
  }

  /** The record of what documents lack. */
  private recorded(): Merges | null {
    const meta = { get: (key: string) => this.pages!.get(this.view, 'meta', key)?.text };
    const mark = meta.get(UNAPPLIED_KEY);
    return mark === undefined ? null : intact(mark, meta as Environment['meta']);
  }
}

function placeOf(key: DocumentTableKey): string {
  return scratch.toString('latin1', 0, documentKeys.writeKey(key, scratch, 0));
}
