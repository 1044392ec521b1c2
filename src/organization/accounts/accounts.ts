import { randomBytes } from 'node:crypto';
import {
  ACCOUNT_DEFAULTS,
  ROLE,
  type Role,
  type UserDocument,
} from '../../../schemas/users/user-document.js';
import type { UserSettings } from '../../../schemas/users/user-settings.js';
import type { RealmUserAddData } from '../../journal/renderers/realm-user.js';
import { emailAudiences } from '../views/email-visibility.js';
import { ROLE_GROUP } from '../../../schemas/groups/permissions.js';
import { newAccountSettings } from './settings-defaults.js';
import { subscribeUsers } from '../channels/subscribing.js';
import type { Transaction } from '../state/transaction.js';
import { emitAway } from '../personal/user-statuses.js';
import { clientCanComputeAvatar, userFields, isoMinutes } from '../views/user-view.js';
import { beginWaiting } from '../groups/full-members.js';

/** What a new account is made of; name and address were checked (`account-checks.ts`). */
export interface NewAccount {
  readonly email: string;
  readonly full_name: string;
  readonly role: Role;
  /** Null for an account that gets a password later. */
  readonly password_hash: string | null;
  readonly can_change_user_emails?: boolean;
  /** Made by somebody else, so that the person joins with the first login. */
  readonly awaits_first_login?: boolean;
  /** Channels to subscribe to, not archived; absent means the default channels. */
  readonly channels?: readonly number[];
  /** Settings the person chose, where they make the account themselves. */
  readonly settings?: Partial<UserSettings>;
}

/** What account creation needs of others. */
export interface AccountParts {
  /** Random text; a user's API key is derived from it. For tests, otherwise 96 random bits. */
  readonly newKeyVersion?: () => string;
  /** Messages that welcome and announce; after everything else. */
  readonly announce?: (tx: Transaction, user: UserDocument) => void;
}

/**
 * Creates a human's account with its events in the order of events.md#order, "create user".
 * Settings are those the organization wants new accounts to start with.
 */
export function createUser(
  tx: Transaction,
  account: NewAccount,
  parts: AccountParts = {},
): UserDocument {
  const { newKeyVersion = randomKeyVersion } = parts;
  const { channels = tx.org.channels.defaults(), settings, ...fields } = account;
  const user = tx.org.users.insert({
    ...blankUser(tx, newKeyVersion()),
    ...fields,
  });
  // Before the first event, for it decides who sees the address.
  const own = newAccountSettings(tx.org, user.user_id, settings);
  if (own) tx.org.settings.insert(own);
  emitUserAdd(tx, user);
  emitRoleMembership(tx, user, 'add_members');
  if (own?.presence_enabled === false) emitAway(tx, user);
  subscribeUsers(tx, {
    channels: channels.map((id) => tx.org.channels.get(id)!),
    userIds: [user.user_id],
  });
  parts.announce?.(tx, user);
  return user;
}

/** 96 random bits. */
export function randomKeyVersion(): string {
  return randomBytes(12).toString('base64url');
}

/** A system bot: it writes notices and is nobody's account, so it has no key anybody could use. */
export function createSystemBot(
  tx: Transaction,
  bot: { readonly email: string; readonly full_name: string },
): UserDocument {
  return tx.org.users.insert({
    ...blankUser(tx, ''),
    ...bot,
    is_bot: true,
    bot_type: 1,
    is_system_bot: true,
  });
}

/** What every new account has in common; takes its id. */
export function blankUser(tx: Transaction, keyVersion: string): UserDocument {
  return {
    ...ACCOUNT_DEFAULTS,
    user_id: tx.org.counters.next('user'),
    email: '',
    full_name: '',
    date_joined: tx.now,
    avatar_source: tx.org.realm.current.default_avatar_source,
    key_version: keyVersion,
  };
}

/** `realm_user` add to everybody, with the real address for those who may see it. */
export function emitUserAdd(tx: Transaction, user: UserDocument): void {
  const { org } = tx;
  const computable_avatar = clientCanComputeAvatar(org, user);
  const data = (emailVisible: boolean): RealmUserAddData => ({
    op: 'add',
    person: userFields(org, user, emailVisible, { clientGravatar: false, withProfile: true }),
    computable_avatar,
  });
  const { seeing, others } = emailAudiences(org, user);
  tx.emit('realm_user', seeing, data(true));
  tx.emit('realm_user', others, data(false));
}

/** The user's direct memberships of system groups, announced as gained or lost. */
export function emitRoleMembership(
  tx: Transaction,
  user: UserDocument,
  op: 'add_members' | 'remove_members',
): void {
  const { groups } = tx.org;
  const user_ids = [user.user_id];
  const emit = (group_id: number) =>
    tx.emit('user_group', { to: 'all' }, { op, group_id, user_ids });
  emit(groups.system(ROLE_GROUP[user.role]).id);
  if (user.role === ROLE.member && tx.org.isFullMember(user)) {
    emit(groups.system('role:fullmembers').id);
  }
}

/**
 * Notes that somebody has logged in: who has not before joins with it (specification-resources.md#user-profile-object:
 * `date_joined`), and is no stub of an import any more. Told as events-people.md#people says, "join date" and
 * "stub claimed"; later logins change nothing.
 */
export function recordLogin(tx: Transaction, user: UserDocument): void {
  const { awaits_first_login = false, is_imported_stub, user_id } = user;
  if (!awaits_first_login && !is_imported_stub) return;
  const tell = (change: Readonly<Record<string, unknown>>): void =>
    tx.emit('realm_user', { to: 'all' }, { op: 'update', person: { user_id, ...change } });
  beginWaiting(tx, user, () => {
    tx.org.users.update(user_id, {
      date_joined: tx.now,
      awaits_first_login: false,
      is_imported_stub: false,
    });
    const date_joined = isoMinutes(tx.now);
    if (date_joined !== isoMinutes(user.date_joined)) tell({ date_joined });
  });
  if (is_imported_stub) tell({ is_imported_stub: false });
}
