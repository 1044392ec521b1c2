import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import type {
  InvitationDocument,
  MultiuseInvitationDocument,
} from '../../../schemas/invitations/invitation-document.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_INVITATION_MINUTES } from '../../../schemas/limits.js';
import { badRequest, mustBe } from '../../errors.js';
import { canAddSubscribers } from '../access/channel-rights.js';
import { canAddToGroup } from '../groups/group-membership.js';
import { insufficient, knownGroup } from '../access/group-rights.js';
import type { Organization } from '../state/organization.js';
import { allows, canReadChannel, isAdministrator } from '../access/permissions.js';

/**
 * Only roles equal to or more restricted than one's own may be given (specification-endpoints.md#send-invitations).
 * @throws ApiError `Must be an organization owner` or `… administrator`
 */
export function checkMayInviteAs(caller: UserDocument, role: Role): void {
  if (role >= caller.role) return;
  throw mustBe(role === ROLE.owner ? 'owner' : 'administrator');
}

/**
 * When an invitation made now expires, in milliseconds since 1970; null for never.
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
 * The channels of an invitation (specification-endpoints.md#send-invitations): default ones, or ones the caller may add
 * subscribers to; none at all by somebody who may subscribe others nowhere. Duplicates count once.
 * @throws ApiError when any of them may not be
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
  // Who may only know of a channel lets nobody in, and need not hear whether it is there.
  if (!channel || channel.is_archived || !canReadChannel(org, caller, channel)) {
    throw badRequest(`Invalid channel ID ${id}. No invites were sent.`);
  }
  return channel;
}

/**
 * The groups of an invitation: those the caller may add people to. Duplicates count once.
 * @throws ApiError when any of them may not be
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

/** Only administrators write greetings; for others it is the organization's (specification-endpoints.md#send-invitations). */
export function checkedWelcomeText(
  caller: UserDocument,
  text: string | null | undefined,
): string | null {
  return isAdministrator(caller) ? (text ?? null) : null;
}

/** An invitation of one address, or a reusable link. */
export type AnyInvitation = InvitationDocument | MultiuseInvitationDocument;

/**
 * Whether an invitation still stands: its inviter is there and could make it now. Demotion, deactivation
 * or a right that was taken away end it.
 */
export function isStillOffered(org: Organization, invitation: AnyInvitation): boolean {
  const inviter = org.users.get(invitation.referrer_id);
  if (!inviter?.is_active || invitation.invited_as < inviter.role) return false;
  const { can_invite_users_group, create_multiuse_invite_group } = org.realm.current;
  const right = 'revoked' in invitation ? create_multiuse_invite_group : can_invite_users_group;
  return allows(org, right, inviter);
}

/** What an invitation that still stands gives at this moment. */
export interface PresentTerms {
  readonly channels: number[];
  readonly groups: number[];
  readonly welcomeText: string | null;
}

/**
 * The part of an invitation's terms that its inviter could offer now: a channel they were removed from,
 * or a group they may not add to any more, is left out.
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
