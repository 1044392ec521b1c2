import * as descriptors from '../../../schemas/users/settings.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  isUserSetting,
  normalizeSetting,
  SETTING_NAMES,
  settingFault,
  USER_SETTINGS,
  type Setting,
  type SettingName,
} from '../../../schemas/users/user-settings.js';
import { badRequest, mustBe } from '../../errors/index.js';
import { checkedFullName } from '../../organization/accounts/account-checks.js';
import { endSessions } from '../../organization/accounts/sessions.js';
import { onlyPlace } from '../../organization/accounts/login-places.js';
import { checkNewAddress, requestAddressChange } from '../../organization/accounts/email-change.js';
import type { Organization } from '../../organization/state/organization.js';
import { isAdministrator } from '../../organization/access/permissions.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import type { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import {
  changeFullName,
  changeOwnSettings,
  changeSettingsOf,
  type SettingValues,
} from '../../organization/users/settings-change.js';
import { usersInGroups } from '../../organization/access/group-members.js';
import type { Transaction } from '../../organization/state/transaction.js';
import {
  handleInParts,
  permitting,
  type AnyHandler,
  type CallerRequest,
} from '../kernel/handler.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { MailLimiter } from '../kernel/limiters.js';
import type { SessionCookies } from '../accounts/session-cookies.js';
import { logInBrowser } from '../accounts/sessions.js';
import { isOtherAddress, refuseOfDirectory, requireProof } from '../accounts/address-proof.js';
import {
  preparePassword,
  type NewPassword,
  type PasswordParts,
} from '../accounts/password-change.js';
import { regenerateKey, type KeyParts } from './user-administration.js';

/** Dependencies of the settings endpoints. */
interface SettingsParts extends PasswordParts, KeyParts {
  readonly presence: PresenceTracker;
  readonly linkKeys: LinkKeys;
  readonly mailLimiter: MailLimiter;
  readonly sessions: SessionCookies;
  /** Makes the clients of a user's streams and sockets come back, because a session has ended. */
  readonly renewPush: (userId: number) => void;
}

type Descriptor = typeof descriptors.updateSettings;
type Params = ParamsOf<Descriptor>;
type Request = CallerRequest<Descriptor>;

/**
 * `PATCH /settings` and its two older names (specification-endpoints.md#update-settings; settings.md#user-settings).
 */
export function settingsHandlers(parts: SettingsParts): AnyHandler[] {
  const { updateSettings, updateDisplaySettings, updateNotificationSettings } = descriptors;
  return [updateSettings, updateDisplaySettings, updateNotificationSettings].map((descriptor) =>
    permitting(
      (_org, user, { gives }) => {
        if (gives('target_users') && !isAdministrator(user)) throw mustBe('administrator');
      },
      handleInParts<Descriptor, NewPassword | null>(
        descriptor,
        function* (change, request, password) {
          const { target_users, regenerate_api_key = false } = request.params;
          if (target_users) {
            yield* changeOthers(change, request, target_users);
            return {};
          }
          changeOwn(change.tx, request, password, parts);
          if (!regenerate_api_key) return {};
          return { api_key: regenerateKey(change.tx, request.user, parts) };
        },
        (org, request) => {
          const { email, old_password, new_password, target_users } = request.params;
          if (target_users) return null;
          // Nearly all requests: they wait for nothing.
          if ([email, old_password, new_password].every((one) => one === undefined)) return null;
          return prepareAccount(org, parts, request);
        },
      ),
    ),
  );
}

async function prepareAccount(
  org: Organization,
  parts: SettingsParts,
  request: Request,
): Promise<NewPassword | null> {
  const { user, params } = request;
  if (isOtherAddress(user, params.email)) await refuseOfDirectory(org, parts, user);
  const password = await preparePassword(org, parts, request, params);
  // A new password was given with the old one.
  if (password !== null) return password;
  const email = newAddress(org, user, params.email);
  await requireProof(org, parts, request, params.old_password, email !== null);
  return null;
}

/** Checks the settings of a request and converts them to stored form. @throws ApiError */
export function settingValues(params: Partial<Record<SettingName, unknown>>): SettingValues {
  const values: Record<string, unknown> = {};
  for (const name in params) {
    if (!isUserSetting(name) || params[name] === undefined) continue;
    const value = normalizeSetting(name, params[name]);
    const fault = settingFault(name, value);
    if (fault !== undefined) throw badRequest(fault);
    values[name] = value;
  }
  return values;
}

/** Checks everything before it changes anything, so that a request applies whole or not at all. */
function changeOwn(
  tx: Transaction,
  request: Request,
  password: NewPassword | null,
  { presence, linkKeys, mailLimiter, keys, sessions, renewPush }: SettingsParts,
): void {
  const { user, params, clientName, remoteAddress } = request;
  const values = settingValues(params);
  const name = newName(tx.org, user, params.full_name);
  const email = newAddress(tx.org, user, params.email);
  if (password) {
    // Another request changed the password while this one was checked.
    if (password.replaces !== user.password_hash) throw badRequest('Wrong password!');
    tx.org.users.update(user.user_id, {
      password_hash: password.hash,
      ...onlyPlace(user, keys, remoteAddress),
    });
    endSessions(tx, user.user_id);
    // A new key closes them for good.
    if (!params.regenerate_api_key) tx.onceDurable(() => renewPush(user.user_id));
    // A new one, because somebody else may have the cookie of the former.
    if (request.sessionId !== undefined) logInBrowser(tx, sessions, user, request);
  }
  changeFullName(tx, user, name);
  const current = tx.org.users.get(user.user_id)!;
  if (email !== null) {
    mailLimiter.emailChange(user.user_id);
    requestAddressChange(tx, linkKeys, current, email);
  }
  changeOwnSettings(tx, current, values, { presence, client: clientName });
}

/** The checked name; the present one where changes are not allowed, which clients expect to be ignored silently. */
function newName(org: Organization, user: UserDocument, raw: string | undefined): string {
  const locked = org.realm.current.name_changes_disabled && !isAdministrator(user);
  if (raw === undefined || locked || raw.trim() === user.full_name) return user.full_name;
  return checkedFullName(org, raw, user.user_id);
}

/**
 * An address to be confirmed, checked; null for the present one. It takes effect only when its owner
 * follows the link sent there (specification-resources.md#user-settings).
 */
function newAddress(org: Organization, user: UserDocument, raw: string | undefined): string | null {
  const email = raw?.trim();
  if (email === undefined || email.toLowerCase() === user.email.toLowerCase()) return null;
  checkNewAddress(org, user, email);
  return email;
}

type TargetUsers = NonNullable<Params['target_users']>;

/** Changes settings of others (settings.md#user-settings, `target_users`). */
function* changeOthers(
  change: PartedChange,
  { user, params }: Request,
  target: TargetUsers,
): Parts<void> {
  if (!isAdministrator(user)) throw mustBe('administrator');
  const { user_ids = [], group_ids = [], skip_if_already_edited = false } = target;
  if (user_ids.length === 0 && group_ids.length === 0) {
    throw badRequest('Either user_ids or group_ids must be provided.');
  }
  const values = settingValues(params);
  if (asksForOwn(params) || namesSensitive(values)) {
    throw badRequest('Cannot change this setting for other users.');
  }
  const ids = targets(change.org, user_ids, group_ids);
  yield* changeSettingsOf(change, ids, values, skip_if_already_edited);
}

function asksForOwn(params: Params): boolean {
  const { full_name, email, old_password, new_password, regenerate_api_key } = params;
  const own = [full_name, email, old_password, new_password, regenerate_api_key];
  return own.some((value) => value !== undefined);
}

function namesSensitive(values: SettingValues): boolean {
  return SETTING_NAMES.some(
    (name) => values[name] !== undefined && (USER_SETTINGS[name] as Setting).securitySensitive,
  );
}

/**
 * The humans among users named and active members of groups named, ascending. A deactivated user who
 * is named has the new values after reactivation.
 */
function targets(
  org: Organization,
  userIds: readonly number[],
  groupIds: readonly number[],
): number[] {
  const found = new Set<number>();
  for (const id of userIds) {
    const user = org.users.get(id);
    if (!user || user.is_system_bot) throw badRequest(`Invalid user ID: ${id}`);
    found.add(id);
  }
  for (const id of groupIds) {
    const group = org.groups.get(id);
    if (!group) throw badRequest('Invalid user group');
    // It has no members: the change would succeed and reach nobody.
    if (group.deactivated) throw badRequest('User group is deactivated.');
  }
  if (groupIds.length > 0) {
    for (const id of usersInGroups(org, groupIds)) found.add(id);
  }
  return [...found].filter((id) => !org.users.get(id)!.is_bot).sort((a, b) => a - b);
}
