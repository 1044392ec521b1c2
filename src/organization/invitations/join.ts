import type {
  InvitationDocument,
  MultiuseInvitationDocument,
} from '../../../schemas/invitations/invites.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import type { UserSettings } from '../../../schemas/users/user-settings.js';
import { badRequest } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { createUser } from '../accounts/accounts.js';
import { addressFault } from '../accounts/account-checks.js';
import { hashOf, linkExpired, openConfirmation } from '../mail/confirmations.js';
import { addToGroups } from '../groups/group-membership.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { isOpen } from './invite.js';
import { isStillOffered, presentTerms, type PresentTerms } from './invitation-rules.js';
import { welcomeUser } from './welcome.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import {
  NEW_USER_HISTORY_DAYS,
  NEW_USER_HISTORY_MESSAGES,
  NEW_USER_UNREAD_MESSAGES,
} from '../../../schemas/limits.js';
import { MergedCursor } from '../state/message-index/merged-cursor.js';

/** A confirmed address that may register, and the invitation behind it. */
export interface Admission {
  readonly email: string;
  /** Null for an uninvited sign-up. */
  readonly invitation: InvitationDocument | MultiuseInvitationDocument | null;
  /** Nobody has shown that the address is theirs; absent: it was confirmed, or another service vouches for it. */
  readonly isUnverified?: boolean;
}

/**
 * The admission behind the key of a mailed link: an invitation, or the confirmation of an address after
 * sign-up by a reusable link or without invitation.
 * @throws ApiError 404 when the link is malformed, unknown, expired, used or revoked, or its inviter could
 *   no longer offer it
 */
export function admissionOf(org: Organization, key: string, now: number): Admission {
  const invitation = org.invitations.byKeyHash(hashOf(key));
  if (invitation) {
    if (!isOpen(invitation, now) || !isStillOffered(org, invitation)) throw linkExpired();
    return { email: invitation.email, invitation };
  }
  const { email, multiuse_id, is_unverified } = openConfirmation(org, key, 'sign_up', now);
  if (multiuse_id === null) {
    if (org.realm.current.invite_required) throw linkExpired();
    return { email, invitation: null, isUnverified: is_unverified === true };
  }
  const multiuse = org.multiuseInvitations.get(multiuse_id);
  // The address was confirmed before the link expired, so only revocation counts.
  if (!multiuse || multiuse.revoked || !isStillOffered(org, multiuse)) throw linkExpired();
  return { email, invitation: multiuse, isUnverified: is_unverified === true };
}

/** The reusable link behind a key. @throws ApiError 404 as {@link admissionOf} */
export function multiuseOf(
  org: Organization,
  key: string,
  now: number,
): MultiuseInvitationDocument {
  const found = org.multiuseInvitations.byKeyHash(hashOf(key));
  if (!found || found.revoked || !isOpen(found, now)) throw linkExpired();
  if (!isStillOffered(org, found)) throw linkExpired();
  return found;
}

/**
 * Checks that an address may sign up; does not check whether it has an account already.
 * @throws ApiError (endpoints-invitations.md#refused-links)
 */
export function checkMaySignUp(org: Organization, email: string): void {
  const fault = addressFault(org, email);
  if (fault === null) return;
  if (fault !== 'Outside your domain.') throw badRequest(fault);
  throw badRequest(
    `Your email address, ${email}, is not in one of the domains that are allowed to register for ` +
      'accounts in this organization.',
  );
}

/** Checked fields of the registration form. */
interface Newcomer {
  readonly full_name: string;
  readonly password_hash: string | null;
  readonly settings: Partial<UserSettings>;
  /** Absent: that of the invitation, or else a member's. */
  readonly role?: Role;
}

/**
 * Creates the account of an admission, with its groups, channels and messages, in the order of events.md#order, "create
 * user" (endpoints-invitations.md#new-account to endpoints-invitations.md#sign-up-messages). Uses up the link.
 */
export function joinOrganization(
  tx: Transaction,
  markdown: Markdown,
  { email, invitation, isUnverified }: Admission,
  newcomer: Newcomer,
): UserDocument {
  const { org } = tx;
  const terms = invitation && presentTerms(org, invitation);
  const channels = channelsOf(org, invitation, terms);
  const role = newcomer.role ?? invitation?.invited_as ?? ROLE.member;
  const unverified = isUnverified ? { is_email_unverified: true } : {};
  const account = { ...newcomer, ...unverified, email, role, channels };
  const user = createUser(tx, account);
  if (terms) addToGroups(tx, user.user_id, terms.groups);
  const subscribed = channels.map((id) => org.channels.get(id)!);
  giveHistory(tx, user.user_id, subscribed);
  welcomeUser(tx, markdown, user, {
    referrer: referrerToTell(org, invitation),
    invitedBy: invitation?.referrer_id,
    customText: terms?.welcomeText,
  });
  return user;
}

/** Channels that the invitation still gives, and default channels unless it excludes them. */
function channelsOf(
  org: Organization,
  invitation: Admission['invitation'],
  terms: PresentTerms | null,
): number[] {
  const defaults =
    !invitation || invitation.include_realm_default_subscriptions ? org.channels.defaults() : [];
  return [...new Set([...(terms?.channels ?? []), ...defaults])];
}

function referrerToTell(
  org: Organization,
  invitation: Admission['invitation'],
): UserDocument | undefined {
  if (!invitation || !('notify_referrer_on_join' in invitation)) return undefined;
  return invitation.notify_referrer_on_join ? org.users.get(invitation.referrer_id) : undefined;
}

const DAY_SECONDS = 86_400;

/**
 * Gives a new user recent messages of their channels (endpoints-invitations.md#new-account): the newest
 * thousand of the last twelve weeks count as received, all but the newest twenty of them as read. Private
 * channels keep earlier messages to earlier subscribers. Call after the user was subscribed, in the same
 * transaction; costs the number of those messages.
 */
function giveHistory(tx: Transaction, userId: number, channels: readonly ChannelDocument[]): void {
  const { messages, subscriptions } = tx.org;
  const { columns } = messages.index;
  const open = channels.filter((one) => !one.invite_only && one.history_public_to_subscribers);
  const since = columns.firstIdAtTime(tx.seconds - NEW_USER_HISTORY_DAYS * DAY_SECONDS);
  const before = columns.firstIdAtSeq(tx.seq);
  if (since >= before || open.length === 0) return;
  const newest = newestIds(tx, open, [since, before - 1]);
  const firstUnread = newest[NEW_USER_UNREAD_MESSAGES - 1] ?? 0;
  const oldest = newest[newest.length - 1] ?? before;
  for (const { stream_id, recipient_id } of open) {
    const list = messages.index.conversation(recipient_id);
    const first = list.at(list.lowerBound(oldest));
    if (first === undefined || first >= before) continue;
    const seq = columns.seqAt(columns.find(first));
    subscriptions.update(`${userId}:${stream_id}`, { spans: [[seq, null]] });
    // One transaction may have sent several messages: start at the first of them.
    const read: number[] = [];
    for (let place = list.lowerBound(columns.firstIdAtSeq(seq)); ; place++) {
      const id = list.at(place);
      if (id === undefined || id >= Math.min(before, firstUnread)) break;
      read.push(id);
    }
    tx.org.readState.markRead(userId, recipient_id, read, list);
  }
}

/** The newest message ids of channels within an interval, newest first. */
function newestIds(
  tx: Transaction,
  channels: readonly ChannelDocument[],
  within: readonly [number, number],
): number[] {
  const sources = channels.map(({ recipient_id }) => ({
    list: tx.org.messages.index.conversation(recipient_id),
    within: [within],
  }));
  const cursor = new MergedCursor(sources, 'down', within[1]);
  const ids: number[] = [];
  while (ids.length < NEW_USER_HISTORY_MESSAGES) {
    const id = cursor.next();
    if (id === undefined) break;
    ids.push(id);
  }
  return ids;
}
