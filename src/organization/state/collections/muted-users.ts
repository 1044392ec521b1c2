import type { MutedUserDocument } from '../../../../schemas/personal/muted-user-document.js';
import { Collection, type Recorder } from '../collection.js';
import { toggle } from '../key-indexes.js';

export function idOf(userId: number, mutedUserId: number): string {
  return `${userId}:${mutedUserId}`;
}

const NOBODY: ReadonlySet<number> = new Set();

/** Which users muted which users, indexed by both. */
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

  /** The users that a user muted, in no particular order. */
  mutedBy(userId: number): ReadonlySet<number> {
    return this.mutedByUser.get(userId) ?? NOBODY;
  }

  /** The users who muted a user, in no particular order. */
  mutersOf(userId: number): ReadonlySet<number> {
    return this.mutersByUser.get(userId) ?? NOBODY;
  }

  /** The users that a user muted, with times, oldest first (`muted_users`). */
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
