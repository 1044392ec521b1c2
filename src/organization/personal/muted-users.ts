import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_MUTED_USERS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { readMessagesFrom } from '../messages/mark-as-read.js';
import { canSeeUser } from '../access/user-access.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import type { Transaction } from '../state/transaction.js';
import { muteId } from '../state/collections/users.js';

/**
 * Mutes a user, bot or deactivated account (endpoints-users.md#muted-users-and-alert-words): present and later
 * messages from them count as read. Many messages are marked in parts; the event follows the first.
 * @throws ApiError
 */
export function* muteUser(
  change: PartedChange,
  user: UserDocument,
  mutedUserId: number,
): Parts<void> {
  const { org, tx } = change;
  if (mutedUserId === user.user_id) throw badRequest('Cannot mute self');
  const muted = org.users.get(mutedUserId);
  if (!muted || !canSeeUser(org, user, muted)) throw badRequest('No such user');
  if (org.mutedUsers.isMuted(user.user_id, mutedUserId)) throw badRequest('User already muted');
  if (org.mutedUsers.mutedBy(user.user_id).size >= MAX_MUTED_USERS) {
    throw badRequest(`You can mute at most ${MAX_MUTED_USERS} users.`);
  }
  // First, so that messages that arrive between two parts count as read too.
  org.mutedUsers.insert({
    user_id: user.user_id,
    muted_user_id: mutedUserId,
    timestamp: tx.seconds,
  });
  const reading = readMessagesFrom(change, user, mutedUserId);
  let part = reading.next();
  emitMutedUsers(tx, user);
  while (!part.done) part = reading.next(yield);
}

/** Unmutes a user; messages stay read. @throws ApiError */
export function unmuteUser(tx: Transaction, user: UserDocument, mutedUserId: number): void {
  const { org } = tx;
  if (!org.users.has(mutedUserId)) throw badRequest('No such user');
  if (!org.mutedUsers.isMuted(user.user_id, mutedUserId)) throw badRequest('User is not muted');
  org.mutedUsers.delete(muteId(user.user_id, mutedUserId));
  emitMutedUsers(tx, user);
}

function emitMutedUsers(tx: Transaction, { user_id }: UserDocument): void {
  const data = { muted_users: tx.org.mutedUsers.list(user_id) };
  tx.emit('muted_users', { to: 'users', users: [user_id] }, data);
}
