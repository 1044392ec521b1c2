import type { Write } from '../../store/port.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { Organization } from '../state/organization.js';
import { lacksTwoFactor, twoFactorDemand } from './two-factor.js';

/** Collections of which a document decides about one person, by whose id it is kept. */
const OF_PERSON: ReadonlySet<string> = new Set(['user', 'two_factor']);

/**
 * Closes the streams and sockets of people from whom a second factor is demanded that they do not have: once an entry
 * that decides about it is durable, on the node that has them open. A new request of theirs is refused by itself.
 */
export function watchTwoFactor(
  org: Organization,
  queues: Pick<Queues, 'all' | 'closeSocketsOf'>,
): (changes: readonly Pick<Write, 'key'>[]) => void {
  const close = (userId: number): void => {
    const user = org.users.get(userId);
    if (user && lacksTwoFactor(org, user)) queues.closeSocketsOf(userId);
  };
  return (changes) => {
    if (changes.length === 0 || org.realm.size === 0 || twoFactorDemand(org) === 'nobody') return;
    for (const { key } of changes) {
      if (OF_PERSON.has(key.collection)) close(Number(key.id));
      else if (key.collection === 'realm') {
        const present = new Set<number>();
        for (const { userId } of queues.all()) present.add(userId);
        for (const userId of present) close(userId);
      }
    }
  };
}
