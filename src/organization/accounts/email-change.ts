import type { UserDocument } from '../../../schemas/users/user-document.js';
import { verified } from './password-reset.js';
import { badRequest } from '../../errors/index.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { addressFault, takenFault } from './account-checks.js';
import {
  createConfirmation,
  credentialsOf,
  linkExpired,
  openConfirmation,
} from '../mail/confirmations.js';
import { queueMail } from '../mail/delivery.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { emailAudiences, emitEmailChange, emitUserUpdate } from '../views/user-events.js';
import { apiEmail } from '../views/user-view.js';

/**
 * Checks that a user may change their address to this one (endpoints-invitations.md#email-change).
 * @throws ApiError (errors-by-endpoint.md#by-endpoint, settings)
 */
export function checkNewAddress(org: Organization, user: UserDocument, email: string): void {
  if (org.realm.current.email_changes_disabled && !isAdministrator(user)) {
    throw badRequest('Email address changes are disabled in this organization.');
  }
  const fault = addressFault(org, email) ?? takenFault(org, email)?.reason;
  if (fault !== undefined) throw badRequest(fault);
}

/** Mails a confirmation link to a user's new address, already checked; earlier links become invalid. */
export function requestAddressChange(
  tx: Transaction,
  keys: LinkKeys,
  user: UserDocument,
  new_email: string,
): void {
  const { user_id, email: old_email } = user;
  forgetRequests(tx, user_id);
  const link = keys.create();
  const credentials = credentialsOf(user);
  createConfirmation(tx, link, {
    kind: 'email_change',
    user_id,
    old_email,
    new_email,
    credentials,
  });
  const { nonce } = link;
  queueMail(tx, new_email, { kind: 'confirm_new_email', nonce, old_email, new_email });
}

/**
 * Changes the address that a key confirms, and mails the former address.
 * @throws ApiError 404 for a link that is invalid or older than the credentials; 400 when the address is no
 *   longer allowed
 */
export function confirmAddressChange(tx: Transaction, key: string): UserDocument {
  const { org } = tx;
  const link = openConfirmation(org, key, 'email_change', tx.now);
  const { user_id, old_email, new_email } = link;
  const user = org.users.get(user_id);
  if (!user?.is_active) throw badRequest('Account is deactivated');
  // A new password or key since the request means that somebody else may have made it.
  const credentials = link.credentials ?? credentialsOf(user);
  if (user.email !== old_email || credentials !== credentialsOf(user)) throw linkExpired();
  checkNewAddress(org, user, new_email);
  forgetRequests(tx, user_id);
  const changed = changeEmail(tx, user, new_email);
  const { full_name } = changed;
  queueMail(tx, old_email, { kind: 'email_changed', full_name, new_email });
  return changed;
}

function forgetRequests(tx: Transaction, userId: number): void {
  const { confirmations } = tx.org;
  for (const one of [...confirmations.values()]) {
    if (one.kind === 'email_change' && one.user_id === userId) confirmations.delete(one.key_hash);
  }
}

/**
 * Changes an account's real address, already checked, with events in the order of events.md#order,
 * "change e-mail": `delivery_email` to users who may see it; where the API e-mail changes with it, the
 * avatar if it is derived from the address, then `new_email`.
 */
export function changeEmail(tx: Transaction, user: UserDocument, email: string): UserDocument {
  if (user.email === email) return user;
  const { org } = tx;
  const { user_id } = user;
  const formerApiEmail = apiEmail(org, user);
  const changed = org.users.update(user_id, { email, ...verified(user) });
  emitUserUpdate(tx, { user_id, delivery_email: email }, emailAudiences(org, changed).seeing);
  const new_email = apiEmail(org, changed);
  if (new_email !== formerApiEmail) emitEmailChange(tx, changed, new_email);
  return changed;
}
