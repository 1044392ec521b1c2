import { hidesUsers } from '../access/user-access.js';
import { emitUserUpdate } from '../views/user-events.js';
import {
  captureAccess,
  emitAccessChange,
  knownIds,
  type FormerAccess,
} from '../views/access-change.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { botsOf, changeBotOwner, emitBotsTo } from './bots.js';
import { emitDefaultChannelsTo } from '../views/channel-events.js';
import { revokeExcessInvitationsOf } from '../invitations/invite.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator, isGuest } from '../access/permissions.js';
import { captureMembership, emitMembershipDiff } from './membership-snapshot.js';
import type { Transaction } from '../state/transaction.js';
import { renewExportAddresses } from '../views/realm-exports.js';
import { canSeeEmail } from '../views/user-view.js';

/** Whether a user is the only active human owner. */
export function isLastOwner(org: Organization, user: UserDocument): boolean {
  if (user.role !== ROLE.owner || !user.is_active || user.is_bot) return false;
  for (const id of org.users.active) {
    const other = org.users.get(id)!;
    if (id !== user.user_id && other.role === ROLE.owner && !other.is_bot) return false;
  }
  return true;
}

/**
 * Changes an account's role, with events in the order of events.md#order, "change role": `realm_user` role;
 * the role groups; channels that the account gained or lost access to. Then, to the account itself,
 * everything else that a snapshot shows by role: default channels (none for guests), real addresses that
 * it gained or lost access to, and the bots that administrators see. A demotion lowers the account's bots and
 * revokes invitations that it could no longer make; that of an administrator renews the addresses of exports. The caller has checked rights.
 */
export function changeRole(tx: Transaction, user: UserDocument, role: Role): UserDocument {
  if (user.role === role) return user;
  const { org } = tx;
  const { user_id } = user;
  const former = captureMembership(org, user_id);
  const access = accessBefore(org, user, role);
  const changed = org.users.update(user_id, { role });
  emitUserUpdate(tx, { user_id, role });
  emitMembershipDiff(tx, former);
  if (changed.is_active) emitView(tx, user, changed);
  emitAccessChange(tx, access);
  if (role > user.role) settleDemotion(tx, user, changed);
  return changed;
}

/** Captures whom an account sees before it becomes a guest, or ceases to be one. */
function accessBefore(org: Organization, user: UserDocument, role: Role): FormerAccess {
  if (!user.is_active || !hidesUsers(org) || isGuest(user) === (role === ROLE.guest)) return [];
  return captureAccess(org, [{ viewerIds: [user.user_id], userIds: knownIds(org) }]);
}

/** Emits to an account what it sees differently with its new role. */
function emitView(tx: Transaction, former: UserDocument, viewer: UserDocument): void {
  if (isGuest(former) !== isGuest(viewer)) emitDefaultChannelsTo(tx, viewer);
  emitAddresses(tx, former, viewer);
  emitBotsTo(tx, viewer, former.role);
}

/** Applies a demotion to the account's bots and invitations, and to the addresses of exports that it knows. */
function settleDemotion(tx: Transaction, former: UserDocument, user: UserDocument): void {
  for (const bot of botsOf(tx.org, user.user_id)) fitToOwner(tx, bot, user);
  revokeExcessInvitationsOf(tx, user.user_id);
  if (former.is_active && isAdministrator(former) && !isAdministrator(user)) {
    renewExportAddresses(tx);
  }
}

/**
 * Lowers a bot's role to that of its owner where it is above, because the owner has its key. A user with
 * the higher role may raise it again.
 */
function fitToOwner(tx: Transaction, bot: UserDocument, owner: UserDocument): UserDocument {
  return bot.role < owner.role ? changeRole(tx, bot, owner.role) : bot;
}

/** Changes a bot's owner, and its role where it is above the new owner's; emits both changes. */
export function giveBot(tx: Transaction, bot: UserDocument, owner: UserDocument): UserDocument {
  if (bot.bot_owner_id === owner.user_id) return bot;
  // Before the new owner gets the bot's private data.
  const fit = fitToOwner(tx, bot, owner);
  return changeBotOwner(tx, fit, owner);
}

/** Emits real addresses that the viewer's new role shows or hides (`email_address_visibility`). */
function emitAddresses(tx: Transaction, former: UserDocument, viewer: UserDocument): void {
  const { org } = tx;
  // One for all: there may be ten thousand.
  const audience = { to: 'users', users: [viewer.user_id] } as const;
  // Only users with a settings document hide their address.
  for (const { user_id } of org.settings.values()) {
    const other = org.users.get(user_id);
    if (!other || user_id === viewer.user_id) continue;
    const sees = canSeeEmail(org, viewer, other);
    if (sees === canSeeEmail(org, former, other)) continue;
    emitUserUpdate(tx, { user_id, delivery_email: sees ? other.email : null }, audience);
  }
}
