/* Uploaded files of everybody, and the quota (endpoints-organization.md#console). */
import Type from 'typebox';
import { Empty, endpoint, Id, nullable, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL } from '../limits.js';

/** People, and files, that one reply lists. */
export const CONSOLE_FILES = 100;

const Count = Type.Integer({ minimum: 0 });

const FilesOfPerson = Type.Object(
  { user_id: Id, files: Count, bytes: Count },
  { ...exact, title: 'FilesOfPerson' },
);
const LargeFile = Type.Object(
  {
    id: Id,
    name: Type.String(),
    user_id: Id,
    bytes: Count,
    created_at: Count,
    messages: Count,
  },
  { ...exact, title: 'LargeFile' },
);

const path = '/realm/console/files';
const SHARED = { access: 'human-administrator', errors: [], level: FEATURE_LEVEL } as const;

export const getFilesUsage = endpoint({
  ...SHARED,
  operation: 'get-files-usage',
  method: 'GET',
  path,
  summary: 'Get how much room uploaded files take',
  params: {},
  response: Type.Object({
    used_bytes: Count,
    quota_bytes: nullable(Count),
    file_count: Count,
    people: Type.Array(FilesOfPerson, { maxItems: CONSOLE_FILES }),
    largest: Type.Array(LargeFile, { maxItems: CONSOLE_FILES }),
  }),
  events: [],
});

export const deleteAnyFile = endpoint({
  ...SHARED,
  operation: 'delete-any-file',
  method: 'DELETE',
  path: `${path}/{attachment_id}`,
  summary: 'Delete a file that anybody uploaded',
  params: { attachment_id: required(Id, { description: 'Id of an uploaded file.' }) },
  response: Empty,
  example: { attachment_id: 1 },
  note: 'Messages keep their dead links.',
  events: ['attachment'],
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  used_bytes: ['Size of all files.', 1024],
  quota_bytes: ['What they may take; null: as much as there is.', 5_368_709_120],
  file_count: ['How many there are.', 1],
  people: 'The 100 people whose files take most, the largest sum first.',
  largest: 'The 100 largest files, the largest first.',
  'FilesOfPerson.user_id': ['Who uploaded them.', OWNER],
  files: ['How many.', 1],
  'FilesOfPerson.bytes': ['Their size together.', 1024],
  'LargeFile.id': ['Id of the file.', 1],
  'LargeFile.name': ['Name of the file, as it was uploaded.', 'ghost.txt'],
  'LargeFile.user_id': ['Who uploaded it.', OWNER],
  'LargeFile.bytes': ['Its size.', 1024],
  'LargeFile.created_at': ['When it was uploaded, milliseconds since 1970.', 1_750_000_000_000],
  'LargeFile.messages': ['How many messages link it.', 1],
});
