import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { badRequest } from '../../../errors.js';
import type { Organization } from '../../state/organization.js';
import { allows } from '../../access/permissions.js';
import type { MessageSummary } from '../../state/message-index/message-index.js';

/**
 * Whether somebody may delete a message they can see (endpoints-messages.md#one-message): any one by the
 * organization's or the channel's right; their own and their bots', in time, by another.
 * @throws ApiError when they may not
 */
export function checkMayDelete(org: Organization, user: UserDocument, message: MessageSummary) {
  const realm = org.realm.current;
  const channel = org.channels.byRecipient(message.recipient_id);
  const has = (right: 'can_delete_any_message_group' | 'can_delete_own_message_group'): boolean =>
    allows(org, realm[right], user) || (channel !== undefined && allows(org, channel[right], user));
  if (has('can_delete_any_message_group')) return;
  if (!isOwn(org, user, message) || !has('can_delete_own_message_group')) {
    throw badRequest("You don't have permission to delete this message");
  }
  const limit = realm.message_content_delete_limit_seconds;
  if (limit !== null && org.now() / 1000 - message.timestamp > limit) {
    throw badRequest('The time limit for deleting this message has passed');
  }
}

/** Sent by the user, or by a bot of theirs. */
function isOwn(org: Organization, user: UserDocument, { sender_id }: MessageSummary): boolean {
  return sender_id === user.user_id || org.users.get(sender_id)?.bot_owner_id === user.user_id;
}
