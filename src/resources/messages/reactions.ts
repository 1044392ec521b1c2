import * as descriptors from '../../../schemas/messages/reactions.js';
import { badRequest } from '../../errors/index.js';
import { addReaction, removeReaction } from '../../organization/messages/reactions.js';
import { handlePinned, type AnyHandler } from '../kernel/handler.js';
import { pinnedMessage, releasePinned } from '../kernel/pinned-message.js';
import { checkOpen, loadOpen } from './visible-message.js';

/** `POST|DELETE /messages/{message_id}/reactions` (endpoints-flags.md#reactions). */
export const reactionHandlers: readonly AnyHandler[] = [
  handlePinned(
    descriptors.addReaction,
    (org, { user, params }) => loadOpen(org, user, params.message_id),
    (tx, { user, params }, pinned) => {
      checkOpen(tx.org, user, params.message_id);
      addReaction(tx, user, pinnedMessage(tx.org, pinned, params.message_id), params);
      return {};
    },
    releasePinned,
  ),
  handlePinned(
    descriptors.removeReaction,
    async (org, { user, params }) => {
      if (params.emoji_name === undefined && params.emoji_code === undefined) {
        throw badRequest(
          'At least one of the following arguments must be present: emoji_name, emoji_code',
        );
      }
      return loadOpen(org, user, params.message_id);
    },
    (tx, { user, params }, pinned) => {
      checkOpen(tx.org, user, params.message_id);
      removeReaction(tx, user, pinnedMessage(tx.org, pinned, params.message_id), params);
      return {};
    },
    releasePinned,
  ),
];
