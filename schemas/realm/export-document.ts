import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { nullable, oneOf } from '../endpoint.js';

export const EXPORT_TYPES = ['public', 'full_with_consent'] as const;
export type ExportType = (typeof EXPORT_TYPES)[number];

/** An export of the organization (endpoints-organization.md#exports); its file is in the store of files, in parts. */
export const RealmExportDocument = Type.Object({
  id: Type.Integer(),
  acting_user_id: Type.Integer(),
  export_type: oneOf(...EXPORT_TYPES),
  /** UNIX seconds. */
  export_time: Type.Integer(),
  /** Unguessable part of the file's address. */
  token: Type.String(),
  pending: Type.Boolean(),
  /** UNIX seconds. */
  failed_timestamp: nullable(Type.Integer()),
  /** UNIX seconds. */
  deleted_timestamp: nullable(Type.Integer()),
  /** Bytes of each part of the file, in order. */
  parts: Type.Array(Type.Integer()),
});
export type RealmExportDocument = Static<typeof RealmExportDocument>;

/** The stored documents of `realm_export`. */
export const realmExportCollection = collection('realm_export', RealmExportDocument);
