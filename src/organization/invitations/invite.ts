import type {
  InvitationDocument,
  MultiuseInvitationDocument,
} from '../../../schemas/invitations/invites.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, mustBe } from '../../errors/index.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { queueMail } from '../mail/delivery.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { apiEmail } from '../views/user-view.js';
import { isStillOffered, type AnyInvitation } from './invitation-rules.js';

/** Initial properties of invited accounts; checked (`invitation-rules.ts`). */
export interface InvitationTerms {
  readonly invited_as: Role;
  /** Milliseconds since 1970, or null for never. */
  readonly expires_at: number | null;
  readonly stream_ids: number[];
  readonly group_ids: number[];
  readonly include_realm_default_subscriptions: boolean;
  readonly welcome_message_custom_text: string | null;
}

/** Invitations are removed 30 days after they expire; until then they can be sent again. */
const KEPT_AFTER_EXPIRY_MS = 30 * 86_400_000;

/** Creates one invitation and one mail per address. */
export function inviteAddresses(
  tx: Transaction,
  keys: LinkKeys,
  referrer: UserDocument,
  addresses: readonly string[],
  terms: InvitationTerms & { readonly notify_referrer_on_join: boolean },
): void {
  const { org } = tx;
  removeOld(tx);
  for (const email of addresses) {
    const invitation = org.invitations.insert({
      id: org.counters.next('invitation'),
      email,
      ...terms,
      ...keys.create(),
      referrer_id: referrer.user_id,
      invited: tx.seconds,
    });
    mailInvitation(tx, referrer, invitation);
  }
  org.invitationTally.add(tx.now, addresses.length);
  emitInvitesChanged(tx, referrer.user_id);
}

/** Creates a link by which any number of people may join. */
export function createMultiuseInvitation(
  tx: Transaction,
  keys: LinkKeys,
  referrer: UserDocument,
  terms: InvitationTerms,
): MultiuseInvitationDocument {
  const { org } = tx;
  removeOld(tx);
  const invitation = org.multiuseInvitations.insert({
    id: org.counters.next('multiuse_invitation'),
    ...terms,
    ...keys.create(),
    referrer_id: referrer.user_id,
    invited: tx.seconds,
    revoked: false,
  });
  emitInvitesChanged(tx, referrer.user_id);
  return invitation;
}

/**
 * Mails an invitation again and restarts its validity. Counts as an invitation for the daily limit.
 */
export function resendInvitation(tx: Transaction, invitation: InvitationDocument): void {
  const { org } = tx;
  const { id, invited, expires_at, referrer_id } = invitation;
  const renewed = expires_at === null ? null : tx.now + (expires_at - invited * 1000);
  const again = org.invitations.update(id, { invited: tx.seconds, expires_at: renewed });
  mailInvitation(tx, org.users.get(referrer_id)!, again);
  org.invitationTally.add(tx.now, 1);
  emitInvitesChanged(tx, referrer_id);
}

/** Revokes an invitation. */
export function revokeInvitation(tx: Transaction, invitation: InvitationDocument): void {
  tx.org.invitations.delete(invitation.id);
  emitInvitesChanged(tx, invitation.referrer_id);
}

/** Revokes a reusable link. @throws ApiError when it is revoked already */
export function revokeMultiuse(tx: Transaction, invitation: MultiuseInvitationDocument): void {
  if (invitation.revoked) throw badRequest('Invitation has already been revoked');
  tx.org.multiuseInvitations.update(invitation.id, { revoked: true });
  emitInvitesChanged(tx, invitation.referrer_id);
}

/** Revokes all invitations and links of a user, e.g. on deactivation (endpoints-users.md#user-administration). */
export function revokeInvitationsOf(tx: Transaction, userId: number): void {
  const { invitations, multiuseInvitations } = tx.org;
  const single = [...invitations.values()].filter((one) => one.referrer_id === userId);
  const multiuse = [...multiuseInvitations.values()].filter(
    (one) => one.referrer_id === userId && !one.revoked,
  );
  revokeAll(tx, userId, single, multiuse);
}

function revokeAll(
  tx: Transaction,
  userId: number,
  single: readonly InvitationDocument[],
  multiuse: readonly MultiuseInvitationDocument[],
): void {
  if (single.length + multiuse.length === 0) return;
  const { invitations, multiuseInvitations } = tx.org;
  for (const { id } of single) invitations.delete(id);
  for (const { id } of multiuse) multiuseInvitations.update(id, { revoked: true });
  emitInvitesChanged(tx, userId);
}

/**
 * Revokes invitations that a user could no longer make: after a demotion, those to roles above their own,
 * and all of a kind to which they lost the right.
 */
export function revokeExcessInvitationsOf(tx: Transaction, userId: number): void {
  const { org } = tx;
  const { invitations, multiuseInvitations } = org;
  const isExcess = (one: AnyInvitation): boolean =>
    one.referrer_id === userId && !isStillOffered(org, one);
  const single = [...invitations.values()].filter(isExcess);
  const multiuse = [...multiuseInvitations.values()].filter((one) => !one.revoked && isExcess(one));
  revokeAll(tx, userId, single, multiuse);
}

/**
 * Whether the caller may list, resend and revoke an invitation: its inviter, and administrators unless it
 * gives a role above their own (endpoints-invitations.md#invitations). Also decides who sees a reusable link,
 * because whoever sees it may use it.
 */
export function mayManage(
  caller: UserDocument,
  { referrer_id, invited_as }: Pick<AnyInvitation, 'referrer_id' | 'invited_as'>,
): boolean {
  return referrer_id === caller.user_id || (isAdministrator(caller) && invited_as >= caller.role);
}

/** @throws ApiError `UNAUTHORIZED_PRINCIPAL` unless the caller may manage the invitation */
export function checkMayManage(
  caller: UserDocument,
  invitation: Pick<AnyInvitation, 'referrer_id' | 'invited_as'>,
): void {
  if (mayManage(caller, invitation)) return;
  throw mustBe(invitation.invited_as === ROLE.owner ? 'owner' : 'administrator');
}

/**
 * Removes all invitations and pending sign-ups of an address that has an account now.
 * @param invitedBy inviter of the accepted invitation or link, who gets `invites_changed` in any case
 */
export function closeInvitationsTo(tx: Transaction, email: string, invitedBy?: number): void {
  const { invitations, confirmations } = tx.org;
  const address = email.toLowerCase();
  const open = [...invitations.values()].filter((one) => one.email.toLowerCase() === address);
  for (const { id } of open) invitations.delete(id);
  for (const one of [...confirmations.values()]) {
    if (one.kind === 'sign_up' && one.email.toLowerCase() === address) {
      confirmations.delete(one.key_hash);
    }
  }
  const referrers = open.map((one) => one.referrer_id);
  if (invitedBy !== undefined) referrers.push(invitedBy);
  if (referrers.length > 0) emitInvitesChanged(tx, ...referrers);
}

/** Emits `invites_changed` to administrators and the inviters (events-people.md#people). */
function emitInvitesChanged(tx: Transaction, ...referrers: readonly number[]): void {
  const { users } = tx.org;
  const concerned = (id: number) => referrers.includes(id) || isAdministrator(users.get(id)!);
  const ids = [...users.active].filter(concerned).sort((a, b) => a - b);
  tx.emit('invites_changed', { to: 'users', users: ids }, {});
}

/** Whether an invitation has not expired. */
export function isOpen(invitation: { readonly expires_at: number | null }, now: number): boolean {
  return invitation.expires_at === null || invitation.expires_at > now;
}

function mailInvitation(
  tx: Transaction,
  referrer: UserDocument,
  { email, nonce, expires_at }: InvitationDocument,
): void {
  queueMail(tx, email, {
    kind: 'invitation',
    nonce,
    referrer_name: referrer.full_name,
    referrer_email: visibleEmail(tx.org, referrer),
    expires_at,
  });
}

/** The inviter's address for the mail; null where the organization hides it from others. */
function visibleEmail(org: Organization, user: UserDocument): string | null {
  return apiEmail(org, user) === user.email ? user.email : null;
}

function removeOld(tx: Transaction): void {
  const { invitations, multiuseInvitations } = tx.org;
  const before = tx.now - KEPT_AFTER_EXPIRY_MS;
  const isOld = ({ expires_at }: { readonly expires_at: number | null }) =>
    expires_at !== null && expires_at < before;
  for (const { id } of [...invitations.values()].filter(isOld)) invitations.delete(id);
  for (const { id } of [...multiuseInvitations.values()].filter(isOld)) {
    multiuseInvitations.delete(id);
  }
}
