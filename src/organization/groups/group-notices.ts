import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_BULK_NEW_SUBSCRIPTION_MESSAGES } from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { mention } from '../messages/message-markup.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Tells people by a direct message that somebody else added them to a group, or removed them from it
 * (endpoints-groups.md#group-endpoints); bots are not told, and nobody is when they are too many to tell, as with
 * new subscriptions.
 */
export function postMembersNotice(
  tx: Transaction,
  markdown: Markdown,
  actor: UserDocument,
  group: GroupDocument,
  change: { readonly added: readonly number[]; readonly removed: readonly number[] },
): void {
  const { added, removed } = change;
  if (added.length + removed.length > MAX_BULK_NEW_SUBSCRIPTION_MESSAGES) return;
  const tell = (userIds: readonly number[], what: string) => {
    for (const userId of userIds) {
      const user = tx.org.users.get(userId)!;
      if (userId === actor.user_id || user.is_bot || !user.is_active) continue;
      const content = `${mention(actor)} ${what} the group @_*${group.name}*.`;
      sendNotice(tx, markdown, { users: [user] }, content);
    }
  };
  tell(added, 'added you to');
  tell(removed, 'removed you from');
}
