/**
 * The only place that emits `realm_user` and `user_status` (events-people.md#people): add, update and remove of an
 * account, and its status, to users who may see it.
 */
import type { EventFields } from '../../../schemas/events.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { Audience } from '../../journal/entry.js';
import type { RealmUserAddData } from '../../journal/renderers/realm-user.js';
import { guestsWithoutAccess, withAccessTo } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { UNKNOWN_USER, unknownUser } from './unknown-user.js';
import {
  apiEmail,
  avatarUrl,
  canSeeEmail,
  clientCanComputeAvatar,
  statusObject,
  userFields,
} from './user-view.js';

/** What an update shows of an account: its id, and the changed properties. */
type ChangedPerson = Extract<EventFields<'realm_user'>, { op: 'update' }>['person'];

/** The keys of a status that changed. */
type StatusChange = Omit<EventFields<'user_status'>, 'user_id'>;

/** Emits changed properties of an account. @param audience default: all who may see the account */
export function emitUserUpdate(
  tx: Transaction,
  person: ChangedPerson,
  audience: Audience = withAccessTo(tx.org, tx.org.users.get(person.user_id)!),
): void {
  tx.emit('realm_user', audience, { op: 'update', person });
}

/** The properties that an update shows of a changed picture (specification.md#events). */
export function avatarForm(org: Organization, user: UserDocument) {
  return {
    user_id: user.user_id,
    avatar_source: user.avatar_source,
    avatar_url: avatarUrl(org, user),
    avatar_url_medium: avatarUrl(org, user, 'medium'),
    avatar_version: user.avatar_version,
  };
}

/**
 * Emits a new account to everybody, with the real address for users who may see it; as an unknown user to guests who
 * may not see it.
 */
export function emitUserAdd(tx: Transaction, user: UserDocument): void {
  const { org } = tx;
  const { seeing, others } = emailAudiences(org, user);
  tx.emit('realm_user', seeing, addData(org, user, true));
  tx.emit('realm_user', others, addData(org, user, false));
  const blind = guestsWithoutAccess(org, user);
  if (blind.length === 0) return;
  const person = unknownUser(org, user.user_id, true);
  const placeholder = { op: 'add', person, computable_avatar: false, is_unknown: true } as const;
  tx.emit('realm_user', { to: 'users', users: blind }, placeholder);
}

/** Emits an account to viewers who gained access to it. */
export function emitUserAddTo(
  tx: Transaction,
  user: UserDocument,
  viewerIds: readonly number[],
): void {
  const { org } = tx;
  const viewers = viewerIds.map((id) => org.users.get(id)!);
  for (const emailVisible of [true, false]) {
    const users = viewers
      .filter((viewer) => canSeeEmail(org, viewer, user) === emailVisible)
      .map(({ user_id }) => user_id);
    tx.emit('realm_user', { to: 'users', users }, addData(org, user, emailVisible));
  }
}

/** Emits to viewers that they lost access to an account. */
export function emitUserRemove(
  tx: Transaction,
  { user_id }: UserDocument,
  viewerIds: readonly number[],
): void {
  const person = { user_id, full_name: UNKNOWN_USER };
  tx.emit('realm_user', { to: 'users', users: viewerIds }, { op: 'remove', person });
}

function addData(org: Organization, user: UserDocument, emailVisible: boolean): RealmUserAddData {
  return {
    op: 'add',
    person: userFields(org, user, emailVisible, { clientGravatar: false, withProfile: true }),
    computable_avatar: clientCanComputeAvatar(org, user),
  };
}

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
  const update = (roles: Audience, delivery_email: string | null): void =>
    emitUserUpdate(tx, { user_id, delivery_email }, withAccessTo(org, user, roles));
  update(roleRange(org, before, after, user_id), user.email);
  update(roleRange(org, after, before, user_id), null);
  const email = apiEmail(org, user);
  if (email !== formerEmail) emitEmailChange(tx, user, email);
}

/** Emits a new API e-mail, after the picture where that is derived from it. */
export function emitEmailChange(tx: Transaction, user: UserDocument, new_email: string): void {
  if (user.avatar_source === 'G') emitUserUpdate(tx, avatarForm(tx.org, user));
  emitUserUpdate(tx, { user_id: user.user_id, new_email });
}

/** Emits changed keys of a user's status to all who may see the user. */
export function emitStatus(tx: Transaction, user: UserDocument, changed: StatusChange): void {
  tx.emit('user_status', withAccessTo(tx.org, user), { user_id: user.user_id, ...changed });
}

/** Emits a user's status, if there is one, to viewers who gained access to the user. */
export function emitStatusTo(
  tx: Transaction,
  user: UserDocument,
  viewerIds: readonly number[],
): void {
  const status = statusObject(tx.org, user);
  if (Object.keys(status).length === 0) return;
  const audience = { to: 'users', users: viewerIds } as const;
  tx.emit('user_status', audience, { user_id: user.user_id, ...status });
}
