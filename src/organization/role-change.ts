import { ROLE, type Role, type UserDocument } from '../../schemas/documents/user.js';
import { tellBotsTo } from './bots.js';
import { defaultChannelIds } from './channel-snapshot.js';
import type { Organization } from './organization.js';
import { isGuest } from './permissions.js';
import { noteStanding, tellStanding } from './standing.js';
import type { Transaction } from './transaction.js';
import { canSeeEmail } from './user-view.js';

/** Whether an active user is the only active human owner there is. */
export function isLastOwner(org: Organization, user: UserDocument): boolean {
  if (user.role !== ROLE.owner || !user.is_active || user.is_bot) return false;
  for (const id of org.users.active) {
    const other = org.users.get(id)!;
    if (id !== user.user_id && other.role === ROLE.owner && !other.is_bot) return false;
  }
  return true;
}

/**
 * Gives an account another role, with its events in the order of events.md section 7, "change role":
 * `realm_user` role; the role groups; the channels that came in sight or went out of it. What else a
 * snapshot shows by role follows, to the account itself: the default channels (none for guests), real
 * addresses it may see or not see any more, and the bots that administrators see. Checks nothing.
 */
export function changeRole(tx: Transaction, user: UserDocument, role: Role): UserDocument {
  if (user.role === role) return user;
  const { org } = tx;
  const { user_id } = user;
  const standing = noteStanding(org, user_id);
  const changed = org.users.update(user_id, { role });
  tx.emit('realm_user', { to: 'all' }, { op: 'update', person: { user_id, role } });
  tellStanding(tx, standing);
  if (!changed.is_active) return changed;
  if (isGuest(user) !== isGuest(changed)) tellDefaultChannelsTo(tx, changed);
  tellAddresses(tx, user, changed);
  tellBotsTo(tx, changed, user.role);
  return changed;
}

function tellDefaultChannelsTo(tx: Transaction, user: UserDocument): void {
  const default_streams = defaultChannelIds(tx.org, user);
  if (tx.org.channels.defaults().length === 0) return;
  tx.emit('default_streams', { to: 'users', users: [user.user_id] }, { default_streams });
}

/** Real addresses that the viewer's new role shows or hides (`email_address_visibility`). */
function tellAddresses(tx: Transaction, former: UserDocument, viewer: UserDocument): void {
  const { org } = tx;
  // Only who has settings of their own hides anything.
  for (const { user_id } of org.settings.values()) {
    const other = org.users.get(user_id);
    if (!other || user_id === viewer.user_id) continue;
    const sees = canSeeEmail(org, viewer, other);
    if (sees === canSeeEmail(org, former, other)) continue;
    const person = { user_id, delivery_email: sees ? other.email : null };
    tx.emit('realm_user', { to: 'users', users: [viewer.user_id] }, { op: 'update', person });
  }
}
