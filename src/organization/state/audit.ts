import type { AuditChange, AuditDocument } from '../../../schemas/realm/audit-log.js';
import { MAX_AUDIT_RECORDS } from '../../../schemas/limits.js';
import { auditRecord, type AuditedChange, type Actor } from './audited.js';
import type { Organization } from './organization.js';

/** The part of a transaction that is recorded. */
interface ActorsTransaction {
  readonly org: Organization;
  /** Position of the transaction's entry. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly actor: Actor;
}

/** Whether somebody changes how they themselves see things: very frequent, and nobody else's business. */
function isOwnTaste({ collection, id }: AuditedChange, { user }: Actor): boolean {
  return collection === 'user_settings' && user?.user_id === id;
}

/** One change for each document, from what it was before the first change to what it is after the last. */
function byDocument(changes: readonly AuditedChange[]): AuditedChange[] {
  const byName = new Map<string, AuditedChange>();
  for (const change of changes) {
    const name = `${change.collection}:${change.id}`;
    const first = byName.get(name);
    byName.set(name, first ? { ...first, next: change.next } : change);
  }
  return [...byName.values()];
}

/**
 * Records what a transaction changed of settings, where it changed any, in the transaction, as its last work. The
 * oldest record goes where there are too many. The transaction that creates the organization is not recorded: nobody
 * acted.
 */
export function recordSettings(tx: ActorsTransaction): void {
  const { org, seq, now, actor } = tx;
  const others = org.unit.settings.filter((one) => !isOwnTaste(one, actor));
  if (others.length === 0) return;
  const changed = byDocument(others);
  if (changed.some((one) => one.collection === 'realm' && !one.previous)) return;
  const record = auditRecord(seq, now, actor, changed, (id) => org.users.get(id)?.full_name);
  if (record) insert(tx, record);
}

/** Records something that a transaction does and no document of settings shows; it changes none of these besides. */
export function recordAction(tx: ActorsTransaction, change: AuditChange): void {
  const { seq, now, actor } = tx;
  const by = { user_id: actor.user?.user_id ?? null, role: actor.user?.role ?? null };
  insert(tx, { id: seq, at: now, ...by, way: actor.way, changes: [change], left_out: 0 });
}

function insert({ org }: ActorsTransaction, record: AuditDocument): void {
  org.audit.insert(record);
  for (const id of org.audit.surplus(MAX_AUDIT_RECORDS)) org.audit.delete(id);
}
