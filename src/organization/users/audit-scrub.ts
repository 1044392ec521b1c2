import type { AuditChange, AuditDocument } from '../../../schemas/realm/audit-document.js';
import type { Transaction } from '../state/transaction.js';
import { erasedName } from './erasure.js';

/** Records that one transaction rewrites at most; each has some kilobytes. */
const TOGETHER = 200;
/** Kinds of changes that are about a person. */
const PERSONAL: ReadonlySet<string> = new Set(['user', 'user_settings', 'bot']);

/**
 * Takes out of the audit log what it says of a person: the names and values of changes of their account and settings.
 * That something was changed, when and by whom stays, by number; so does what they changed of the organization.
 * @returns how many records; call it again until it is none
 */
export function scrubAudit({ org }: Transaction, userId: number): number {
  const name = erasedName(userId);
  const tells = ({ kind, id, ...change }: AuditChange): boolean =>
    PERSONAL.has(kind) &&
    id === userId &&
    (change.name !== name || change.fields.some((one) => one.old !== null || one.new !== null));
  const found: AuditDocument[] = [];
  for (const record of org.audit.values()) {
    if (record.changes.some(tells)) found.push(record);
    if (found.length === TOGETHER) break;
  }
  for (const record of found) {
    const changes = record.changes.map((change) => {
      if (!tells(change)) return change;
      const fields = change.fields.map((one) => ({ name: one.name, old: null, new: null }));
      return { ...change, name, fields };
    });
    org.audit.insert({ ...record, changes });
  }
  return found.length;
}
