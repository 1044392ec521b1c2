/** What people of a Slack export say of themselves. */
import { PROFILE_FIELD_TYPE as TYPE } from '../../../../schemas/users/profile-fields.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { addProfile, addProfileField, textType } from '../profiles.js';
import { part, text } from './slack-files.js';

/** Parts of every profile that become fields where anybody filled them in. */
const PARTS = [
  { key: 'title', name: 'Title', type: TYPE.shortText },
  { key: 'phone', name: 'Phone', type: TYPE.shortText },
  { key: 'skype', name: 'Skype', type: TYPE.shortText },
  { key: 'pronouns', name: 'Pronouns', type: TYPE.pronouns },
  // Which the workspace showed in the place of the name.
  { key: 'display_name', name: 'Display name', type: TYPE.shortText },
] as const;

/**
 * Makes custom profile fields of profiles, and fills them in. The fields that a workspace made itself are in an export
 * by their ids alone, so they are named by them.
 */
export function addProfiles(
  tx: Transaction,
  markdown: Markdown,
  users: readonly JsonRow[],
  userIds: ReadonlyMap<string, number>,
  omissions: Omissions,
): void {
  const { profileFields, counters } = tx.org;
  const fields = new Map<string, number>();
  const fieldOf = (key: string, name: string, type: number): number => {
    let id = fields.get(key);
    if (id === undefined) {
      id = counters.next('custom_profile_field');
      fields.set(key, id);
      const values = users.map((row) => text(part(row, 'profile'), key));
      const fitting = type === TYPE.shortText ? textType(values) : type;
      addProfileField(tx, { id, type: fitting, name }, omissions);
    }
    return id;
  };
  for (const row of users) {
    const profile = part(row, 'profile');
    const filled = new Map<number, unknown>();
    for (const { key, name, type } of PARTS) {
      const value = text(profile, key);
      const isName =
        key === 'display_name' &&
        value === tx.org.users.get(userIds.get(text(row, 'id'))!)!.full_name;
      if (value !== '' && !isName) filled.set(fieldOf(key, name, type), value);
    }
    for (const [key, field] of Object.entries(part(profile, 'fields'))) {
      const value = text(part({ field }, 'field'), 'value');
      if (value === '') continue;
      if (!fields.has(`own ${key}`)) {
        omissions.add('custom profile fields whose names are not in the export, named by ids', key);
      }
      filled.set(fieldOf(`own ${key}`, key, TYPE.longText), value);
    }
    // Which fields were left out was said.
    for (const id of filled.keys()) if (!profileFields.has(id)) filled.delete(id);
    addProfile(tx, markdown, userIds.get(text(row, 'id'))!, filled, omissions);
  }
}
