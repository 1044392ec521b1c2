import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { MessageAccess } from '../message-access.js';
import { intersectIds } from '../../state/message-index/intervals.js';
import type { Organization } from '../../state/organization.js';
import type { PropagateMode } from '../../topics/moved-topic.js';

/**
 * The messages that move with one: itself, its topic from there on, or all of its topic; only those the
 * user can see.
 * @returns ascending
 */
export function messagesToMove(
  org: Organization,
  user: UserDocument,
  messageId: number,
  mode: PropagateMode,
): readonly number[] {
  const topic = org.messages.index.topicOf(messageId);
  if (mode === 'change_one' || !topic) return [messageId];
  const visible = new MessageAccess(org, user).visible(topic.recipientId);
  const ids = intersectIds(topic.list, visible);
  return mode === 'change_all' ? ids : ids.filter((id) => id >= messageId);
}
