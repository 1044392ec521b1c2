import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { randomKeyVersion } from '../accounts/accounts.js';
import { activeBotsOf } from './bots.js';
import { emitPeerChange } from '../channels/channel-events.js';
import type { Organization } from '../state/organization.js';
import { giveBot } from './role-change.js';
import { captureMembership, emitMembershipDiff } from './membership-snapshot.js';
import type { Transaction } from '../state/transaction.js';

/** What ends with an account, beyond its documents. */
export interface DeactivationParts {
  /** Ends the queues of a user: waiting polls get 401, sockets close with 4003. */
  readonly endQueues: (userId: number) => void;
  /** Drops what is known of a user's presence. */
  readonly forgetPresence: (userId: number) => void;
  /** Takes back what a user invited; part of the transaction. */
  readonly revokeInvitations?: (tx: Transaction, user: UserDocument) => void;
}

/**
 * Deactivates an account and, before it, each active bot it owns, with the events of
 * events.md#order, "deactivate user", for each: `subscription` peer_remove; the groups and permission values that
 * named it; `realm_user` is_active false. Its key is dead with the transaction and its queues end once
 * that is durable. Subscriptions and places in people's own groups are kept for a return; presence
 * and status are dropped without an event. Checks nothing.
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
  const standing = captureMembership(org, user_id);
  org.users.update(user_id, { is_active: false });
  emitPeerChange(tx, 'peer_remove', subscribedChannels(org, user_id));
  emitMembershipDiff(tx, standing);
  tx.emit('realm_user', { to: 'all' }, { op: 'update', person: { user_id, is_active: false } });
  org.presences.delete(user_id);
  org.statuses.delete(user_id);
  parts.revokeInvitations?.(tx, user);
  tx.onceDurable(() => {
    parts.endQueues(user_id);
    parts.forgetPresence(user_id);
  });
}

/**
 * Brings an account back with the events of events.md#order, "reactivate user": `realm_user`
 * is_active true, its groups, `subscription` peer_add. A bot whose owner is not active goes to whoever
 * brings it back, with a role that is not above theirs and a new key, for the former owner knows the old
 * one. Checks nothing.
 */
export function reactivateUser(tx: Transaction, user: UserDocument, actor: UserDocument): void {
  if (user.is_active) return;
  const { org } = tx;
  const { user_id } = user;
  const standing = captureMembership(org, user_id);
  const returned = org.users.update(user_id, { is_active: true });
  tx.emit('realm_user', { to: 'all' }, { op: 'update', person: { user_id, is_active: true } });
  emitMembershipDiff(tx, standing);
  emitPeerChange(tx, 'peer_add', subscribedChannels(org, user_id));
  const { bot_owner_id } = returned;
  if (returned.is_bot && (bot_owner_id === null || !org.users.active.has(bot_owner_id))) {
    const renewed = org.users.update(user_id, { key_version: randomKeyVersion() });
    giveBot(tx, renewed, actor);
  }
}

/** The channels an account is subscribed to, each with itself. */
function subscribedChannels(org: Organization, userId: number): Map<ChannelDocument, number[]> {
  const found = new Map<ChannelDocument, number[]>();
  for (const sub of org.subscriptions.ofUser(userId).values()) {
    const channel = org.channels.get(sub.stream_id);
    if (sub.active && channel) found.set(channel, [userId]);
  }
  return found;
}
