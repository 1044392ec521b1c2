import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { isAdministrator, without } from '../access/permissions.js';
import { guestsWithoutAccess, withAccessTo } from '../access/user-access.js';
import { renewExportAddresses } from '../views/realm-exports.js';
import { emitUserUpdate } from '../views/user-events.js';
import { captureAccess, emitAccessChange, type FormerAccess } from '../views/access-change.js';
import { randomKeyVersion } from '../accounts/accounts.js';
import { endSessions } from '../accounts/sessions.js';
import { revokeInvitationsOf } from '../invitations/invite.js';
import { activeBotsOf } from './bots.js';
import { emitPeerChange } from '../channels/subscription-events.js';
import type { Organization } from '../state/organization.js';
import { giveBot } from './role-change.js';
import { captureMembership, emitMembershipDiff } from './membership-snapshot.js';
import { checkMemberFits } from '../access/quotas.js';
import type { Transaction } from '../state/transaction.js';

/** What ends with an account beside its documents. */
export interface DeactivationParts {
  /** Ends the queues of a user: waiting polls get 401, sockets close with 4003. */
  readonly endQueues: (userId: number) => void;
  /** Ends a user's presence sessions. */
  readonly forgetPresence: (userId: number) => void;
}

/**
 * Deactivates an account and, before it, each active bot it owns, with the events of events.md#order, "deactivate
 * user", for each: `subscription` peer_remove; the groups and permission values that named it; `realm_user` is_active
 * false, or remove to guests who shared only channels with it. Its key is invalid from the transaction on, and its
 * queues end once that is durable. Subscriptions and memberships of ordinary groups are kept for a reactivation;
 * presence and status are deleted without an event. That of an administrator renews the addresses of exports. The caller has checked rights.
 */
export function deactivateUser(
  tx: Transaction,
  user: UserDocument,
  parts: DeactivationParts,
): void {
  if (!user.is_active) return;
  for (const bot of activeBotsOf(tx.org, user.user_id)) deactivateOne(tx, bot, parts);
  deactivateOne(tx, user, parts);
}

function deactivateOne(tx: Transaction, user: UserDocument, parts: DeactivationParts): void {
  const { org } = tx;
  const { user_id } = user;
  const former = captureMembership(org, user_id);
  const access = accessBefore(org, user_id);
  org.users.update(user_id, { is_active: false });
  emitPeerChange(tx, 'peer_remove', subscribedChannels(org, user_id));
  emitMembershipDiff(tx, former);
  emitUserUpdate(tx, { user_id, is_active: false }, withAccessTo(org, user));
  emitAccessChange(tx, access);
  org.presences.delete(user_id);
  org.statuses.delete(user_id);
  endSessions(tx, user_id);
  revokeInvitationsOf(tx, user_id);
  if (isAdministrator(user)) renewExportAddresses(tx);
  parts.forgetPresence(user_id);
  tx.onceDurable(() => parts.endQueues(user_id));
}

/**
 * Reactivates an account with the events of events.md#order, "reactivate user": `realm_user` is_active true, or add to
 * guests who share a channel with it, its groups, `subscription` peer_add. A bot without an active owner goes to the
 * actor, with a role not above theirs and a new key, because the former owner knows the old one. The caller has checked
 * rights.
 * @throws ApiError where the organization may have no more people
 */
export function reactivateUser(tx: Transaction, user: UserDocument, actor: UserDocument): void {
  if (user.is_active) return;
  const { org } = tx;
  if (!user.is_bot) checkMemberFits(org);
  const { user_id } = user;
  const former = captureMembership(org, user_id);
  const blind = guestsWithoutAccess(org, user);
  const access = accessBefore(org, user_id);
  const returned = org.users.update(user_id, { is_active: true });
  emitUserUpdate(tx, { user_id, is_active: true }, without({ to: 'all' }, blind));
  emitAccessChange(tx, access, { emitsGroups: false });
  emitMembershipDiff(tx, former);
  emitPeerChange(tx, 'peer_add', subscribedChannels(org, user_id));
  const { bot_owner_id } = returned;
  if (returned.is_bot && (bot_owner_id === null || !org.users.active.has(bot_owner_id))) {
    const renewed = org.users.update(user_id, { key_version: randomKeyVersion() });
    giveBot(tx, renewed, actor);
  }
}

/**
 * Captures which guests see an account before it becomes active or ceases to be: then it is in the channels that it
 * shares with them, or not.
 */
function accessBefore(org: Organization, userId: number): FormerAccess {
  return captureAccess(org, [{ viewerIds: org.users.activeGuests, userIds: [userId] }]);
}

/** Channels to which an account is subscribed, each mapped to its id. */
function subscribedChannels(org: Organization, userId: number): Map<ChannelDocument, number[]> {
  const found = new Map<ChannelDocument, number[]>();
  for (const sub of org.subscriptions.ofUser(userId).values()) {
    const channel = org.channels.get(sub.stream_id);
    if (sub.active && channel) found.set(channel, [userId]);
  }
  return found;
}
