import type { EventFields } from '../../../schemas/events.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { languageName } from '../../../schemas/realm/languages.js';
import {
  isUserSetting,
  SETTING_NAMES,
  type SettingName,
} from '../../../schemas/users/user-settings.js';
import { emitUserUpdate, emitVisibilityChange } from '../views/user-events.js';
import { forgetDrafts } from '../personal/drafts.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';
import { chunksOf, type PartedChange, type Parts } from '../state/parted-change.js';
import type { PresenceTracker } from '../presence/presence-tracker.js';
import type { Transaction } from '../state/transaction.js';
import { emitAway } from '../personal/user-statuses.js';
import { apiEmail } from '../views/user-view.js';

/** Users per part: each costs one document, with any number of settings. */
const USERS_IN_A_PART = 300;

/** Checked and normalized values of settings, by name. */
export type SettingValues = Readonly<Partial<Record<SettingName, SettingValue>>>;
/** As their event says it. */
type SettingValue = EventFields<'user_settings'>['value'];

/** Context of a change. */
interface SettingsContext {
  readonly presence: PresenceTracker;
  /** Name of the client program. */
  readonly client: string;
}

/**
 * Changes a user's own settings: emits one `user_settings` event per changed property, each followed by
 * its side effects (events-personal.md#personal-data). Equal values do nothing.
 */
export function changeOwnSettings(
  tx: Transaction,
  user: UserDocument,
  values: SettingValues,
  context: SettingsContext,
): void {
  const { org } = tx;
  const { user_id } = user;
  const changed = changedNames(org, user_id, values);
  if (changed.length === 0) return;
  const formerVisibility = org.settings.value(user_id, 'email_address_visibility');
  const formerEmail = apiEmail(org, user);
  store(tx, user_id, values, changed, withAll(org.settings.get(user_id)?.edited, changed));
  for (const property of changed) {
    emitSetting(tx, [user_id], property, values[property]!);
    switch (property) {
      case 'timezone':
        emitTimeZone(tx, user);
        break;
      case 'email_address_visibility':
        emitVisibilityChange(tx, user, formerVisibility, formerEmail);
        break;
      case 'presence_enabled':
        context.presence.sharingChanged(tx, user, context.client);
        emitUserUpdate(tx, { user_id, presence_enabled: values[property] === true });
        emitAway(tx, user);
        break;
      case 'enable_drafts_synchronization':
        if (values[property] === false) forgetDrafts(tx, user_id);
        break;
      case 'allow_private_data_export':
        emitExportConsent(tx, user);
        break;
      default:
    }
  }
}

/**
 * Changes settings of other users (`target_users`), some users in each part; emits one event per property
 * and part, to the users whose value changed.
 *
 * @param skipEdited keep settings that a user once changed themselves
 */
export function* changeSettingsOf(
  change: PartedChange,
  userIds: readonly number[],
  values: SettingValues,
  skipEdited: boolean,
): Parts<void> {
  let isFirst = true;
  for (const some of chunksOf(userIds, USERS_IN_A_PART)) {
    if (!isFirst) yield* change.nextPart();
    isFirst = false;
    changePart(change.tx, some, values, skipEdited);
  }
}

function changePart(
  tx: Transaction,
  userIds: readonly number[],
  values: SettingValues,
  skipEdited: boolean,
): void {
  const affected = new Map<SettingName, number[]>();
  for (const userId of userIds) {
    const edited = tx.org.settings.get(userId)?.edited ?? [];
    const changed = changedNames(tx.org, userId, values).filter(
      (name) => !skipEdited || !edited.includes(name),
    );
    if (changed.length === 0) continue;
    store(tx, userId, values, changed, edited);
    if (
      changed.includes('enable_drafts_synchronization') &&
      !values.enable_drafts_synchronization
    ) {
      forgetDrafts(tx, userId);
    }
    for (const name of changed) {
      const users = affected.get(name);
      if (users) users.push(userId);
      else affected.set(name, [userId]);
    }
  }
  for (const name of SETTING_NAMES) {
    emitSetting(tx, affected.get(name) ?? [], name, values[name]!);
  }
}

/** Position of each setting in the settings table, which is the order of the events. */
const PLACES: ReadonlyMap<string, number> = new Map(
  SETTING_NAMES.map((name, index) => [name, index]),
);

/** Settings whose value differs from the user's, in the order of the settings table. */
function changedNames(org: Organization, userId: number, values: SettingValues): SettingName[] {
  const { settings } = org;
  const changed: SettingName[] = [];
  for (const name in values) {
    if (!isUserSetting(name) || values[name] === undefined) continue;
    if (values[name] !== settings.value(userId, name)) changed.push(name);
  }
  return changed.length < 2 ? changed : changed.sort((a, b) => PLACES.get(a)! - PLACES.get(b)!);
}

/** The names with those that are not among them yet. */
function withAll(edited: readonly string[] = [], names: readonly string[]): readonly string[] {
  const more = names.filter((name) => !edited.includes(name));
  return more.length === 0 ? edited : [...edited, ...more];
}

/** @param names those of `values` that are stored */
function store(
  tx: Transaction,
  userId: number,
  values: SettingValues,
  names: readonly SettingName[],
  edited: readonly string[],
): void {
  // One by one: the spread of an object with any setting takes three times as long.
  const fields: Record<string, unknown> = {};
  for (const name of names) fields[name] = values[name];
  fields.edited = edited;
  const { settings } = tx.org;
  if (settings.has(userId)) settings.update(userId, fields);
  else settings.insert({ ...fields, user_id: userId, edited });
}

function emitSetting(
  tx: Transaction,
  users: readonly number[],
  property: SettingName,
  value: SettingValue,
): void {
  const language = property === 'default_language' ? languageName(String(value)) : undefined;
  tx.emit(
    'user_settings',
    { to: 'users', users },
    { op: 'update', property, value, ...(language ? { language_name: language } : {}) },
  );
}

function emitTimeZone(tx: Transaction, user: UserDocument): void {
  const { user_id } = user;
  const email = apiEmail(tx.org, user);
  const timezone = tx.org.settings.value(user_id, 'timezone');
  emitUserUpdate(tx, { user_id, email, timezone });
}

function emitExportConsent(tx: Transaction, user: UserDocument): void {
  const consented = tx.org.settings.value(user.user_id, 'allow_private_data_export');
  const users = [...tx.org.users.active].filter((id) => isAdministrator(tx.org.users.get(id)!));
  const data = { user_id: user.user_id, consented };
  tx.emit('realm_export_consent', { to: 'users', users: users.sort((a, b) => a - b) }, data);
}

/** Changes the display name, already checked, and emits it to everybody. */
export function changeFullName(tx: Transaction, user: UserDocument, fullName: string): void {
  if (fullName === user.full_name) return;
  tx.org.users.update(user.user_id, { full_name: fullName });
  emitUserUpdate(tx, { user_id: user.user_id, full_name: fullName });
}
