import type { UserDocument } from '../../schemas/documents/user.js';
import * as descriptors from '../../schemas/reactions.js';
import { badRequest } from '../errors.js';
import { MessageAccess } from '../organization/messages/access.js';
import type { Organization } from '../organization/organization.js';
import { addReaction, removeReaction } from '../organization/reactions.js';
import { handlePrepared, type AnyHandler } from './handler.js';
import { heldMessage, holdMessage } from './held-message.js';

/** `POST|DELETE /messages/{message_id}/reactions` (endpoints.md section B.5). */
export const reactionHandlers: readonly AnyHandler[] = [
  handlePrepared(
    descriptors.addReaction,
    (org, { user, params }) => load(org, user, params.message_id),
    (tx, { user, params }, held) => {
      checkOpen(tx.org, user, params.message_id);
      addReaction(tx, user, heldMessage(tx.org, held, params.message_id), params);
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
    (tx, { user, params }, held) => {
      checkOpen(tx.org, user, params.message_id);
      removeReaction(tx, user, heldMessage(tx.org, held, params.message_id), params);
      return {};
    },
  ),
];

async function load(org: Organization, user: UserDocument, id: number) {
  checkOpen(org, user, id);
  return holdMessage(org, id);
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
