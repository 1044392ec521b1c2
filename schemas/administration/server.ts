/* What administrators have the server do (endpoints-organization.md#console). */
import Type from 'typebox';
import { Empty, endpoint, Id, nullable, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText, text } from '../text.js';

const SHARED = { errors: [], events: [], level: FEATURE_LEVEL } as const;

export const makeBackup = endpoint({
  ...SHARED,
  operation: 'make-backup',
  method: 'POST',
  path: '/realm/console/backups',
  access: 'human-administrator',
  summary: 'Make a backup now',
  params: {},
  response: Empty,
  note: 'The reply comes when the backup has begun; the console tells when it is there.',
});

export const linkBackup = endpoint({
  ...SHARED,
  operation: 'link-backup',
  method: 'POST',
  path: '/realm/console/backups/link',
  access: 'human-owner',
  summary: 'Get an address of a backup that works without credentials for a minute',
  params: { backup: required(ShortText) },
  response: Type.Object({ backup_url: Type.String() }),
  example: { backup: 'parley-2026-11-27T03-30-00-000Z.jsonl' },
  note: 'A backup has everything that people wrote, and the hashes of their passwords.',
});

/** What {@link linkBackup} gives, at the root. */
export const backupFile = endpoint({
  ...SHARED,
  operation: 'get-backup-file',
  method: 'GET',
  path: '/backups/{token}/{filename}',
  access: 'anonymous',
  summary: 'Get a backup by an address that works for a minute',
  params: { token: required(text(500)), filename: required(ShortText) },
  response: Empty,
  refusals: [404],
  example: { token: 'c2VhbGVk', filename: 'parley-2026-11-27T03-30-00-000Z.jsonl' },
  atRoot: true,
});

const TriedService = Type.Object(
  { service: Type.String(), fault: nullable(Type.String()) },
  { ...exact, title: 'TriedService' },
);

export const tryServices = endpoint({
  ...SHARED,
  operation: 'try-services',
  method: 'POST',
  path: '/realm/console/services/try',
  access: 'human-administrator',
  summary: 'Try whether mail server, directory and login providers answer',
  params: {},
  response: Type.Object({ services: Type.Array(TriedService) }),
});

export const publishTestEvent = endpoint({
  ...SHARED,
  operation: 'publish-test-event',
  method: 'POST',
  path: '/realm/console/test_event',
  access: 'human-administrator',
  summary: 'Send an event that changes nothing',
  params: { user_id: optional(Id, { example: OWNER }) },
  response: Type.Object({ journal_position: Type.Integer(), queues: Type.Integer({ minimum: 0 }) }),
  note: 'It tells the name of the organization again. The console shows in its journal which queues took it.',
  events: ['realm'],
});

export const makeSupportBundle = endpoint({
  ...SHARED,
  operation: 'make-support-bundle',
  method: 'POST',
  path: '/realm/console/support_bundle',
  access: 'human-administrator',
  summary: 'Make a file for whoever helps with the server',
  params: {},
  response: Type.Object({ bundle: Type.String() }),
  note: 'It has no secrets, no addresses and nothing that people wrote; that of an owner tells from the audit log who changed what.',
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  backup: 'Name of a backup, from the list of the console.',
  'publish-test-event.user_id': 'Whose queues get it; absent: those of everybody.',
  'get-backup-file.token': 'Proof in the address, good for a minute.',
  'get-backup-file.filename': 'File name for saving; the token selects the backup.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  backup_url: [
    'Address of the backup, for a minute. Whoever has it can fetch the backup.',
    '/backups/c2VhbGVk/parley-2026-11-27T03-30-00-000Z.jsonl',
  ],
  'try-services.services': 'Each service that is configured.',
  service: ['What was tried, without credentials.', 'the directory'],
  fault: [
    'The option that names it and why it cannot be used; null where it answers.',
    '--ldap: connect ECONNREFUSED 192.0.2.1:389',
  ],
  journal_position: ['Position of the event in the journal.', 20_480],
  'publish-test-event.queues': ['Queues of these people that are there.', 3],
  bundle: ['Text of the file, JSON.', '{}'],
});
