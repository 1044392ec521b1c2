import { randomBytes } from '../../platform/randomness.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  badRequest,
  unclaimedUploadsExceeded,
  uploadQuotaExceeded,
  uploadShareExceeded,
} from '../../errors/index.js';
export { attachmentKey } from './media.js';
import { keysOf, mayHaveThumbnails } from './media.js';
import type { Transaction } from '../state/transaction.js';
import {
  MAX_ATTACHMENTS,
  MAX_UNCLAIMED_UPLOADS_MIB,
  UPLOAD_QUOTA_SHARES,
} from '../../../schemas/limits.js';
import type { PictureHead } from '../../services/pictures/picture-head.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';
import { newToken } from '../../services/auth/random-token.js';

/** Number of the organization in addresses of files. */
export const REALM_ID = 1;

/** Path of uploaded files. */
export const UPLOADS_PATH = '/user_uploads/';

/** A file as its uploader sees it (events-personal.md#personal-data). */
export function attachmentObject(attachment: AttachmentDocument) {
  const {
    user_id: _user,
    released_at: _released,
    archived_message_ids: _kept,
    image: _image,
    sha256: _sha256,
    ...shown
  } = attachment;
  return shown;
}

/** Address of a file, relative to the server. */
export function attachmentUrl({ path_id }: Pick<AttachmentDocument, 'path_id'>): string {
  return UPLOADS_PATH + path_id;
}

/** A new unguessable address that ends with a safe form of the file's name. */
export function newPathId(name: string): string {
  const group = randomBytes(1).toString('hex');
  return `${REALM_ID}/${group}/${newToken()}/${sanitizedName(name)}`;
}

/** Longest name in an address, UTF-16 units; the end is kept, because it has the extension. */
const MAX_NAME_LENGTH = 100;

/** A file name that is safe in an address: letters, digits, dots, dashes and underscores. */
export function sanitizedName(name: string): string {
  const safe = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{M}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
    .slice(-MAX_NAME_LENGTH)
    // Truncation may leave an unpaired surrogate.
    .replace(/\p{Cs}/gu, '');
  return /^\.{0,2}$/.test(safe) ? 'uploaded-file' : safe;
}

/** A stored file, and what its head says if it is a picture. */
export interface StoredFile extends Pick<
  AttachmentDocument,
  'name' | 'path_id' | 'size' | 'sha256'
> {
  readonly head?: PictureHead | undefined;
}

/** What is known of a picture whose thumbnails are to be made. */
function pendingImage(head: PictureHead | undefined): NonNullable<AttachmentDocument['image']> {
  if (!head) return { state: 'pending' };
  const { width, height, contentType } = head;
  return { state: 'pending', width, height, content_type: contentType };
}

/** Records a stored file and emits the event to its uploader. @throws ApiError */
export function addAttachment(
  tx: Transaction,
  user: UserDocument,
  { head, ...file }: StoredFile,
): AttachmentDocument {
  const { org } = tx;
  checkUploadFits(org, user, file.size);
  const attachment = org.attachments.insert({
    id: org.counters.next('attachment'),
    user_id: user.user_id,
    ...file,
    create_time: tx.seconds,
    message_ids: [],
    ...(mayHaveThumbnails(file.name) ? { image: pendingImage(head) } : {}),
  });
  emitAttachment(tx, 'add', attachment);
  if (attachment.image) tx.onceDurable(() => tx.hooks.thumbnailer?.add(attachment.id));
  return attachment;
}

/**
 * Deletes one of the user's files; messages keep their dead links.
 * @param remove removes the bytes once the deletion is durable
 * @throws ApiError `Invalid attachment`
 */
export function removeAttachment(
  tx: Transaction,
  user: UserDocument,
  id: number,
  remove: (key: string) => void,
): void {
  const { org } = tx;
  const attachment = org.attachments.get(id);
  if (!attachment || attachment.user_id !== user.user_id) throw badRequest('Invalid attachment');
  dropAttachment(tx, attachment, remove);
}

/**
 * Deletes a file and emits the event to its uploader.
 * @param remove removes the bytes once the deletion is durable
 */
export function dropAttachment(
  tx: Transaction,
  attachment: AttachmentDocument,
  remove: (key: string) => void,
): void {
  const { id, user_id } = attachment;
  const { attachments } = tx.org;
  attachments.delete(id);
  tx.emit(
    'attachment',
    { to: 'users', users: [user_id] },
    { op: 'remove', attachment: { id }, upload_space_used: attachments.spaceUsed },
  );
  tx.onceDurable(() => {
    for (const key of keysOf(attachment)) remove(key);
  });
}

/** Emits a new or changed file to its uploader. */
export function emitAttachment(
  tx: Transaction,
  op: 'add' | 'update',
  attachment: AttachmentDocument,
): void {
  const data = {
    op,
    attachment: attachmentObject(attachment),
    upload_space_used: tx.org.attachments.spaceUsed,
  };
  tx.emit('attachment', { to: 'users', users: [attachment.user_id] }, data);
}

const MIB = 1024 * 1024;

/** Upload quota of the organization, MiB; null for none. */
export function uploadQuotaMib(org: Organization): number | null {
  return org.realm.current.upload_quota_mib ?? org.site.uploadQuotaMib ?? null;
}

/**
 * Checks that one more file fits, together with those being stored: into the organization's quota, into one
 * user's share of it (a quarter; for administrators all of it), and into the limit of files that no message
 * links.
 * @throws ApiError
 */
export function checkUploadFits(org: Organization, user: UserDocument, size: number): void {
  const { attachments, resumableUploads } = org;
  const { user_id } = user;
  const more = size + attachments.reservations.of(user_id) + resumableUploads.reservedBy(user_id);
  if (attachments.unclaimedBytesOf(user_id) + more > MAX_UNCLAIMED_UPLOADS_MIB * MIB) {
    throw unclaimedUploadsExceeded(MAX_UNCLAIMED_UPLOADS_MIB);
  }
  const quota = uploadQuotaMib(org);
  if (quota !== null) {
    const reserved = attachments.reservations.total + resumableUploads.reserved;
    if (attachments.spaceUsed + reserved + size > quota * MIB) {
      throw uploadQuotaExceeded();
    }
    // The share is at least the limit of unlinked files.
    const share = Math.max(Math.floor(quota / UPLOAD_QUOTA_SHARES), MAX_UNCLAIMED_UPLOADS_MIB);
    if (!isAdministrator(user) && attachments.bytesOf(user_id) + more > share * MIB) {
      throw uploadShareExceeded(share);
    }
  }
  if (attachments.countOf(user_id) >= MAX_ATTACHMENTS) {
    throw badRequest(`You can have at most ${MAX_ATTACHMENTS} uploaded files.`);
  }
}
