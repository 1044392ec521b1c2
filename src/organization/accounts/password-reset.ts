import type { ConfirmationOf } from '../../../schemas/accounts/confirmation-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { LinkKeys, NewLink } from '../../services/auth/link-keys.js';
import { forgetDevices } from '../personal/push.js';
import { NO_PLACES } from './login-places.js';
import { removeTwoFactor } from './two-factor.js';
import { randomKeyVersion } from './accounts.js';
import { endSessions } from './sessions.js';
import {
  createConfirmation,
  credentialsOf,
  linkExpired,
  openConfirmation,
} from '../mail/confirmations.js';
import { queueMail } from '../mail/delivery.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Open links of one account; the oldest is removed for a sixth. Bounds mails to one person and documents. */
const MAX_OPEN_LINKS = 5;

/**
 * Mails a link for setting a new password, also to a user who never had one
 * (endpoints-invitations.md#password-reset; specification.md#authentication 5).
 */
export function requestPasswordReset(tx: Transaction, keys: LinkKeys, user: UserDocument): void {
  const { user_id } = user;
  const { nonce } = openPasswordReset(tx, keys, user);
  queueMail(tx, user.email, { kind: 'password_reset', nonce, user_id });
}

/** Makes a link for setting a new password, in the place of the oldest one where there are many. */
export function openPasswordReset(tx: Transaction, keys: LinkKeys, user: UserDocument): NewLink {
  const { user_id } = user;
  const open = openLinks(tx.org, user_id).sort((a, b) => a.expires_at - b.expires_at);
  for (const { key_hash } of open.slice(0, Math.max(0, open.length - MAX_OPEN_LINKS + 1))) {
    tx.org.confirmations.delete(key_hash);
  }
  const link = keys.create();
  const credentials = credentialsOf(user);
  createConfirmation(tx, link, { kind: 'password_reset', user_id, credentials });
  return link;
}

/**
 * The user of a password reset link.
 * @param uid from the link's path
 * @throws ApiError 404 when the link is invalid, or the credentials have changed since it was mailed
 */
export function resetUser(org: Organization, uid: string, key: string, now: number): UserDocument {
  const { user_id, credentials } = openConfirmation(org, key, 'password_reset', now);
  const user = org.users.get(user_id);
  if (!user?.is_active || uid !== String(user_id) || credentials !== credentialsOf(user)) {
    throw linkExpired();
  }
  return user;
}

/** Ends the sockets of a user whose key has changed. */
type CloseSockets = (userId: number) => void;

/**
 * Sets the password and makes all API keys invalid, because people reset a password after somebody
 * else got into their account. Queues survive for the next login (event-queues.md#registration). Who joined with an
 * address of somebody else loses whatever else would let them in ({@link claimAccount}).
 */
export function resetPassword(
  tx: Transaction,
  user: UserDocument,
  password_hash: string,
  closeSockets: CloseSockets,
): void {
  const { confirmations } = tx.org;
  for (const { key_hash } of openLinks(tx.org, user.user_id)) confirmations.delete(key_hash);
  if (user.is_email_unverified === true) endOtherWays(tx, user, closeSockets);
  changeCredentials(tx, user, { password_hash, ...verified(user) }, closeSockets);
}

/** What changes where it was shown whose an address is: by a link that came by mail, or from the operator. */
export function verified({ is_email_unverified }: UserDocument): Partial<UserDocument> {
  return is_email_unverified === true ? { is_email_unverified: false } : {};
}

/**
 * Takes an account back for the person whose address another service has just verified, where somebody joined with it
 * whom nobody asked to show that it is theirs: their password, keys, those of their bots, second factor and devices end.
 * @returns the account as it is now
 */
export function claimAccount(
  tx: Transaction,
  user: UserDocument,
  closeSockets: CloseSockets,
): UserDocument {
  if (user.is_email_unverified !== true) return user;
  endOtherWays(tx, user, closeSockets);
  return changeCredentials(tx, user, { password_hash: null, ...verified(user) }, closeSockets);
}

/** Ends what lets somebody into an account, or act for it, beside its password and key. */
function endOtherWays(
  tx: Transaction,
  { user_id }: UserDocument,
  closeSockets: CloseSockets,
): void {
  const { users } = tx.org;
  removeTwoFactor(tx, user_id);
  for (const id of users.bots) {
    const bot = users.get(id)!;
    if (bot.bot_owner_id === user_id) changeCredentials(tx, bot, {}, closeSockets);
  }
}

/** Logs somebody out everywhere: key, sessions and devices end, the password stays. */
export function logOutEverywhere(
  tx: Transaction,
  user: UserDocument,
  closeSockets: CloseSockets,
): void {
  changeCredentials(tx, user, {}, closeSockets);
}

/** Changes the key and what goes with it. */
function changeCredentials(
  tx: Transaction,
  { user_id }: UserDocument,
  change: Partial<UserDocument>,
  closeSockets: CloseSockets,
): UserDocument {
  const changed = tx.org.users.update(user_id, {
    ...{ ...change, key_version: randomKeyVersion() },
    ...NO_PLACES,
  });
  forgetDevices(tx, user_id);
  endSessions(tx, user_id);
  tx.onceDurable(() => closeSockets(user_id));
  return changed;
}

function openLinks(org: Organization, userId: number): ConfirmationOf<'password_reset'>[] {
  return [...org.confirmations.values()].flatMap((one) =>
    one.kind === 'password_reset' && one.user_id === userId ? [one] : [],
  );
}
