import type { MutedUserDocument } from '../../schemas/documents/muted-user.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import { MAX_MUTED_USERS } from '../../schemas/limits.js';
import { badRequest } from '../errors.js';
import { Collection, type Recorder } from './collection.js';
import { readMessagesFrom } from './messages/mark-as-read.js';
import type { Organization } from './organization.js';
import type { PartedChange, Parts } from './parted-change.js';
import { toggle } from './sets-by-key.js';
import type { Transaction } from './transaction.js';

const NOBODY: ReadonlySet<number> = new Set();

/** Who does not want to hear of whom, found from both sides. */
export class MutedUserCollection extends Collection<string, MutedUserDocument> {
  private readonly mutedByUser = new Map<number, Set<number>>();
  private readonly mutersByUser = new Map<number, Set<number>>();

  constructor(recorder: Recorder) {
    super('muted_user', recorder, ({ user_id, muted_user_id }) => idOf(user_id, muted_user_id));
  }

  /** Whether the first user muted the second. */
  isMuted(userId: number, mutedUserId: number): boolean {
    return this.mutersByUser.get(mutedUserId)?.has(userId) ?? false;
  }

  /** Whom a user muted, in no particular order. */
  mutedBy(userId: number): ReadonlySet<number> {
    return this.mutedByUser.get(userId) ?? NOBODY;
  }

  /** Who muted a user, in no particular order. */
  mutersOf(userId: number): ReadonlySet<number> {
    return this.mutersByUser.get(userId) ?? NOBODY;
  }

  /** Whom a user muted and when, oldest first (`muted_users`). */
  list(userId: number): { id: number; timestamp: number }[] {
    return [...this.mutedBy(userId)]
      .map((id) => ({ id, timestamp: this.get(idOf(userId, id))!.timestamp }))
      .sort((a, b) => a.timestamp - b.timestamp || a.id - b.id);
  }

  protected override reindex(previous?: MutedUserDocument, next?: MutedUserDocument): void {
    const { user_id, muted_user_id } = (next ?? previous)!;
    toggle(this.mutedByUser, user_id, muted_user_id, next !== undefined);
    toggle(this.mutersByUser, muted_user_id, user_id, next !== undefined);
  }
}

function idOf(userId: number, mutedUserId: number): string {
  return `${userId}:${mutedUserId}`;
}

/**
 * Mutes somebody (endpoints.md section C.5): their messages are read, those there are and those to come.
 * Bots and deactivated accounts can be muted, too. Many messages are read in parts, after the first of which the user
 * is told.
 * @throws ApiError
 */
export function* muteUser(
  change: PartedChange,
  user: UserDocument,
  mutedUserId: number,
): Parts<void> {
  const { org, tx } = change;
  if (mutedUserId === user.user_id) throw badRequest('Cannot mute self');
  assertExists(org, mutedUserId);
  if (org.mutedUsers.isMuted(user.user_id, mutedUserId)) throw badRequest('User already muted');
  if (org.mutedUsers.mutedBy(user.user_id).size >= MAX_MUTED_USERS) {
    throw badRequest(`You can mute at most ${MAX_MUTED_USERS} users.`);
  }
  // First: what comes between two parts is read then, too.
  org.mutedUsers.insert({
    user_id: user.user_id,
    muted_user_id: mutedUserId,
    timestamp: tx.seconds,
  });
  const reading = readMessagesFrom(change, user, mutedUserId);
  let part = reading.next();
  tell(tx, user);
  while (!part.done) part = reading.next(yield);
}

/** Unmutes somebody; what was read stays so. @throws ApiError */
export function unmuteUser(tx: Transaction, user: UserDocument, mutedUserId: number): void {
  const { org } = tx;
  assertExists(org, mutedUserId);
  if (!org.mutedUsers.isMuted(user.user_id, mutedUserId)) throw badRequest('User is not muted');
  org.mutedUsers.delete(idOf(user.user_id, mutedUserId));
  tell(tx, user);
}

function assertExists(org: Organization, userId: number): void {
  if (!org.users.has(userId)) throw badRequest('No such user');
}

function tell(tx: Transaction, { user_id }: UserDocument): void {
  const data = { muted_users: tx.org.mutedUsers.list(user_id) };
  tx.emit('muted_users', { to: 'users', users: [user_id] }, data);
}
