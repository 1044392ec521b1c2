import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { PinnedMessages } from '../../organization/state/message-index/message-documents.js';
import type { Organization } from '../../organization/state/organization.js';
import { pinMessage } from '../kernel/pinned-message.js';

/**
 * Refuses a message to which the caller can add nothing.
 * @throws ApiError for a message that is not there, not visible, or in an archived channel
 */
export function checkOpen(org: Organization, user: UserDocument, id: number): void {
  const topic = org.messages.index.topicOf(id);
  // Archived channels can be read, not changed.
  const archived = topic && org.channels.byRecipient(topic.recipientId)?.is_archived;
  if (!topic || archived || !new MessageAccess(org, user).canSee(id)) {
    throw badRequest('Invalid message(s)');
  }
}

/** Loads the document of a message to which something is added in the transaction that follows. @throws ApiError */
export async function loadOpen(
  org: Organization,
  user: UserDocument,
  id: number,
): Promise<PinnedMessages> {
  checkOpen(org, user, id);
  return pinMessage(org, id);
}
