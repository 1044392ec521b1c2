import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { endpoint, nullable, oneOf, optional, withDefault } from '../endpoint.js';
import { exact } from '../exact.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_AUDIT_PAGE } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';

/** What a change may be of (endpoints-organization.md#audit-log). */
export const AUDIT_KINDS = [
  'organization',
  'default_settings',
  'domain',
  'linkifier',
  'playground',
  'emoji',
  'profile_field',
  'channel_folder',
  'user',
  'user_settings',
  'bot',
  'channel',
  'group',
  'queue',
  'invitation',
  'invitation_link',
  'file',
  'message',
  'export',
  'mail',
  'backup',
  'server',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/**
 * By what way a change came: a request, a mailed link, a login by another service, the operator's command, or the
 * server itself.
 */
export const AUDIT_WAYS = ['api', 'link', 'login', 'operator', 'server'] as const;
export type AuditWay = (typeof AUDIT_WAYS)[number];

/** A field before and after; null where there was or is none, or the value is secret. */
const AuditField = Type.Object(
  { name: Type.String(), old: nullable(Type.String()), new: nullable(Type.String()) },
  { ...exact, title: 'AuditField' },
);
export type AuditField = Static<typeof AuditField>;

export const AuditChange = Type.Object(
  {
    kind: oneOf(...AUDIT_KINDS),
    /** Number of the thing; 0 for the organization and what it has one of; of a queue its user. */
    id: Type.Integer(),
    name: Type.String(),
    action: oneOf('created', 'changed', 'removed', 'done'),
    fields: Type.Array(AuditField),
  },
  { ...exact, title: 'AuditChange' },
);
export type AuditChange = Static<typeof AuditChange>;

/** What one transaction changed of settings. */
export const AuditDocument = Type.Object({
  /** Position of its journal entry. */
  id: Type.Integer(),
  /** Milliseconds since 1970. */
  at: Type.Integer(),
  /** The acting user; null: nobody who is logged in. */
  user_id: nullable(Type.Integer()),
  /** Their role then. */
  role: nullable(Type.Integer()),
  way: oneOf(...AUDIT_WAYS),
  changes: Type.Array(AuditChange),
  /** Changes of the same transaction that have no room. */
  left_out: Type.Integer(),
});
export type AuditDocument = Static<typeof AuditDocument>;

/** The stored documents of `audit_record`. */
export const auditCollection = collection('audit_record', AuditDocument);

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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'get-audit-log.before': ['Only records older than the one with this id.', 1200],
  'get-audit-log.limit': ['Maximum number of records, 1 to 200.', 50],
  'get-audit-log.user_id': 'Only what this user changed.',
  'get-audit-log.kind': 'Only records with a change of this kind.',
  'get-audit-log.subject_id': [
    'Only records with a change of the thing with this id; 0 is the organization.',
    0,
  ],
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  records: 'What was changed, the newest first.',
  'get-audit-log.found_oldest': 'Whether there are no older records.',
  'AuditRecord.id': ['Position of the change; increases.', 1200],
  'AuditRecord.timestamp': ['When it was changed, UNIX seconds.', 1769853600],
  'AuditRecord.user_id': [
    'User id of the author of the change; null if no user was logged in: see `way`.',
    OWNER,
  ],
  'AuditRecord.role': ['Their role then; null if no user was logged in.', 100],
  way: 'Origin of the change: `api` a request, `link` a mailed link, `login` a single sign-on login, `operator` a command on the server, `server` the server itself.',
  'AuditRecord.changes': 'What was changed, a thing each.',
  left_out: ['Number of further changes that are left out.', 0],
  'AuditChange.kind': 'Kind of the thing.',
  'AuditChange.id': ['Id of the thing; 0 for the organization and its default settings.', 0],
  'AuditChange.name': ['Its name then; empty where it has none.', 'Elsinore'],
  'AuditChange.action':
    'Whether the thing came, changed or went; `done`: something was done with it that changes no setting.',
  'AuditChange.fields': 'Fields that changed; none for what came or went.',
  'AuditField.name': ['Name of the setting.', 'invite_required'],
  'AuditField.old': [
    'Former value as JSON, at most 300 characters; for a list the removed entries. Null if there was none, or the value is secret.',
    'false',
  ],
  'AuditField.new': [
    'New value as JSON, at most 300 characters; for a list the added entries. Null if there is none, or the value is secret.',
    'true',
  ],
});
