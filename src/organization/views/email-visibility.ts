import type { EventFields } from '../../../schemas/events.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { Audience } from '../../journal/entry.js';
import type { Organization } from '../state/organization.js';
import { withAccessTo } from '../access/user-access.js';
import { apiEmail, avatarUrl } from './user-view.js';
import type { Transaction } from '../state/transaction.js';

/** The least privileged role that sees a real address, by `email_address_visibility`. */
const LEAST_ROLE: Readonly<Record<number, number>> = {
  1: ROLE.guest,
  2: ROLE.member,
  3: ROLE.administrator,
  4: 0,
  5: ROLE.moderator,
};

function leastRole(visibility: number): number {
  return LEAST_ROLE[visibility] ?? 0;
}

/** Active users whose role is at most `least` (so at least as privileged), ascending. */
function usersUpTo(org: Organization, least: number): number[] {
  const ids: number[] = [];
  for (const id of org.users.active) {
    if (org.users.get(id)!.role <= least) ids.push(id);
  }
  return ids.sort((a, b) => a - b);
}

/** Users whose role is above `low` and up to `high`, except the user themselves. */
function roleRange(org: Organization, low: number, high: number, self: number): Audience {
  if (low >= high) return { to: 'users', users: [] };
  if (high === ROLE.guest) return { to: 'all', except: [...usersUpTo(org, low), self] };
  const users = usersUpTo(org, high).filter((id) => id !== self && org.users.get(id)!.role > low);
  return { to: 'users', users };
}

/**
 * Two disjoint audiences that together are all who see the user: those who may see the user's real address, and
 * those who may not. Either may be empty.
 */
export function emailAudiences(
  org: Organization,
  user: UserDocument,
): { seeing: Audience; others: Audience } {
  const visibility = org.settings.value(user.user_id, 'email_address_visibility');
  const least = user.is_bot ? ROLE.guest : leastRole(visibility);
  const nobody: Audience = { to: 'users', users: [] };
  if (least === ROLE.guest) return { seeing: withAccessTo(org, user), others: nobody };
  const seeing = usersUpTo(org, least).filter((id) => id !== user.user_id);
  seeing.push(user.user_id);
  return {
    // Below guests: all of them see the user.
    seeing: { to: 'users', users: seeing },
    others: withAccessTo(org, user, { to: 'all', except: seeing }),
  };
}

/** The avatar variant of `realm_user` update (specification.md#events). */
export function avatarForm(org: Organization, user: UserDocument) {
  return {
    user_id: user.user_id,
    avatar_source: user.avatar_source,
    avatar_url: avatarUrl(org, user),
    avatar_url_medium: avatarUrl(org, user, 'medium'),
    avatar_version: user.avatar_version,
  };
}

type UserUpdate = Extract<EventFields<'realm_user'>, { op: 'update' }>;

/**
 * Emits the address to users who gained or lost access to it, and the API e-mail to all users when it
 * changed, too (events-personal.md#personal-data). Call it after the setting was changed.
 *
 * @param formerEmail the API e-mail before
 */
export function emitVisibilityChange(
  tx: Transaction,
  user: UserDocument,
  former: number,
  formerEmail: string,
): void {
  const { org } = tx;
  const { user_id } = user;
  const before = leastRole(former);
  const after = leastRole(org.settings.value(user_id, 'email_address_visibility'));
  const update = (audience: Audience, person: UserUpdate['person']) =>
    tx.emit('realm_user', withAccessTo(org, user, audience), { op: 'update', person });
  update(roleRange(org, before, after, user_id), { user_id, delivery_email: user.email });
  update(roleRange(org, after, before, user_id), { user_id, delivery_email: null });
  const email = apiEmail(org, user);
  if (email === formerEmail) return;
  if (user.avatar_source === 'G') update({ to: 'all' }, avatarForm(org, user));
  update({ to: 'all' }, { user_id, new_email: email });
}
