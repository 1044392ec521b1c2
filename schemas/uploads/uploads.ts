import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { FILE, MESSAGE } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText, text } from '../text.js';

/** Stored metadata of an uploaded file; its bytes are in the blob store. */
export const AttachmentDocument = Type.Object({
  id: Type.Integer(),
  /** Who uploaded it. */
  user_id: Type.Integer(),
  /** File name the uploader gave. */
  name: Type.String(),
  /** Path below `/user_uploads/`; unguessable. */
  path_id: Type.String(),
  /** Bytes. */
  size: Type.Integer(),
  /** SHA-256 of the bytes, base64url; absent where the file is older than checksums. Not on the wire. */
  sha256: Type.Optional(Type.String()),
  /** UNIX seconds. */
  create_time: Type.Integer(),
  /** Messages that link it, ascending. */
  message_ids: Type.Array(Type.Integer()),
  /** Removed messages that link it and may be restored, ascending: they keep the file too. Not on the wire. */
  archived_message_ids: Type.Optional(Type.Array(Type.Integer())),
  /** Properties of a picture; absent for files whose name is not that of a picture. Not on the wire. */
  image: Type.Optional(
    Type.Object({
      /** `pending`: its thumbnails are not made yet. `none`: it has none, because it cannot be decoded. */
      state: Type.Union([Type.Literal('pending'), Type.Literal('made'), Type.Literal('none')]),
      /** Of the picture as it is shown, pixels. */
      width: Type.Optional(Type.Integer()),
      height: Type.Optional(Type.Integer()),
      content_type: Type.Optional(Type.String()),
      /** Bytes of the thumbnail, and of the animated one, if it has one. */
      still: Type.Optional(Type.Integer()),
      moving: Type.Optional(Type.Integer()),
    }),
  ),
  /** When the last message that links it was removed, UNIX seconds; not on the wire. */
  released_at: Type.Optional(Type.Integer()),
});
export type AttachmentDocument = Static<typeof AttachmentDocument>;

/** The stored documents of `attachment`. */
export const attachmentCollection = collection('attachment', AttachmentDocument);

/** An uploaded file as its uploader sees it (events-personal.md#personal-data). */
export const AttachmentObject = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    path_id: Type.String(),
    size: Type.Integer(),
    create_time: Type.Integer(),
    message_ids: Type.Array(Type.Integer()),
  },
  { ...exact, title: 'Attachment' },
);

/** endpoints-files.md#files: the body is multipart with exactly one file, under any name. */
export const uploadFile = endpoint({
  operation: 'upload-file',
  method: 'POST',
  path: '/user_uploads',
  access: 'user',
  summary: 'Upload a file',
  params: {},
  response: Type.Object({ url: Type.String(), uri: Type.String(), filename: Type.String() }),
  errors: ['REALM_UPLOAD_QUOTA'],
  events: ['attachment'],
  file: 'required',
});

/** endpoints-files.md#files. */
export const getFileUrl = endpoint({
  operation: 'get-file-temporary-url',
  method: 'GET',
  path: '/user_uploads/{realm_id}/{path+}',
  access: 'user',
  summary: 'Get an address of an uploaded file that works without credentials for a minute',
  params: { realm_id: required(Id), path: required(ShortText) },
  response: Type.Object({ url: Type.String() }),
  errors: [],
  example: { realm_id: FILE.realm_id, path: FILE.file_path },
  refusals: [403, 404],
  events: [],
});

/** endpoints-files.md#files. */
export const getAttachments = endpoint({
  operation: 'get-attachments',
  method: 'GET',
  path: '/attachments',
  access: 'user',
  summary: 'Get the files you uploaded',
  params: {},
  response: Type.Object({
    attachments: Type.Array(AttachmentObject),
    upload_space_used: Type.Integer(),
  }),
  errors: [],
  events: [],
});

/** endpoints-files.md#files. */
export const removeAttachment = endpoint({
  operation: 'remove-attachment',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  access: 'user',
  summary: 'Delete a file you uploaded',
  params: { attachment_id: required(Id) },
  response: Empty,
  errors: [],
  example: { attachment_id: 1 },
  events: ['attachment'],
});

const BYTES = {
  method: 'GET',
  response: Empty,
  errors: [],
  events: [],
  atRoot: true,
} as const;

/** The bytes themselves, at the root, not below `/api/v1` (endpoints-files.md#files). */
export const fileBytes = endpoint({
  ...BYTES,
  operation: 'get-uploaded-file',
  path: '/user_uploads/{realm_id}/{file_path+}',
  access: 'user',
  summary: 'Get an uploaded file',
  params: { realm_id: required(Id), file_path: required(ShortText) },
  refusals: [403, 404, 416],
  example: FILE,
});

/** As above, to be saved and not shown. */
export const fileDownload = endpoint({
  ...BYTES,
  operation: 'download-uploaded-file',
  path: '/user_uploads/download/{realm_id}/{file_path+}',
  access: 'user',
  summary: 'Get an uploaded file to save it',
  params: { realm_id: required(Id), file_path: required(ShortText) },
  refusals: [403, 404, 416],
  example: FILE,
});

/** A small form of a picture, whose name is the last part of the path (message-formatting.md#previews). */
export const fileThumbnail = endpoint({
  ...BYTES,
  operation: 'get-thumbnail',
  path: '/user_uploads/thumbnail/{realm_id}/{file_path+}',
  access: 'user',
  summary: 'Get a thumbnail of an uploaded picture',
  params: { realm_id: required(Id), file_path: required(ShortText) },
  refusals: [403, 404],
  example: { ...FILE, file_path: `${FILE.file_path}/840x560.webp` },
});

/** What {@link getFileUrl} gives. */
export const temporaryFile = endpoint({
  ...BYTES,
  operation: 'get-temporary-file',
  path: '/user_uploads/temporary/{token}/{filename}',
  access: 'anonymous',
  summary: 'Get an uploaded file by an address that works for a minute',
  params: { token: required(text(500)), filename: required(ShortText) },
  refusals: [404, 416],
  example: { token: '4-1750000060-9d5ed678fe57bcca', filename: 'ghost.txt' },
});

const type = Type.Literal('attachment');
const upload_space_used = Type.Integer();

/** events-personal.md#personal-data: the user uploaded a file. */
export const attachmentAdded = Type.Object(
  { type, op: Type.Literal('add'), attachment: AttachmentObject, upload_space_used },
  exact,
);

/** events-personal.md#personal-data: messages began or ceased to link it. */
export const attachmentUpdated = Type.Object(
  { type, op: Type.Literal('update'), attachment: AttachmentObject, upload_space_used },
  exact,
);

/** events-personal.md#personal-data. */
export const attachmentRemoved = Type.Object(
  {
    type,
    op: Type.Literal('remove'),
    attachment: Type.Object({ id: Type.Integer() }, exact),
    upload_space_used,
  },
  exact,
);

/** All events of uploaded files. */
export const attachmentEvents = events(attachmentAdded, attachmentUpdated, attachmentRemoved);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  realm_id: 'First part of the file’s address: the number of the organization.',
  file_path: 'The rest of the file’s address below `/user_uploads/{realm_id}/`.',
  path: 'The rest of the file’s address below `/user_uploads/{realm_id}/`.',
  filename: 'File name for saving; the token selects the file.',
  'get-temporary-file.token': 'Proof in a temporary address, good for 60 seconds.',
  attachment_id: 'Id of an uploaded file of the caller.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'Attachment.id': ['Id of the file.', 1],
  'attachment.id': ['Id of the file that is gone.', 1],
  'Attachment.name': ['Name of the file, as it was uploaded.', 'ghost.txt'],
  path_id: ['Address of the file below `/user_uploads/`.', '1/4e/m2QxNGNlYTktMzU4NS00/ghost.txt'],
  size: ['Size of the file, in bytes.', 1024],
  create_time: ['When it was uploaded, UNIX seconds.', 1_750_000_000],
  'Attachment.message_ids': ['Messages that link the file, by id.', [MESSAGE]],
  attachments: 'Files of the caller.',
  upload_space_used: ['Size of all files of the organization, in bytes.', 1024],
  attachment: 'The file.',
  'upload-file.url': [
    'Address of the file, to be linked in a message.',
    '/user_uploads/1/4e/m2QxNGNlYTktMzU4NS00/ghost.txt',
  ],
  'upload-file.uri': ['Older name of `url`.', '/user_uploads/1/4e/m2QxNGNlYTktMzU4NS00/ghost.txt'],
  filename: ['Name of the file, cleaned of what cannot be in an address.', 'ghost.txt'],
  'get-file-temporary-url.url': [
    'Address that needs no credentials for 60 seconds.',
    '/user_uploads/temporary/4-1750000060-9d5ed678fe57bcca/ghost.txt',
  ],
});
