import {
  ACCOUNT_DEFAULTS,
  ROLE,
  type Role,
  type UserDocument,
} from '../../../schemas/users/user-document.js';
import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import { emitGroupMembers } from '../views/group-events.js';
import type { UserSettings } from '../../../schemas/users/user-settings.js';
import { emitUserAdd, emitUserUpdate } from '../views/user-events.js';
import { ROLE_GROUP } from '../../../schemas/groups/permissions.js';
import { queueMailIfRoom } from '../mail/delivery.js';
import { newAccountSettings } from './settings-defaults.js';
import { subscribeUsers } from '../channels/subscribing.js';
import { checkMemberFits } from '../access/quotas.js';
import type { Transaction } from '../state/transaction.js';
import { emitAway } from '../personal/user-statuses.js';
import { RECORD_EVERY_SECONDS } from '../state/collections/presences.js';
import { isoMinutes } from '../views/user-view.js';
import { restartWaitingPeriod } from '../groups/full-members.js';
import { newToken } from '../../services/auth/random-token.js';

/** Properties of a new account; the caller has checked name and address (`account-checks.ts`). */
export interface NewAccount {
  readonly email: string;
  readonly full_name: string;
  readonly role: Role;
  /** Null for an account that gets a password later. */
  readonly password_hash: string | null;
  readonly can_change_user_emails?: boolean;
  readonly is_email_unverified?: boolean;
  /** Created by somebody else: the person joins with the first login. */
  readonly awaits_first_login?: boolean;
  /** Channels to subscribe to, not archived; absent means the default channels. */
  readonly channels?: readonly number[];
  /** Settings the person chose at sign-up. */
  readonly settings?: Partial<UserSettings>;
}

/** Dependencies of account creation. */
export interface AccountParts {
  /** Random text from which the API key is derived; for tests. Absent: 96 random bits. */
  readonly newKeyVersion?: () => string;
}

/**
 * Creates a human's account with its events in the order of events.md#order, "create user".
 * Settings start from the organization's defaults for new accounts.
 * @throws ApiError where the organization may have no more people
 */
export function createUser(
  tx: Transaction,
  account: NewAccount,
  parts: AccountParts = {},
): UserDocument {
  const { newKeyVersion = randomKeyVersion } = parts;
  checkMemberFits(tx.org);
  const { channels = tx.org.channels.defaults(), settings, ...fields } = account;
  const user = tx.org.users.insert({
    ...blankUser(tx, newKeyVersion()),
    ...fields,
  });
  // Before the first event: the settings decide who sees the address.
  const own = newAccountSettings(tx.org, user.user_id, settings);
  if (own) tx.org.settings.insert(own);
  emitUserAdd(tx, user);
  emitRoleMembership(tx, user, 'add_members');
  if (own?.presence_enabled === false) emitAway(tx, user);
  subscribeUsers(tx, {
    channels: channels.map((id) => tx.org.channels.get(id)!),
    userIds: [user.user_id],
  });
  return user;
}

/** 96 random bits: too many to guess. */
export function randomKeyVersion(): string {
  return newToken(12);
}

/**
 * Creates a system bot, which posts notices; without a key, so nobody can log in as it.
 * @param bot with the id that it has already, or undefined for the next one
 */
export function createSystemBot(
  tx: Transaction,
  bot: { readonly email: string; readonly full_name: string; readonly user_id: number | undefined },
): UserDocument {
  const { user_id, ...said } = bot;
  return tx.org.users.insert({
    ...blankUser(tx, '', user_id),
    ...said,
    is_bot: true,
    bot_type: 1,
    is_system_bot: true,
  });
}

/** Fields that all new accounts have in common. @param user_id default: the next one */
export function blankUser(
  tx: Transaction,
  keyVersion: string,
  user_id: number = tx.org.counters.next('user'),
): UserDocument {
  return {
    ...ACCOUNT_DEFAULTS,
    user_id,
    email: '',
    full_name: '',
    date_joined: tx.now,
    avatar_source: tx.org.realm.current.default_avatar_source,
    key_version: keyVersion,
  };
}

/** Emits that the user gained or lost the direct memberships of system groups that follow from the role. */
export function emitRoleMembership(
  tx: Transaction,
  user: UserDocument,
  op: 'add_members' | 'remove_members',
): void {
  const { groups } = tx.org;
  const emit = (group: GroupDocument) => emitGroupMembers(tx, op, group, [user.user_id]);
  emit(groups.system(ROLE_GROUP[user.role]));
  if (user.role === ROLE.member && tx.org.isFullMember(user)) {
    emit(groups.system('role:fullmembers'));
  }
}

/**
 * Records a login: the first one sets `date_joined` (specification-resources.md#user-profile-object) and ends
 * the state of an import stub, with the events of events-people.md#people, "join date" and "stub claimed".
 * Later logins change nothing but the day of the last activity; users who want it get a mail, but for a browser that they
 * use.
 */
export function recordLogin(tx: Transaction, user: UserDocument, isKnownDevice = false): void {
  const { awaits_first_login = false, is_imported_stub, user_id } = user;
  recordActivity(tx, user_id);
  if (!awaits_first_login && !is_imported_stub) {
    if (!isKnownDevice) mailLogin(tx, user);
    return;
  }
  restartWaitingPeriod(tx, user, () => {
    tx.org.users.update(user_id, {
      date_joined: tx.now,
      awaits_first_login: false,
      is_imported_stub: false,
    });
    const date_joined = isoMinutes(tx.now);
    if (date_joined !== isoMinutes(user.date_joined)) {
      emitUserUpdate(tx, { user_id, date_joined });
    }
  });
  if (is_imported_stub) emitUserUpdate(tx, { user_id, is_imported_stub: false });
}

/** A login is activity as a request is, which is recorded once a day. */
function recordActivity(tx: Transaction, user_id: number): void {
  const recorded = tx.org.activities.get(user_id)?.active_at ?? 0;
  if (tx.seconds - recorded < RECORD_EVERY_SECONDS) return;
  tx.org.activities.insert({ user_id, active_at: tx.seconds });
}

/** Logins so soon after joining are of the one who joined; milliseconds. */
const JUST_JOINED_MS = 60_000;

/** Mails a person that somebody logged in to their account (settings.md#user-settings, `enable_login_emails`). */
function mailLogin(tx: Transaction, user: UserDocument): void {
  const { user_id, email, full_name } = user;
  if (!tx.org.settings.value(user_id, 'enable_login_emails')) return;
  if (tx.now - user.date_joined < JUST_JOINED_MS) return;
  queueMailIfRoom(tx, email, { kind: 'new_login', full_name, at: tx.now });
}
