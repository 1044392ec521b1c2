import { type AuditDocument, getAuditLog } from '../../../schemas/realm/audit-log.js';
import { handle } from '../kernel/handler.js';

/** Who changed which setting (endpoints-organization.md#audit-log). */
export const auditLogHandler = handle(getAuditLog, ({ org }, { params }) => {
  const { records, isOldest } = org.audit.find(params);
  return { records: records.map(auditView), found_oldest: isOldest };
});

/** A record as owners see it. */
export function auditView({ at, ...record }: AuditDocument) {
  return { ...record, timestamp: Math.floor(at / 1000), changes: [...record.changes] };
}
