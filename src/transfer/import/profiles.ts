/** Custom profile fields of an imported organization, and their values. */
import {
  MAX_PROFILE_FIELD_HINT_LENGTH,
  MAX_PROFILE_FIELD_NAME_LENGTH,
  MAX_PROFILE_FIELDS,
  MAX_PROFILE_SUMMARY_FIELDS,
  MAX_SHORT_PROFILE_TEXT_LENGTH,
} from '../../../schemas/limits.js';
import {
  PROFILE_FIELD_TYPE,
  type ProfileFieldDocument,
  type ProfileValue,
} from '../../../schemas/users/profile-fields.js';
import { ApiError } from '../../errors/index.js';
import type { Transaction } from '../../organization/state/transaction.js';
import {
  checkedFieldData,
  checkedProfile,
  shownValue,
} from '../../organization/users/profile-fields.js';
import { renderDescription } from '../../resources/channels/wanted-channels.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { codePointLength, nameKey } from '../../services/text/stored-text.js';
import type { Omissions } from './import-job.js';

/** A field; what it leaves out is as for a new one. */
export type ImportedField = Pick<ProfileFieldDocument, 'id' | 'type' | 'name'> &
  Partial<ProfileFieldDocument> & {
    /** Its data, not checked yet. */
    readonly data?: unknown;
  };

/** The type of a field of texts: that of short ones, where all of them are. */
export function textType(values: readonly string[]): number {
  const isShort = values.every((one) => codePointLength(one) <= MAX_SHORT_PROFILE_TEXT_LENGTH);
  return isShort ? PROFILE_FIELD_TYPE.shortText : PROFILE_FIELD_TYPE.longText;
}

/** Adds a field with its id, last in order; the caller raises the counter. */
export function addProfileField(
  tx: Transaction,
  { data, ...field }: ImportedField,
  omissions: Omissions,
): void {
  const fields = tx.org.profileFields;
  const name = shortened(field.name.trim(), MAX_PROFILE_FIELD_NAME_LENGTH);
  const isTaken = [...fields.values()].some((one) => nameKey(one.name) === nameKey(name));
  const isKnown = Object.values<number>(PROFILE_FIELD_TYPE).includes(field.type);
  if (name === '' || isTaken || !isKnown || fields.size >= MAX_PROFILE_FIELDS) {
    omissions.add('custom profile fields of unknown type, of the same name, or too many', name);
    return;
  }
  const inSummary = [...fields.values()].filter((one) => one.display_in_profile_summary).length;
  try {
    fields.insert({
      ...{ required: false, editable_by_user: true, use_for_user_matching: false },
      ...field,
      ...{ name, order: fields.size + 1 },
      hint: shortened(field.hint ?? '', MAX_PROFILE_FIELD_HINT_LENGTH),
      field_data: checkedFieldData(field.type, data),
      display_in_profile_summary:
        field.display_in_profile_summary === true && inSummary < MAX_PROFILE_SUMMARY_FIELDS,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    omissions.add('custom profile fields with data of an unknown form', name);
  }
}

/** Sets a user's values by field id; values that are invalid for their fields are left out. */
export function addProfile(
  tx: Transaction,
  markdown: Markdown,
  user_id: number,
  given: ReadonlyMap<number, unknown>,
  omissions: Omissions,
): void {
  const { org } = tx;
  const values: Record<string, ProfileValue> = {};
  for (const [id, value] of given) {
    try {
      for (const entry of checkedProfile(org, [{ id, value }], true)) {
        if (entry.value === null) continue;
        const render = (text: string) => renderDescription(org, markdown, text);
        values[String(id)] = shownValue(entry.field, entry.value, render);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const name = org.users.get(user_id)!.full_name;
      omissions.add(
        'values of custom profile fields that do not fit here',
        `${name}: ${error.message}`,
      );
    }
  }
  if (Object.keys(values).length > 0) org.profiles.insert({ user_id, values });
}

function shortened(text: string, characters: number): string {
  return [...text].slice(0, characters).join('');
}
