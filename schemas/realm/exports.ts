/** Exports of the organization (endpoints-organization.md#exports). */
import Type from 'typebox';
import { Empty, endpoint, Id, nullable, oneOf, required, withDefault } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { ShortText } from '../text.js';
import { EXPORT_TYPES } from './export-document.js';

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
