import { DEFAULTABLE_SETTINGS } from '../../../schemas/realm/realm.js';
import {
  DEFAULT_USER_SETTINGS,
  SETTING_NAMES,
  type UserSettings,
} from '../../../schemas/users/user-settings.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { UserSettingsDocument } from '../state/collections/users.js';
import type { SettingsDefaultsDocument } from '../state/collections/realm.js';

/**
 * Changes the default settings of new accounts; emits one `realm_user_settings_defaults` event per changed
 * setting. Existing accounts keep theirs: the values are copied when an account is created. The caller has
 * checked the values.
 */
export function changeSettingsDefaults(tx: Transaction, values: SettingsDefaultsDocument): void {
  const { settingsDefaults } = tx.org;
  const current = settingsDefaults.effective;
  const changed = DEFAULTABLE_SETTINGS.filter(
    (name) => values[name] !== undefined && values[name] !== current[name],
  );
  if (changed.length === 0) return;
  settingsDefaults.change(Object.fromEntries(changed.map((name) => [name, values[name]])));
  for (const property of changed) {
    const value = values[property]!;
    tx.emit('realm_user_settings_defaults', { to: 'all' }, { op: 'update', property, value });
  }
}

/**
 * The settings document of a new account, or null where all settings equal the server's own defaults.
 * The language is the organization's.
 *
 * @param chosen settings the person chose at sign-up
 */
export function newAccountSettings(
  org: Organization,
  userId: number,
  chosen: Readonly<Partial<UserSettings>> = {},
): UserSettingsDocument | null {
  const wanted: UserSettings = {
    ...org.settingsDefaults.effective,
    default_language: org.realm.current.default_language,
    ...chosen,
  };
  const names = SETTING_NAMES.filter((name) => wanted[name] !== DEFAULT_USER_SETTINGS[name]);
  const edited = Object.keys(chosen);
  if (names.length + edited.length === 0) return null;
  const own = Object.fromEntries(names.map((name) => [name, wanted[name]]));
  return { ...own, user_id: userId, edited };
}
