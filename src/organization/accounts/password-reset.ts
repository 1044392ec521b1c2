import type { ConfirmationOf } from '../../../schemas/accounts/confirmation-document.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
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
import { recordAction } from '../state/audit.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Open mailed links of one account; the oldest is removed for a sixth. Bounds mails to one person and documents. */
const MAX_OPEN_LINKS = 5;

/**
 * Mails a link for setting a new password, also to a user who never had one
 * (endpoints-invitations.md#password-reset; specification.md#authentication 5). Anybody may ask for one: it ends no link
 * that somebody was shown, and of the mailed ones the oldest where there are many.
 */
export function requestPasswordReset(tx: Transaction, keys: LinkKeys, user: UserDocument): void {
  const { user_id } = user;
  const mailed = openLinks(tx.org, user_id).filter(({ made_by }) => made_by === undefined);
  mailed.sort((a, b) => a.expires_at - b.expires_at);
  remove(tx, mailed.slice(0, Math.max(0, mailed.length - MAX_OPEN_LINKS + 1)));
  const { nonce } = open(tx, keys, user, {});
  queueMail(tx, user.email, { kind: 'password_reset', nonce, user_id });
}

/**
 * Makes a link for setting a new password, in the place of all others of the account, for whoever hands it over.
 * @param madeBy the owner to whom it is shown, with whose rights it ends; null for the operator
 */
export function openPasswordReset(
  tx: Transaction,
  keys: LinkKeys,
  user: UserDocument,
  madeBy: number | null,
): NewLink {
  endResetLinks(tx, user);
  recordResetLink(tx, user);
  return open(tx, keys, user, { made_by: madeBy });
}

/** Records that somebody had a link made for an account that is not theirs. */
export function recordResetLink(
  tx: Transaction,
  { user_id: id, full_name: name }: UserDocument,
): void {
  const fields = [{ name: 'password_reset_link', old: null, new: null }];
  recordAction(tx, { kind: 'user', id, name, action: 'changed', fields });
}

/** Ends all open links for setting a new password of an account. */
export function endResetLinks(tx: Transaction, { user_id }: UserDocument): void {
  remove(tx, openLinks(tx.org, user_id));
}

function open(
  tx: Transaction,
  keys: LinkKeys,
  user: UserDocument,
  maker: Pick<ConfirmationOf<'password_reset'>, 'made_by'>,
): NewLink {
  const link = keys.create();
  const credentials = credentialsOf(user);
  const { user_id } = user;
  createConfirmation(tx, link, { kind: 'password_reset', user_id, credentials, ...maker });
  return link;
}

function remove(tx: Transaction, links: readonly ConfirmationOf<'password_reset'>[]): void {
  for (const { key_hash } of links) tx.org.confirmations.delete(key_hash);
}

/**
 * The user of a password reset link.
 * @param uid from the link's path
 * @throws ApiError 404 when the link is invalid, the credentials have changed since it was made, or whoever was shown it
 *   could no longer make it
 */
export function resetUser(org: Organization, uid: string, key: string, now: number): UserDocument {
  const { user_id, credentials, made_by } = openConfirmation(org, key, 'password_reset', now);
  const user = org.users.get(user_id);
  if (!user?.is_active || uid !== String(user_id) || credentials !== credentialsOf(user)) {
    throw linkExpired();
  }
  if (typeof made_by === 'number' && !mayTakeResetLink(org.users.get(made_by))) throw linkExpired();
  return user;
}

/** Whether somebody may be shown such a link, and still use it: whoever has it takes the account. */
export function mayTakeResetLink(maker: UserDocument | undefined): boolean {
  return maker?.is_active === true && maker.role === ROLE.owner && !maker.is_bot;
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
  endResetLinks(tx, user);
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
