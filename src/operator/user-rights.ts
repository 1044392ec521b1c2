import { wallTime } from '../platform/time.js';
import type { UserDocument, UserRight } from '../../schemas/users/user-document.js';
import type { Config } from '../config/config.js';
import { rightChange } from '../organization/access/permissions.js';
import { changesOf } from '../organization/state/audited.js';
import { commitOffline } from '../organization/state/audit.js';
import type { Store } from '../store/port.js';
import { rightSentence } from './admin/accounts.js';
import { askLeader } from './admin/admin-client.js';
import { withStoppedStore } from './stopped-store.js';

/** A change of a user's right. */
interface RightChange {
  /** Real address of a person or bot, in any case. */
  readonly email: string;
  readonly right: UserRight;
  readonly granted: boolean;
}

/**
 * `parley grant` and `parley revoke`: gives an account a right, or takes it, at the node that leads, or in a store
 * that nobody serves. One journal entry, without events: no client shows these rights.
 * @throws Error when the store is served from elsewhere, or has no such account
 */
export async function changeUserRight(
  place: Pick<Config, 'store' | 'state'>,
  change: RightChange,
  report: (line: string) => void,
): Promise<RightChange> {
  const { email, right, granted } = change;
  const command = granted ? 'grant' : 'revoke';
  const sentence = await askLeader(place, { command, args: [email.trim(), right], flags: {} });
  if (typeof sentence === 'string') {
    report(sentence);
    return { email: email.trim(), right, granted };
  }
  return withStoppedStore(place.store, async (store, { lease, still }) => {
    const user = await accountOf(store, email);
    await still();
    const next: UserDocument = { ...user, ...rightChange(right, granted) };
    const key = { collection: 'user', id: String(user.user_id) };
    const change = { collection: 'user', id: user.user_id, previous: user, next };
    await commitOffline(store, lease, wallTime(), {
      writes: [{ op: 'set', key, document: next }],
      told: changesOf([change], () => undefined),
    });
    report(rightSentence(user, right, granted));
    return { email: user.email, right, granted };
  });
}

/** The account with an address. @throws Error when there is none */
async function accountOf(store: Store, email: string): Promise<UserDocument> {
  const wanted = email.trim().toLowerCase();
  for await (const batch of store.scan('user')) {
    for (const { document } of batch) {
      const user = document as UserDocument;
      if (user.email.toLowerCase() === wanted && !user.is_system_bot) return user;
    }
  }
  throw new Error(`${store.description} has no account ${email}`);
}
