import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import type {
  InvitationDocument,
  MultiuseInvitationDocument,
} from '../../../schemas/invitations/invites.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_INVITATION_MINUTES, MIN_INVITER_AGE_DAYS } from '../../../schemas/limits.js';
import { badRequest, mustBe, invitationFailed, type InvitationTriple } from '../../errors/index.js';
import { canAddSubscribers } from '../access/channel-rights.js';
import { canAddToGroup } from '../groups/group-membership.js';
import { insufficient, knownGroup } from '../access/group-rights.js';
import type { Organization } from '../state/organization.js';
import { allows, canReadChannel, isAdministrator } from '../access/permissions.js';
import { addressFault, takenFault } from '../accounts/account-checks.js';

/**
 * Inviters may give only their own role or a more restricted one (specification-endpoints.md#send-invitations).
 * @throws ApiError `Must be an organization owner` or `… administrator`
 */
export function checkMayInviteAs(caller: UserDocument, role: Role): void {
  if (role >= caller.role) return;
  throw mustBe(role === ROLE.owner ? 'owner' : 'administrator');
}

/**
 * When a new invitation expires, in milliseconds since 1970; null for never.
 * @param minutes as given: null for never, undefined for the default
 * @throws ApiError `Invalid expires_in`
 */
export function expiryOf(
  now: number,
  minutes: number | null | undefined,
  fallback: number,
): number | null {
  if (minutes === null) return null;
  const validity = minutes ?? fallback;
  if (validity < 1 || validity > MAX_INVITATION_MINUTES) throw badRequest('Invalid expires_in');
  return now + validity * 60_000;
}

/**
 * Checks the channels of an invitation (specification-endpoints.md#send-invitations): default channels, or channels
 * to which the caller may add subscribers; none for a caller who may subscribe others nowhere.
 * @returns each id once
 * @throws ApiError for a channel that is not allowed
 */
export function checkedStreamIds(
  org: Organization,
  caller: UserDocument,
  ids: readonly number[],
): number[] {
  const channels = [...new Set(ids)].map((id) => invitableChannel(org, caller, id));
  if (channels.length === 0) return [];
  const unfit = channels.some((channel) => !isInvitable(org, caller, channel));
  if (unfit || !maySubscribeOthers(org, caller)) {
    throw badRequest('You do not have permission to subscribe other users to channels.');
  }
  return channels.map((channel) => channel.stream_id);
}

function mayAdd(org: Organization, inviter: UserDocument, channel: ChannelDocument): boolean {
  return canReadChannel(org, inviter, channel) && canAddSubscribers(org, inviter, channel);
}

function isInvitable(org: Organization, inviter: UserDocument, channel: ChannelDocument): boolean {
  return !channel.is_archived && (channel.is_default || mayAdd(org, inviter, channel));
}

/** Whether the caller may subscribe others to any channel at all. */
function maySubscribeOthers(org: Organization, caller: UserDocument): boolean {
  if (allows(org, org.realm.current.can_add_subscribers_group, caller)) return true;
  for (const channel of org.channels.values()) {
    if (!channel.is_archived && mayAdd(org, caller, channel)) return true;
  }
  return false;
}

function invitableChannel(org: Organization, caller: UserDocument, id: number): ChannelDocument {
  const channel = org.channels.get(id);
  // The same refusal for channels the caller cannot read, so that it does not reveal whether they exist.
  if (!channel || channel.is_archived || !canReadChannel(org, caller, channel)) {
    throw badRequest(`Invalid channel ID ${id}. No invites were sent.`);
  }
  return channel;
}

/**
 * Checks the groups of an invitation: groups to which the caller may add members.
 * @returns each id once
 * @throws ApiError for a group that is not allowed
 */
export function checkedGroupIds(
  org: Organization,
  caller: UserDocument,
  ids: readonly number[],
): number[] {
  const unique = [...new Set(ids)];
  for (const id of unique) {
    const group = knownGroup(org, id);
    if (group.deactivated) throw badRequest('User group is deactivated.');
    if (!isInvitableGroup(org, caller, group)) throw insufficient();
  }
  return unique;
}

function isInvitableGroup(org: Organization, inviter: UserDocument, group: GroupDocument): boolean {
  return !group.deactivated && !group.is_system_group && canAddToGroup(org, inviter, group);
}

/**
 * Only administrators may write a welcome message; null means the organization's
 * (specification-endpoints.md#send-invitations).
 */
export function checkedWelcomeText(
  caller: UserDocument,
  text: string | null | undefined,
): string | null {
  return isAdministrator(caller) ? (text ?? null) : null;
}

/** An invitation to one address, or a reusable link. */
export type AnyInvitation = InvitationDocument | MultiuseInvitationDocument;

/**
 * Whether an invitation is still valid: its inviter is active and could make it now. Demotion,
 * deactivation or the loss of a right ends it.
 */
export function isStillOffered(org: Organization, invitation: AnyInvitation): boolean {
  const inviter = org.users.get(invitation.referrer_id);
  if (!inviter?.is_active || invitation.invited_as < inviter.role) return false;
  const { can_invite_users_group, create_multiuse_invite_group } = org.realm.current;
  const right = 'revoked' in invitation ? create_multiuse_invite_group : can_invite_users_group;
  return allows(org, right, inviter);
}

/** Terms of an invitation that its inviter could offer at this moment. */
export interface PresentTerms {
  readonly channels: number[];
  readonly groups: number[];
  readonly welcomeText: string | null;
}

/**
 * The part of an invitation's terms that its inviter could offer now: without channels they were removed
 * from and groups to which they may no longer add members.
 */
export function presentTerms(org: Organization, invitation: AnyInvitation): PresentTerms {
  const inviter = org.users.get(invitation.referrer_id)!;
  const channels = invitation.stream_ids.filter((id) => {
    const channel = org.channels.get(id);
    return channel && isInvitable(org, inviter, channel);
  });
  return {
    channels: channels.length > 0 && maySubscribeOthers(org, inviter) ? channels : [],
    groups: invitation.group_ids.filter((id) => {
      const group = org.groups.get(id);
      return group && isInvitableGroup(org, inviter, group);
    }),
    welcomeText: checkedWelcomeText(inviter, invitation.welcome_message_custom_text),
  };
}

const DAY_MS = 86_400_000;

/** Addresses to invite, and addresses that have an account already. */
interface Invitees {
  readonly invited: readonly string[];
  readonly skipped: readonly InvitationTriple[];
}

/**
 * Checks the addresses of an invitation (endpoints-invitations.md#invitations).
 * @param remaining invitations the organization may still send today
 * @throws ApiError `INVITATION_FAILED` when nobody can be invited
 */
export function checkedInvitees(
  org: Organization,
  caller: UserDocument,
  addresses: readonly string[],
  remaining: number,
): Invitees {
  if (addresses.length > remaining) {
    throw invitationFailed(
      'To protect users, the number of invitations that can be sent in one day is limited. ' +
        'Because you have reached the limit, no invitations were sent.',
      [],
      { dailyLimit: true },
    );
  }
  checkAge(org, caller);
  const invited: string[] = [];
  const faulty: InvitationTriple[] = [];
  const skipped: InvitationTriple[] = [];
  for (const address of addresses) {
    const fault = addressFault(org, address);
    const taken = fault === null ? takenFault(org, address) : null;
    if (fault !== null) faulty.push([address, fault, false]);
    else if (taken) skipped.push([address, taken.reason, taken.deactivated]);
    else invited.push(address);
  }
  if (faulty.length > 0) {
    throw invitationFailed("Some emails did not validate, so we didn't send any invitations.", [
      ...faulty,
      ...skipped,
    ]);
  }
  if (invited.length === 0) throw invitationFailed("We weren't able to invite anyone.", skipped);
  return { invited, skipped };
}

/**
 * Refuses new accounts in organizations that anybody may join; otherwise invitations would be a way to
 * send mail to strangers.
 */
function checkAge(org: Organization, caller: UserDocument): void {
  const { invite_required, waiting_period_threshold } = org.realm.current;
  if (invite_required || isAdministrator(caller)) return;
  const days = Math.max(MIN_INVITER_AGE_DAYS, waiting_period_threshold);
  if (caller.date_joined + days * DAY_MS <= org.now()) return;
  throw invitationFailed(
    'Your account is too new to send invites for this organization. ' +
      'Ask an organization admin, or a more experienced user.',
    [],
  );
}

/** Message of the reply when some addresses were skipped because they have accounts. */
export const SOME_HAVE_ACCOUNTS =
  "Some of those addresses already have accounts, so we didn't send them an invitation. " +
  'We did send invitations to everyone else!';
