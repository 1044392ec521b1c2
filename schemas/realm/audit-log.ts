import Type from 'typebox';
import { endpoint, nullable, oneOf, optional, withDefault } from '../endpoint.js';
import { exact } from '../exact.js';
import { MAX_AUDIT_PAGE } from '../limits.js';
import { AUDIT_KINDS, AUDIT_WAYS, AuditChange } from './audit-document.js';

/** A record as owners see it. */
const AuditRecord = Type.Object(
  {
    id: Type.Integer(),
    timestamp: Type.Integer(),
    user_id: nullable(Type.Integer()),
    role: nullable(Type.Integer()),
    way: oneOf(...AUDIT_WAYS),
    changes: Type.Array(AuditChange),
    left_out: Type.Integer(),
  },
  { ...exact, title: 'AuditRecord' },
);

/** endpoints-organization.md#audit-log. */
export const getAuditLog = endpoint({
  operation: 'get-audit-log',
  method: 'GET',
  path: '/realm/audit_log',
  access: 'owner',
  summary: 'Read who changed which setting, newest first',
  params: {
    before: optional(Type.Integer({ minimum: 1 })),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: MAX_AUDIT_PAGE }), 50),
    user_id: optional(Type.Integer({ minimum: 1 })),
    kind: optional(oneOf(...AUDIT_KINDS)),
    subject_id: optional(Type.Integer({ minimum: 0 })),
  },
  response: Type.Object({ records: Type.Array(AuditRecord), found_oldest: Type.Boolean() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { limit: 10 },
  events: [],
});
