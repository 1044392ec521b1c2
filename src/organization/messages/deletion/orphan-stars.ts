import type { Audience } from '../../../journal/entry.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';
import type { DeletionNotice } from './deletion-audience.js';

/**
 * Takes stars away from those who starred a message that goes and are not told that it goes: they may
 * not read its channel any more. Call it before the marks are forgotten.
 * @param ids of the messages that go
 * @param losses who is told of which of them
 */
export function takeOrphanStars(
  tx: Transaction,
  ids: readonly number[],
  losses: readonly DeletionNotice[],
): void {
  const { marks, users } = tx.org;
  const orphans = new Map<number, number[]>();
  for (const id of ids) {
    for (const userId of marks.usersOf(id)) {
      if (!marks.of(userId, id)!.starred || !users.active.has(userId)) continue;
      const told = losses.some(
        (loss) => reaches(tx.org, loss.audience, userId) && loss.ids.includes(id),
      );
      if (told) continue;
      const own = orphans.get(userId);
      if (own) own.push(id);
      else orphans.set(userId, [id]);
    }
  }
  for (const [userId, messages] of orphans) {
    const data = { op: 'remove', operation: 'remove', flag: 'starred', messages, all: false };
    tx.emit('update_message_flags', { to: 'users', users: [userId] }, data);
  }
}

function reaches({ subscriptions }: Organization, audience: Audience, userId: number): boolean {
  if (audience.to === 'users') return audience.users.includes(userId);
  if (audience.except?.includes(userId)) return false;
  if (audience.to === 'all' || audience.also?.includes(userId)) return true;
  return subscriptions.isSubscribed(userId, audience.channel);
}
