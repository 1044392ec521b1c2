import type { ChannelDocument } from '../../../schemas/documents/channel.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/documents/user.js';
import { MAX_INVITATION_MINUTES } from '../../../schemas/limits.js';
import { badRequest, mustBe } from '../../errors.js';
import { canAddSubscribers } from '../channel-rights.js';
import { canAddToGroup } from '../group-membership.js';
import { insufficient, knownGroup } from '../group-rights.js';
import type { Organization } from '../organization.js';
import { allows, canReadChannel, canSeeChannel, isAdministrator } from '../permissions.js';

/**
 * Only roles equal to or more restricted than one's own may be given (seed, endpoint 9).
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
 * The channels of an invitation (seed, endpoint 9): default ones, or ones the caller may add
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
  const mayAdd = (channel: ChannelDocument): boolean =>
    canReadChannel(org, caller, channel) && canAddSubscribers(org, caller, channel);
  const unfit = channels.some((channel) => !channel.is_default && !mayAdd(channel));
  if (unfit || !maySubscribeOthers(org, caller, mayAdd)) {
    throw badRequest('You do not have permission to subscribe other users to channels.');
  }
  return channels.map((channel) => channel.stream_id);
}

/** Whether the caller may subscribe others to any channel at all. */
function maySubscribeOthers(
  org: Organization,
  caller: UserDocument,
  mayAdd: (channel: ChannelDocument) => boolean,
): boolean {
  if (allows(org, org.realm.current.can_add_subscribers_group, caller)) return true;
  for (const channel of org.channels.values()) {
    if (!channel.is_archived && mayAdd(channel)) return true;
  }
  return false;
}

function invitableChannel(org: Organization, caller: UserDocument, id: number): ChannelDocument {
  const channel = org.channels.get(id);
  if (!channel || channel.is_archived || !canSeeChannel(org, caller, channel)) {
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
    if (group.is_system_group || !canAddToGroup(org, caller, group)) throw insufficient();
  }
  return unique;
}

/** Only administrators write greetings; for others it is the organization's (seed, endpoint 9). */
export function checkedWelcomeText(
  caller: UserDocument,
  text: string | null | undefined,
): string | null {
  return isAdministrator(caller) ? (text ?? null) : null;
}
