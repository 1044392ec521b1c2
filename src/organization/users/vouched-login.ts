import type { Language } from '../../languages/languages.js';
import type { InvitationDocument } from '../../../schemas/invitations/invites.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, loginNotProven, loginRefused } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { checkedFullName, suitableFullName } from '../accounts/account-checks.js';
import { recordLogin } from '../accounts/accounts.js';
import { claimAccount } from '../accounts/password-reset.js';
import { addToGroups, removeFromGroups } from '../groups/group-membership.js';
import { isOpen } from '../invitations/invite.js';
import { isStillOffered } from '../invitations/invitation-rules.js';
import {
  checkMaySignUp,
  joinOrganization,
  multiuseOf,
  type Admission,
} from '../invitations/join.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { chosenLanguage } from '../views/languages.js';
import { changeRole, isLastOwner } from './role-change.js';

/** Somebody whose verified address another service vouches for, and what it decides about them. */
export interface Vouched {
  readonly email: string;
  readonly fullName: string;
  /** Null: the service says nothing about roles. */
  readonly role: keyof typeof ROLE | null;
  /** Groups that the service decides about; those that are not there are left out. */
  readonly groups: readonly { readonly name: string; readonly isMember: boolean }[];
}

/** What else decides about a login by another service. */
interface Admitting {
  readonly markdown: Markdown;
  /** Whether a first login may make an account. */
  readonly createsAccounts: boolean;
  /** Key of a reusable invitation link; null for none. */
  readonly invitation: string | null;
  /** What the browser asks for, of a person who joins; null: none that there is. */
  readonly language?: Language | null;
  /** Whether the person logged in with the same browser before. */
  readonly isKnownDevice: (user: UserDocument) => boolean;
  /** Ends the connections of an account that is taken back from whoever joined with its address. */
  readonly closeSockets: (userId: number) => void;
}

/**
 * Logs somebody in: finds their account by its address, or makes one where the organization lets them join, and gives
 * it the role and groups that the service decides about.
 * @throws ApiError for bots, deactivated accounts, and people who may not join
 */
export function logInVouched(
  tx: Transaction,
  vouched: Vouched,
  admitting: Admitting,
): UserDocument {
  const { org } = tx;
  const known = org.users.byRealEmail(vouched.email);
  if (known?.is_bot) throw loginNotProven('Bots do not log in.');
  if (known && !known.is_active) throw loginRefused('USER_DEACTIVATED');
  const role = vouched.role === null ? null : ROLE[vouched.role];
  const user = known
    ? claimAccount(tx, known, admitting.closeSockets)
    : join(tx, vouched, role, admitting);
  recordLogin(tx, user, admitting.isKnownDevice(user));
  const current = org.users.get(user.user_id)!;
  // The organization is not left without an owner by a group that somebody emptied.
  if (role !== null && !isLastOwner(org, current)) changeRole(tx, current, role);
  settleGroups(tx, user.user_id, vouched.groups);
  return org.users.get(user.user_id)!;
}

function join(
  tx: Transaction,
  { email, fullName }: Vouched,
  role: Role | null,
  { markdown, createsAccounts, invitation, language = null }: Admitting,
): UserDocument {
  const { org } = tx;
  if (!createsAccounts) throw loginNotProven(`There is no account with the address ${email}.`);
  const admission = admissionOf(org, email, invitation, tx.now);
  checkMaySignUp(org, email);
  const full_name = checkedFullName(org, suitableFullName(fullName), null);
  const settings = chosenLanguage(org, language);
  const newcomer = { full_name, password_hash: null, settings, ...(role !== null && { role }) };
  return joinOrganization(tx, markdown, admission, newcomer);
}

/**
 * As for a user who follows a link: by the link that they came with, by an invitation to their address, or as anybody
 * may.
 */
function admissionOf(org: Organization, email: string, key: string | null, now: number): Admission {
  if (key !== null) return { email, invitation: multiuseOf(org, key, now) };
  const invitation = invitationTo(org, email, now);
  if (invitation === null && org.realm.current.invite_required) {
    throw badRequest('An invitation is needed to join this organization.', 403);
  }
  return { email, invitation };
}

/** The newest invitation to an address that can still be accepted. */
function invitationTo(org: Organization, email: string, now: number): InvitationDocument | null {
  const lower = email.toLowerCase();
  let newest: InvitationDocument | null = null;
  for (const one of org.invitations.values()) {
    if (one.email.toLowerCase() !== lower || !isOpen(one, now)) continue;
    if (isStillOffered(org, one)) newest = one;
  }
  return newest;
}

function settleGroups(tx: Transaction, userId: number, groups: Vouched['groups']): void {
  const ids = (isMember: boolean): number[] =>
    groups
      .filter((one) => one.isMember === isMember)
      .flatMap(({ name }) => tx.org.groups.byName(name)?.id ?? []);
  addToGroups(tx, userId, ids(true));
  removeFromGroups(tx, userId, ids(false));
}
