import type { UserDocument } from '../../../schemas/users/user-document.js';
import { beginWaiting } from '../groups/full-members.js';
import type { Transaction } from '../state/transaction.js';
import { isoMinutes } from '../views/user-view.js';

/**
 * Notes that somebody has logged in: who has not before joins with it (specification-resources.md#user-profile-object:
 * `date_joined`), and is no stub of an import any more. Told as events-people.md#people says, "join date" and
 * "stub claimed"; later logins change nothing.
 */
export function recordLogin(tx: Transaction, user: UserDocument): void {
  const { awaits_first_login = false, is_imported_stub, user_id } = user;
  if (!awaits_first_login && !is_imported_stub) return;
  const tell = (change: Readonly<Record<string, unknown>>): void =>
    tx.emit('realm_user', { to: 'all' }, { op: 'update', person: { user_id, ...change } });
  beginWaiting(tx, user, () => {
    tx.org.users.update(user_id, {
      date_joined: tx.now,
      awaits_first_login: false,
      is_imported_stub: false,
    });
    const date_joined = isoMinutes(tx.now);
    if (date_joined !== isoMinutes(user.date_joined)) tell({ date_joined });
  });
  if (is_imported_stub) tell({ is_imported_stub: false });
}
