import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

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
