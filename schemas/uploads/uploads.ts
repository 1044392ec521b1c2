import Type from 'typebox';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { ShortText, text } from '../text.js';
import { FILE } from '../example-values.js';

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
