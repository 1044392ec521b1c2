import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, required } from '../endpoint.js';
import { text } from '../text.js';

/** A file that arrives in pieces; its bytes so far are in the blob store (endpoints-files.md#resumable-uploads). */
export const ResumableUploadDocument = Type.Object({
  /** Unguessable; the last part of the upload's address. */
  id: Type.String(),
  /** Who uploads it. */
  user_id: Type.Integer(),
  /** Displayed name of the file. */
  name: Type.String(),
  /** Path of the file below `/user_uploads/`, fixed when the upload began. */
  path_id: Type.String(),
  /** `Upload-Metadata` as the client sent it; empty without. */
  metadata: Type.String(),
  /** Announced length, bytes. */
  size: Type.Integer(),
  /** Bytes that are stored. */
  offset: Type.Integer(),
  /** UNIX seconds; afterwards the upload is gone. */
  expires_at: Type.Integer(),
  /** The file is complete and has its `attachment`. */
  is_finished: Type.Boolean(),
});
export type ResumableUploadDocument = Static<typeof ResumableUploadDocument>;

/** The stored documents of `resumable_upload`. */
export const resumableUploadCollection = collection('resumable_upload', ResumableUploadDocument);

const TUS = { access: 'user', response: Empty, errors: [], events: [] } as const;
const ONE = { path: '/tus/{upload_id}', params: { upload_id: required(text(100)) } } as const;

/**
 * The endpoints of the tus protocol 1.0.0. They answer by its headers and statuses, not by the envelope of the API, so
 * the published document does not have them; endpoints-files.md#resumable-uploads has.
 */
export const tus = {
  create: endpoint({
    ...TUS,
    operation: 'create-resumable-upload',
    method: 'POST',
    path: '/tus/',
    summary: 'Begin an upload',
    params: {},
    events: ['attachment'],
  }),
  /** Clients ask by HEAD. */
  state: endpoint({
    ...TUS,
    ...ONE,
    operation: 'get-resumable-upload',
    method: 'GET',
    summary: 'Ask how much of an upload is stored',
  }),
  write: endpoint({
    ...TUS,
    ...ONE,
    operation: 'write-resumable-upload',
    method: 'PATCH',
    summary: 'Send bytes of an upload',
    events: ['attachment'],
  }),
  end: endpoint({
    ...TUS,
    ...ONE,
    operation: 'end-resumable-upload',
    method: 'DELETE',
    summary: 'Give up an upload',
  }),
  /** For networks that pass on no PATCH and DELETE. */
  override: endpoint({
    ...TUS,
    ...ONE,
    operation: 'override-resumable-upload',
    method: 'POST',
    summary: 'Do what `X-HTTP-Method-Override` names',
    events: ['attachment'],
  }),
};
