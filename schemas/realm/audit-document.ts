import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { nullable, oneOf } from '../endpoint.js';
import { exact } from '../exact.js';

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
    action: oneOf('created', 'changed', 'removed'),
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
