import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored facts of an uploaded file; its bytes are kept elsewhere. */
export const AttachmentDocument = Type.Object({
  id: Type.Integer(),
  /** Who uploaded it. */
  user_id: Type.Integer(),
  /** As the uploader named it. */
  name: Type.String(),
  /** What follows `/user_uploads/` in its address; nobody can guess it. */
  path_id: Type.String(),
  /** Bytes. */
  size: Type.Integer(),
  /** UNIX seconds. */
  create_time: Type.Integer(),
  /** Messages that link it, ascending. */
  message_ids: Type.Array(Type.Integer()),
  /** Messages that linked it and may be restored, ascending: they keep it too. Clients do not see it. */
  archived_message_ids: Type.Optional(Type.Array(Type.Integer())),
  /** When the last of them ceased to, UNIX seconds; clients do not see it. */
  released_at: Type.Optional(Type.Integer()),
});
export type AttachmentDocument = Static<typeof AttachmentDocument>;

/** The stored documents of `attachment`. */
export const attachmentCollection = collection('attachment', AttachmentDocument);
