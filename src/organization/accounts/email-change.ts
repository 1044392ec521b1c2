import type { UserDocument } from '../../../schemas/users/user-document.js';
import { avatarForm, emailAudiences } from '../views/email-visibility.js';
import type { Transaction } from '../state/transaction.js';
import { apiEmail } from '../views/user-view.js';

/**
 * Gives an account another real address, already checked, with its events in the order of
 * events.md#order, "change e-mail": `delivery_email` to those who may see it; where the API e-mail changes
 * with it, the avatar form if the picture follows from the address, then `new_email`.
 */
export function changeEmail(tx: Transaction, user: UserDocument, email: string): UserDocument {
  if (user.email === email) return user;
  const { org } = tx;
  const { user_id } = user;
  const formerApiEmail = apiEmail(org, user);
  const changed = org.users.update(user_id, { email });
  tx.emit('realm_user', emailAudiences(org, changed).seeing, {
    op: 'update',
    person: { user_id, delivery_email: email },
  });
  const new_email = apiEmail(org, changed);
  if (new_email === formerApiEmail) return changed;
  if (changed.avatar_source === 'G') {
    tx.emit('realm_user', { to: 'all' }, { op: 'update', person: avatarForm(org, changed) });
  }
  tx.emit('realm_user', { to: 'all' }, { op: 'update', person: { user_id, new_email } });
  return changed;
}
