import type { UserDocument } from '../../../schemas/users/user-document.js';
import * as descriptors from '../../../schemas/messages/reactions.js';
import { badRequest } from '../../errors.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { Organization } from '../../organization/state/organization.js';
import { addReaction, removeReaction } from '../../organization/messages/reactions.js';
import { handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { pinnedMessage, pinMessage } from '../kernel/pinned-message.js';

/** `POST|DELETE /messages/{message_id}/reactions` (endpoints-flags.md#reactions). */
export const reactionHandlers: readonly AnyHandler[] = [
  handlePrepared(
    descriptors.addReaction,
    (org, { user, params }) => load(org, user, params.message_id),
    (tx, { user, params }, pinned) => {
      checkOpen(tx.org, user, params.message_id);
      addReaction(tx, user, pinnedMessage(tx.org, pinned, params.message_id), params);
      return {};
    },
  ),
  handlePrepared(
    descriptors.removeReaction,
    async (org, { user, params }) => {
      if (params.emoji_name === undefined && params.emoji_code === undefined) {
        throw badRequest(
          'At least one of the following arguments must be present: emoji_name, emoji_code',
        );
      }
      return load(org, user, params.message_id);
    },
    (tx, { user, params }, pinned) => {
      checkOpen(tx.org, user, params.message_id);
      removeReaction(tx, user, pinnedMessage(tx.org, pinned, params.message_id), params);
      return {};
    },
  ),
];

async function load(org: Organization, user: UserDocument, id: number) {
  checkOpen(org, user, id);
  return pinMessage(org, id);
}

/** @throws ApiError for a message that is not there, not visible, or in an archived channel */
function checkOpen(org: Organization, user: UserDocument, id: number): void {
  const topic = org.messages.index.topicOf(id);
  // Archived channels can be read, not changed.
  const archived = topic && org.channels.byRecipient(topic.recipientId)?.is_archived;
  if (!topic || archived || !new MessageAccess(org, user).canSee(id)) {
    throw badRequest('Invalid message(s)');
  }
}
