import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, nullable, oneOf, required, withDefault } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText } from '../text.js';

export const EXPORT_TYPES = ['public', 'full_with_consent'] as const;
export type ExportType = (typeof EXPORT_TYPES)[number];

/** An export of the organization (endpoints-organization.md#exports); its file is in the store of files, in parts. */
export const RealmExportDocument = Type.Object({
  id: Type.Integer(),
  acting_user_id: Type.Integer(),
  export_type: oneOf(...EXPORT_TYPES),
  /** UNIX seconds. */
  export_time: Type.Integer(),
  /** Unguessable: by it the file is kept. */
  token: Type.String(),
  /** The unguessable part of the file's address, once somebody who knew another ceased to be administrator; absent: `token`. */
  address: Type.Optional(Type.String()),
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

/* Exports of the organization (endpoints-organization.md#exports). */

const Moment = nullable(Type.Integer());

/** An export as administrators see it. */
export const RealmExport = Type.Object(
  {
    id: Type.Integer(),
    acting_user_id: Type.Integer(),
    export_time: Type.Integer(),
    export_type: oneOf(...EXPORT_TYPES),
    export_url: nullable(Type.String()),
    pending: Type.Boolean(),
    failed_timestamp: Moment,
    deleted_timestamp: Moment,
    export_from_prior_server: Type.Boolean(),
  },
  { ...exact, title: 'RealmExport' },
);

/** events-organization.md#other-organization: all exports there are. */
export const realmExportEvents = events(
  Type.Object({ type: Type.Literal('realm_export'), exports: Type.Array(RealmExport) }, exact),
);

export const getRealmExports = endpoint({
  operation: 'get-realm-exports',
  method: 'GET',
  path: '/export/realm',
  access: 'administrator',
  summary: 'List the exports of the organization',
  params: {},
  response: Type.Object({ exports: Type.Array(RealmExport) }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: [],
});

export const exportRealm = endpoint({
  operation: 'export-realm',
  method: 'POST',
  path: '/export/realm',
  access: 'administrator',
  summary: 'Export the organization',
  params: {
    export_type: withDefault(oneOf(...EXPORT_TYPES), 'public', {
      description:
        '`public`: people, groups, public channels and their messages. `full_with_consent`: also the private ' +
        'channels and direct messages of those who allow it (`allow_private_data_export`).',
    }),
  },
  response: Type.Object({ id: Type.Integer() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { export_type: 'public' },
  events: ['realm_export'],
});

export const deleteRealmExport = endpoint({
  operation: 'delete-realm-export',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  access: 'administrator',
  summary: 'Delete the file of an export',
  params: {
    export_id: required(Id, { description: 'Number of the export, from the list of exports.' }),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { export_id: 1 },
  events: ['realm_export'],
});

/** The file, at the root; anybody with the address may read it. */
export const exportFile = endpoint({
  operation: 'get-export-file',
  method: 'GET',
  path: '/exports/{token}/{filename}',
  access: 'anonymous',
  summary: 'Get the file of an export, by the address that only administrators receive',
  params: { token: required(ShortText), filename: required(ShortText) },
  response: Empty,
  errors: [],
  refusals: [404],
  example: { token: '9d5ed678fe57bcca610140957afab571', filename: 'parley-export-1.jsonl.gz' },
  events: [],
  atRoot: true,
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'get-export-file.token': 'The secret part of the address, which only administrators receive.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-realm-exports.exports': 'All exports, the oldest first.',
  'export-realm.id': ['Number of the export.', 1],
  'realm_export.exports': 'All exports there are, the oldest first.',
  'RealmExport.id': ['Number of the export.', 1],
  'RealmExport.acting_user_id': ['Who asked for it.', OWNER],
  'RealmExport.export_time': ['When it was asked for, UNIX seconds.', 1769853600],
  'RealmExport.export_type': 'What is in it.',
  'RealmExport.export_url': [
    'Address of the file; null while there is none. Whoever has it can fetch the file.',
    'https://chat.example.com/exports/9d5ed678fe57bcca610140957afab571/parley-export-1.jsonl.gz',
  ],
  'RealmExport.pending': 'Whether it is being made.',
  'RealmExport.failed_timestamp': ['When making it failed, UNIX seconds; else null.', null],
  'RealmExport.deleted_timestamp': ['When its file was deleted, UNIX seconds; else null.', null],
  'RealmExport.export_from_prior_server': 'Whether another server made it; always false.',
});
