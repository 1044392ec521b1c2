/** `parley audit`: who changed which setting. */
import {
  AUDIT_KINDS,
  type AuditChange,
  type AuditDocument,
} from '../../../schemas/realm/audit-log.js';
import { badRequest } from '../../errors/index.js';
import type { AdminNode, AdminRequest } from './admin-request.js';
import { accountOf } from './accounts.js';
import { numberFrom } from './top.js';

/** Records shown where no number is given. */
const ROWS = 50;
/** Most: a screenful of screens; scripts page by the endpoint. */
const MOST_ROWS = 10_000;

/** The newest records that fit, oldest first, as a terminal shows them best. */
export function auditRows(node: AdminNode, { flags }: AdminRequest): unknown[] {
  const { org } = node.served;
  const kind = AUDIT_KINDS.find((one) => one === flags['kind']);
  if (flags['kind'] !== undefined && !kind) {
    throw badRequest(`A kind is one of ${AUDIT_KINDS.join(', ')}`);
  }
  const limit = numberFrom(flags['count'], 'count', ROWS, MOST_ROWS);
  const by = typeof flags['user'] === 'string' ? accountOf(node, flags['user']).user_id : undefined;
  const { records } = org.audit.find({
    limit,
    ...(by === undefined ? {} : { user_id: by }),
    ...(kind ? { kind } : {}),
  });
  return records.reverse().map((record) => ({
    id: record.id,
    at: new Date(record.at).toISOString(),
    by: actorName(node, record),
    what: whatText(record),
  }));
}

function actorName({ served }: AdminNode, { user_id, way }: AuditDocument): string {
  if (user_id === null) return way === 'api' ? 'no account' : way;
  return served.org.users.get(user_id)?.email ?? String(user_id);
}

function whatText({ changes, left_out }: AuditDocument): string {
  const told = changes.map(changeText);
  return [...told, ...(left_out > 0 ? [`and ${left_out} more`] : [])].join('; ');
}

function changeText({ kind, id, name, action, fields }: AuditChange): string {
  const thing = [kind, ...(id === 0 ? [] : [id]), ...(name === '' ? [] : [name])].join(' ');
  if (action !== 'changed') return `${thing} ${action}`;
  const values = fields.map((field) =>
    field.old === null && field.new === null
      ? field.name
      : `${field.name} ${field.old ?? 'none'} → ${field.new ?? 'none'}`,
  );
  return `${thing}: ${values.join(', ')}`;
}
