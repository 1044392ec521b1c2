/** Changes of an organization that no process serves, each with the record of who made it. */
import type { AuditChange } from '../../../schemas/realm/audit-log.js';
import { positionOf } from '../../journal/entry-reading.js';
import { encodeEntry } from '../../journal/entry-text.js';
import type { DueChange, Lease, Store, Write } from '../../store/port.js';
import { auditRecord, OPERATOR } from './audited.js';

/** What a command of the operator changes in one journal entry. */
interface OfflineChange {
  readonly writes: readonly Write[];
  readonly due?: readonly DueChange[];
  /** What the audit log tells of it. */
  readonly told: readonly AuditChange[];
}

/** Commits a change of the operator as one journal entry without events, with its audit record. */
export async function commitOffline(
  store: Store,
  lease: Lease,
  now: number,
  { writes, due = [], told }: OfflineChange,
): Promise<void> {
  const last = await store.lastEntry();
  const position = last ? positionOf(last) : { seq: 0, span: 1 };
  const seq = position.seq + position.span;
  const record = auditRecord(seq, now, OPERATOR, told);
  const key = { collection: 'audit_record', id: String(seq) };
  const all: Write[] = [...writes];
  if (record) all.push({ op: 'set', key, document: record });
  const entry = encodeEntry(seq, now, { writes: all, events: [], due });
  await store.commit(lease, { entries: [entry], writes: all, due });
}
