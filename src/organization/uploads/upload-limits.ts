import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  MAX_ATTACHMENTS,
  MAX_UNCLAIMED_UPLOADS_MIB,
  UPLOAD_QUOTA_SHARES,
} from '../../../schemas/limits.js';
import {
  badRequest,
  unclaimedUploadsExceeded,
  uploadQuotaExceeded,
  uploadShareExceeded,
} from '../../errors.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';

const MIB = 1024 * 1024;

/** What all files of the organization may take, in MiB; null for no quota. */
export function uploadQuotaMib(org: Organization): number | null {
  return org.realm.current.upload_quota_mib ?? org.site.uploadQuotaMib ?? null;
}

/**
 * Whether one more file fits, with those that are on their way: into the organization's quota, into what one
 * person may have of it (a quarter, administrators all of it), and into what one person may have that no
 * message links.
 * @throws ApiError
 */
export function checkUploadFits(org: Organization, user: UserDocument, size: number): void {
  const { attachments } = org;
  const { user_id } = user;
  const more = size + attachments.reservations.of(user_id);
  if (attachments.unclaimedBytesOf(user_id) + more > MAX_UNCLAIMED_UPLOADS_MIB * MIB) {
    throw unclaimedUploadsExceeded(MAX_UNCLAIMED_UPLOADS_MIB);
  }
  const quota = uploadQuotaMib(org);
  if (quota !== null) {
    if (attachments.spaceUsed + attachments.reservations.total + size > quota * MIB) {
      throw uploadQuotaExceeded();
    }
    // Nobody is kept from sending what may be on its way.
    const share = Math.max(Math.floor(quota / UPLOAD_QUOTA_SHARES), MAX_UNCLAIMED_UPLOADS_MIB);
    if (!isAdministrator(user) && attachments.bytesOf(user_id) + more > share * MIB) {
      throw uploadShareExceeded(share);
    }
  }
  if (attachments.countOf(user_id) >= MAX_ATTACHMENTS) {
    throw badRequest(`You can have at most ${MAX_ATTACHMENTS} uploaded files.`);
  }
}
