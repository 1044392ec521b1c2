import * as descriptors from '../../../schemas/invitations/invites.js';
import type {
  InvitationDocument,
  MultiuseInvitationDocument,
} from '../../../schemas/invitations/invites.js';
import type { Role, UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_INVITATIONS_PER_DAY } from '../../../schemas/limits.js';
import { badRequest, invitationFailed } from '../../errors/index.js';
import {
  checkMayManage,
  createMultiuseInvitation,
  inviteAddresses,
  isOpen,
  mayManage,
  resendInvitation,
  revokeInvitation,
  revokeMultiuse,
  type InvitationTerms,
} from '../../organization/invitations/invite.js';
import {
  checkedInvitees,
  SOME_HAVE_ACCOUNTS,
  checkedGroupIds,
  checkedStreamIds,
  checkedWelcomeText,
  checkMayInviteAs,
  expiryOf,
  isStillOffered,
} from '../../organization/invitations/invitation-rules.js';
import { inviteeAddresses } from '../../organization/invitations/invitee-addresses.js';
import { linkUrl } from '../../organization/mail/texts.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { CommittedRefusal } from '../kernel/route.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Dependencies of the invitation endpoints. */
interface InviteParts {
  readonly keys: LinkKeys;
  /** `INVITATION_LINK_VALIDITY_MINUTES`. */
  readonly validityMinutes: number;
  /** Invitations of the organization in a day; absent means the built-in limit. */
  readonly dailyLimit?: number;
}

/**
 * Invitations and reusable links (specification-endpoints.md#send-invitations,
 * specification-endpoints.md#create-invitation-link and endpoints-invitations.md#invitations).
 */
export function inviteHandlers(parts: InviteParts): AnyHandler[] {
  return [
    sending(parts),
    linkCreation(parts),
    listing(parts.keys),
    revoking,
    resending(parts),
    linkRevoking,
  ];
}

interface TermParams {
  readonly invite_expires_in_minutes?: number | null;
  readonly invite_as: Role;
  readonly stream_ids: readonly number[];
  readonly group_ids: readonly number[];
  readonly include_realm_default_subscriptions: boolean;
  readonly welcome_message_custom_text?: string | null;
}

/** @throws ApiError when the caller may not offer these terms */
function checkedTerms(
  tx: Transaction,
  user: UserDocument,
  params: TermParams,
  { validityMinutes }: InviteParts,
): InvitationTerms {
  const { org } = tx;
  return {
    invited_as: params.invite_as,
    expires_at: expiryOf(tx.now, params.invite_expires_in_minutes, validityMinutes),
    stream_ids: checkedStreamIds(org, user, params.stream_ids),
    group_ids: checkedGroupIds(org, user, params.group_ids),
    include_realm_default_subscriptions: params.include_realm_default_subscriptions,
    welcome_message_custom_text: checkedWelcomeText(user, params.welcome_message_custom_text),
  };
}

function sending(parts: InviteParts): AnyHandler {
  return handle(descriptors.sendInvites, (tx, { user, params }) => {
    const { org } = tx;
    checkMayInviteAs(user, params.invite_as);
    const addresses = inviteeAddresses(params.invitee_emails);
    const terms = checkedTerms(tx, user, params, parts);
    const { invited, skipped } = checkedInvitees(org, user, addresses, remaining(org, parts));
    const { notify_referrer_on_join } = params;
    inviteAddresses(tx, parts.keys, user, invited, { ...terms, notify_referrer_on_join });
    if (skipped.length === 0) return {};
    return new CommittedRefusal(invitationFailed(SOME_HAVE_ACCOUNTS, skipped, { sent: true }));
  });
}

function linkCreation(parts: InviteParts): AnyHandler {
  return handle(descriptors.createInviteLink, (tx, { user, params }) => {
    const { org } = tx;
    checkMayInviteAs(user, params.invite_as);
    const terms = checkedTerms(tx, user, params, parts);
    const { nonce } = createMultiuseInvitation(tx, parts.keys, user, terms);
    return { invite_link: linkUrl(org.site.url, 'join', parts.keys.key(nonce)) };
  });
}

function listing(keys: LinkKeys): AnyHandler {
  return handle(descriptors.getInvites, ({ org, now }, { user }) => {
    const shown = (one: InvitationDocument | MultiuseInvitationDocument): boolean =>
      isOpen(one, now) && mayManage(user, one);
    const single = [...org.invitations.values()].filter(shown).map((one) => ({
      ...common(one),
      is_multiuse: false,
      email: one.email,
      notify_referrer_on_join: one.notify_referrer_on_join,
    }));
    const multiuse = [...org.multiuseInvitations.values()]
      .filter((one) => !one.revoked && shown(one))
      .map((one) => ({
        ...common(one),
        is_multiuse: true,
        link_url: linkUrl(org.site.url, 'join', keys.key(one.nonce)),
        // Links have no such parameter (specification-endpoints.md#create-invitation-link).
        notify_referrer_on_join: false,
      }));
    return { invites: [...single, ...multiuse] };
  });
}

function common(one: InvitationDocument | MultiuseInvitationDocument) {
  return {
    id: one.id,
    invited_by_user_id: one.referrer_id,
    invited: one.invited,
    expiry_date: one.expires_at === null ? null : Math.floor(one.expires_at / 1000),
    invited_as: one.invited_as,
  };
}

const revoking = handle(descriptors.revokeInvite, (tx, { user, params }) => {
  revokeInvitation(tx, managed(tx.org.invitations.get(params.invite_id), user));
  return {};
});

function resending(parts: InviteParts): AnyHandler {
  return handle(descriptors.resendInvite, (tx, { user, params }) => {
    const invitation = managed(tx.org.invitations.get(params.invite_id), user);
    // Refused, because the link in the mail would not work.
    if (!isStillOffered(tx.org, invitation)) throw noPermission();
    checkedInvitees(tx.org, user, [invitation.email], remaining(tx.org, parts));
    resendInvitation(tx, invitation);
    return {};
  });
}

const linkRevoking = handle(descriptors.revokeInviteLink, (tx, { user, params }) => {
  revokeMultiuse(tx, managed(tx.org.multiuseInvitations.get(params.invite_id), user));
  return {};
});

/** @throws ApiError when there is none, or the caller may not manage it */
function managed<I extends InvitationDocument | MultiuseInvitationDocument>(
  invitation: I | undefined,
  user: UserDocument,
): I {
  if (!invitation) throw badRequest('No such invitation');
  checkMayManage(user, invitation);
  return invitation;
}

function remaining(org: Organization, { dailyLimit = MAX_INVITATIONS_PER_DAY }: InviteParts) {
  return dailyLimit - org.invitationTally.sentOn(org.now());
}

function noPermission() {
  return badRequest('Insufficient permission');
}
