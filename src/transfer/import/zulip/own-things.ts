/** Settings, statuses, views, drafts and hints of people of a Zulip export, and the settings that new people get. */
import Value from 'typebox/value';
import { MAX_NAVIGATION_VIEWS } from '../../../../schemas/limits.js';
import { ONBOARDING_STEPS } from '../../../../schemas/personal/onboarding.js';
import { DEFAULTABLE_SETTINGS } from '../../../../schemas/realm/realm.js';
import {
  DEFAULT_USER_SETTINGS,
  SETTING_NAMES,
  settingFault,
  USER_SETTINGS,
  type SettingName,
  type UserSettings,
} from '../../../../schemas/users/user-settings.js';
import { ApiError } from '../../../errors/index.js';
import { addNavigationView } from '../../../organization/personal/navigation-views.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { USER_CODES, worded } from './codes.js';
import { addDrafts } from './drafts.js';
import { integer, textIn, type LeftOut, type RealmFile } from './realm-file.js';

const NO_PERSON = 'of people who are missing';

/** Settings that exist here under the same name and take the value; what has another value is named. */
export function settingsIn(row: JsonRow, omissions: Omissions): Partial<UserSettings> {
  const found: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    if (row[name] === undefined) continue;
    const value = worded(USER_CODES[name], row[name]);
    if (isValid(name, value)) found[name] = value;
    else
      omissions.add(
        'personal settings with a value that is unknown here',
        `${name}: ${String(value)}`,
      );
  }
  return found;
}

function isValid(name: SettingName, value: unknown): boolean {
  if (!Value.Check(USER_SETTINGS[name].schema, value)) return false;
  // No time zone is that of the browser.
  return (name === 'timezone' && value === '') || settingFault(name, value) === undefined;
}

/** Adds all of it, once people and channels are there. */
export function addPersonalThings(tx: Transaction, file: RealmFile, omissions: Omissions): void {
  file.each('zerver_realmuserdefault', omissions, (row) => addDefaults(tx, row, omissions));
  file.each('zerver_userstatus', omissions, (row) => addStatus(tx, row));
  file.each('zerver_onboardingstep', omissions, (row) => addStep(tx, row));
  file.each('zerver_navigationview', omissions, (row) => addView(tx, row));
  addDrafts(tx, file, omissions);
}

function addDefaults({ org }: Transaction, row: JsonRow, omissions: Omissions): LeftOut {
  const given = settingsIn(row, omissions);
  const names = DEFAULTABLE_SETTINGS.filter((name) => {
    return given[name] !== undefined && given[name] !== DEFAULT_USER_SETTINGS[name];
  });
  if (names.length === 0) return null;
  org.settingsDefaults.change(Object.fromEntries(names.map((name) => [name, given[name]])));
  return null;
}

function addStatus({ org }: Transaction, row: JsonRow): LeftOut {
  const user_id = integer(row, 'user_profile');
  if (!org.users.has(user_id)) return NO_PERSON;
  const [status_text, emoji_name] = [textIn(row, 'status_text'), textIn(row, 'emoji_name')];
  const emoji_code = textIn(row, 'emoji_code');
  if (status_text === '' && emoji_name === '') return null;
  const reaction_type = emoji_name === '' ? '' : textIn(row, 'reaction_type');
  if (reaction_type === 'realm_emoji' && !org.customEmoji.has(Number(emoji_code))) {
    return 'by custom emoji that are missing';
  }
  org.statuses.insert({
    ...{ user_id, status_text, emoji_name, reaction_type },
    emoji_code: emoji_name === '' ? '' : emoji_code,
  });
  return null;
}

function addStep({ org }: Transaction, row: JsonRow): LeftOut {
  const user_id = integer(row, 'user');
  const name = textIn(row, 'onboarding_step');
  if (!org.users.has(user_id)) return NO_PERSON;
  if (!(ONBOARDING_STEPS as readonly string[]).includes(name)) return 'of hints that are not here';
  const taken = org.onboarding.get(user_id)?.taken ?? [];
  if (!taken.includes(name)) org.onboarding.insert({ user_id, taken: [...taken, name] });
  return null;
}

function addView(tx: Transaction, row: JsonRow): LeftOut {
  const user_id = integer(row, 'user');
  if (!tx.org.users.has(user_id)) return NO_PERSON;
  const fragment = textIn(row, 'fragment');
  const name = textIn(row, 'name');
  try {
    const is_pinned = row['is_pinned'] === true;
    addNavigationView(tx, user_id, { fragment, is_pinned, ...(name === '' ? {} : { name }) });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `that are refused here, or above ${MAX_NAVIGATION_VIEWS} of a person: ${error.message}`;
  }
}
