import type { AttachmentDocument } from '../../../schemas/uploads/attachment-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../state/organization.js';
import { MessageAccess } from './message-access.js';

/** Whether somebody may have the file: its uploader, and whoever may see a message that links it. */
export function mayFetch(
  org: Organization,
  user: UserDocument,
  attachment: AttachmentDocument,
): boolean {
  if (attachment.user_id === user.user_id) return true;
  const access = new MessageAccess(org, user);
  return attachment.message_ids.some((id) => access.canSee(id));
}
