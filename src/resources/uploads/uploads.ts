import * as descriptors from '../../../schemas/uploads/uploads.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, fileForbidden, fileNotFound } from '../../errors/index.js';
import {
  addAttachment,
  attachmentKey,
  attachmentObject,
  attachmentUrl,
  removeAttachment,
  sanitizedName,
  UPLOADS_PATH,
} from '../../organization/uploads/attachments.js';
import { storeUpload } from '../../organization/uploads/store-upload.js';
import { mayFetch } from '../../organization/messages/attachment-links.js';
import type { Organization } from '../../organization/state/organization.js';
import type { FileLinks } from '../../services/auth/file-links.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { onlyFile, removeBlobs, type PictureParts } from '../users/picture-upload.js';

/** Dependencies of the upload endpoints. */
export interface UploadParts extends Pick<PictureParts, 'blobs' | 'onBlobError'> {
  readonly fileLinks: FileLinks;
}

/** Uploaded files (endpoints-files.md#files); the HTTP layer serves their bytes. */
export function uploadHandlers(parts: UploadParts): readonly AnyHandler[] {
  const remove = (keys: readonly string[]): void => removeBlobs(parts, keys);
  return [
    handlePrepared(
      descriptors.uploadFile,
      async (org, request) => {
        const file = onlyFile(request);
        if (!file) throw badRequest('You must specify a file to upload');
        return storeUpload(org, parts.blobs, request.user, file, remove);
      },
      (tx, { user }, { file, release }) => {
        release();
        const url = attachmentUrl(addAttachment(tx, user, file));
        return { url, uri: url, filename: file.name };
      },
      ({ file, release }) => {
        release();
        remove([attachmentKey(file)]);
      },
    ),
    handle(descriptors.getFileUrl, ({ org, now }, { user, params }) => {
      const attachment = fileAt(org, user, params.realm_id, params.path);
      const token = parts.fileLinks.sign(attachment.id, now);
      const name = encodeURIComponent(sanitizedName(attachment.name));
      return { url: `${UPLOADS_PATH}temporary/${token}/${name}` };
    }),
    handle(descriptors.getAttachments, ({ org }, { user }) => ({
      attachments: org.attachments.of(user.user_id).map(attachmentObject),
      upload_space_used: org.attachments.spaceUsed,
    })),
    handle(descriptors.removeAttachment, (tx, { user, params }) => {
      removeAttachment(tx, user, params.attachment_id, (key) => remove([key]));
      return {};
    }),
  ];
}

/**
 * The file at a path, if the user may read it.
 * @throws ApiError 404 when it does not exist, 403 when the user may not read it
 */
export function fileAt(
  org: Organization,
  user: UserDocument,
  realmId: number,
  path: string,
): AttachmentDocument {
  const attachment = org.attachments.byPath(`${realmId}/${path}`);
  if (!attachment) throw fileNotFound();
  if (!mayFetch(org, user, attachment)) throw fileForbidden();
  return attachment;
}
