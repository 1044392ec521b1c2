import { emitUserUpdate } from '../views/user-events.js';
import {
  PROFILE_FIELD_TYPE as TYPE,
  type ProfileFieldDocument,
  type ProfileValue,
} from '../../../schemas/users/profile-fields.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_PROFILE_TEXT_LENGTH, MAX_SHORT_PROFILE_TEXT_LENGTH } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { invalidCharacterAt } from '../../services/text/stored-text.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** A value, as in requests; an empty text, an empty list or null clears it. */
interface ProfileEntry {
  readonly id: number;
  readonly value: unknown;
}

/** A checked value; null clears the field. */
export interface CheckedEntry {
  readonly field: ProfileFieldDocument;
  readonly value: string | null;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Checks values for a user (endpoints-users.md#user-administration).
 *
 * @param byAdmin administrators may also set fields that users may not set themselves
 * @throws ApiError `Field id {id} not found.`, or the fault of a value
 */
export function checkedProfile(
  org: Organization,
  entries: readonly ProfileEntry[],
  byAdmin: boolean,
): CheckedEntry[] {
  return entries.map(({ id, value }) => {
    const field = editableField(org, id, byAdmin);
    return { field, value: isBlank(value) ? null : checkedValue(org, field, value) };
  });
}

/** A field that the caller may set. @throws ApiError */
export function editableField(
  org: Organization,
  id: number,
  byAdmin: boolean,
): ProfileFieldDocument {
  const field = org.profileFields.get(id);
  if (!field) throw badRequest(`Field id ${id} not found.`);
  if (!field.editable_by_user && !byAdmin) {
    throw badRequest(
      'You are not allowed to change this field. Contact an administrator to update it.',
    );
  }
  return field;
}

function isBlank(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function checkedValue(org: Organization, field: ProfileFieldDocument, value: unknown): string {
  const { name, type } = field;
  if (type === TYPE.users) return checkedUsers(org, name, value);
  if (typeof value !== 'string') throw badRequest(`${name} is not a string`);
  if (value.includes('\0')) throw badRequest(`${name} must not contain null bytes`);
  const limit =
    type === TYPE.longText || type === TYPE.url
      ? MAX_PROFILE_TEXT_LENGTH
      : MAX_SHORT_PROFILE_TEXT_LENGTH;
  if ([...value].length > limit) {
    throw badRequest(`${name} is too long (limit: ${limit} characters)`);
  }
  const position = invalidCharacterAt(value, type === TYPE.longText);
  if (position !== null) throw badRequest(`Invalid character in ${name}, at position ${position}!`);
  switch (type) {
    case TYPE.select:
      if (Object.hasOwn(choicesOf(field), value)) return value;
      throw badRequest(`'${value}' is not a valid choice for '${name}'.`);
    case TYPE.date:
      if (isDate(value)) return value;
      throw badRequest(`${name} is not a date`);
    case TYPE.url:
      if (isWebAddress(value)) return value;
      throw badRequest(`${name} is not a URL`);
    default:
      return value;
  }
}

/** Ids of users, as JSON text. */
function checkedUsers(org: Organization, name: string, value: unknown): string {
  if (!Array.isArray(value)) throw badRequest(`${name} is not a list`);
  for (const id of value as unknown[]) {
    const user = typeof id === 'number' ? org.users.get(id) : undefined;
    if (!user || user.is_system_bot) throw badRequest(`Invalid user ID: ${String(id)}`);
    if (!user.is_active) throw badRequest(`User with ID ${user.user_id} is deactivated`);
    if (user.is_bot) throw badRequest(`User with ID ${user.user_id} is a bot`);
  }
  return JSON.stringify([...new Set(value as number[])]);
}

/** The choices of a field of type "list of options", by key. */
function choicesOf(field: Pick<ProfileFieldDocument, 'field_data'>): object {
  return field.field_data === '' ? {} : (JSON.parse(field.field_data) as object);
}

function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Whether a text is an http or https URL in which everything can be seen. */
export function isWebAddress(text: string): boolean {
  // The parser leaves line breaks and some invisible characters out.
  if (!URL.canParse(text) || /\s/.test(text) || invalidCharacterAt(text) !== null) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}

/** Renders a value to HTML, for types of fields that support Markdown. */
type RenderValue = (org: Organization, text: string) => string;

/**
 * Stores checked values: one `realm_user` event per field that changed (events-people.md#people), to
 * everybody.
 */
export function setProfile(
  tx: Transaction,
  user: UserDocument,
  entries: readonly CheckedEntry[],
  render: RenderValue,
): void {
  for (const { field, value } of entries) {
    const former = tx.org.profiles.of(user.user_id, field.id);
    if ((former?.value ?? null) === value) continue;
    const shown = value === null ? null : shownValue(field, value, (text) => render(tx.org, text));
    store(tx, user.user_id, String(field.id), shown);
  }
}

/** A checked value as it is stored and shown: with HTML for types that support Markdown. */
export function shownValue(
  { type }: ProfileFieldDocument,
  value: string,
  render: (text: string) => string,
): ProfileValue {
  const isMarkdown = type === TYPE.shortText || type === TYPE.longText;
  return { value, ...(isMarkdown ? { rendered_value: render(value) } : {}) };
}

function store(tx: Transaction, user_id: number, id: string, shown: ProfileValue | null): void {
  const values = { ...tx.org.profiles.get(user_id)?.values };
  if (shown === null) delete values[id];
  else values[id] = shown;
  tx.org.profiles.insert({ user_id, values });
  const custom_profile_field = { id: Number(id), ...(shown ?? { value: null }) };
  emitUserUpdate(tx, { user_id, custom_profile_field });
}

/** Clears values that are no longer among a field's choices. */
export function clearLostChoices(tx: Transaction, field: ProfileFieldDocument): void {
  const choices = choicesOf(field);
  const id = String(field.id);
  for (const { user_id, values } of [...tx.org.profiles.values()]) {
    const value = values[id]?.value;
    if (value !== undefined && !Object.hasOwn(choices, value)) store(tx, user_id, id, null);
  }
}

/** Maximal number of choices of one field. */
const MAX_CHOICES = 500;
/** Characters of the text of a choice. */
const MAX_CHOICE_LENGTH = 100;
/** Placeholder for the name in the link of an external account. */
const USERNAME = '%(username)s';

/** Sites that an external account may name by its key (`realm_default_external_accounts`). */
export const DEFAULT_EXTERNAL_ACCOUNTS: Readonly<Record<string, ExternalAccount>> = {
  github: {
    name: 'GitHub username',
    text: 'GitHub',
    hint: '',
    url_pattern: `https://github.com/${USERNAME}`,
  },
  gitlab: {
    name: 'GitLab username',
    text: 'GitLab',
    hint: '',
    url_pattern: `https://gitlab.com/${USERNAME}`,
  },
  twitter: {
    name: 'X username',
    text: 'X (formerly Twitter)',
    hint: '',
    url_pattern: `https://x.com/${USERNAME}`,
  },
};

/** A site where people have accounts (register-realm.md#realm). */
interface ExternalAccount {
  /** Name of a field whose request gives none. */
  readonly name: string;
  readonly text: string;
  readonly hint: string;
  readonly url_pattern: string;
}

/** The site that a field's data names by its key; null for other fields. */
export function defaultAccountOf(fieldData: string): ExternalAccount | null {
  if (fieldData === '') return null;
  const { subtype } = JSON.parse(fieldData) as { subtype?: unknown };
  return (typeof subtype === 'string' && DEFAULT_EXTERNAL_ACCOUNTS[subtype]) || null;
}

type Json = Record<string, unknown>;

/**
 * Checks the data of a field by its type and returns it as JSON text
 * (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields): the choices of a list of options as
 * `{key: {text, order}}`, the site of an external account as `{subtype, url_pattern?}`; an empty text for
 * other types, which ignore it.
 * @throws ApiError such as `Field must have at least one choice.`
 */
export function checkedFieldData(type: number, data: unknown): string {
  if (type === TYPE.select) return JSON.stringify(checkedChoices(data ?? {}));
  if (type === TYPE.externalAccount) return JSON.stringify(checkedAccount(data ?? {}));
  return '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkedChoices(data: unknown): Json {
  if (!isObject(data)) throw badRequest('field_data is not a dict');
  const entries = Object.entries(data);
  if (entries.length === 0) throw badRequest('Field must have at least one choice.');
  if (entries.length > MAX_CHOICES) {
    throw badRequest(`field_data is too long (limit: ${MAX_CHOICES} items)`);
  }
  const texts = new Set<string>();
  const choices = entries.map(([key, choice]): [string, Json] => {
    const where = `field_data["${key}"]`;
    if (key.trim() === '') throw badRequest("'value' cannot be blank");
    if (!isObject(choice)) throw badRequest(`${where} is not a dict`);
    const text = checkedText(`${where}["text"]`, choice.text);
    const order = checkedText(`${where}["order"]`, choice.order);
    if (texts.has(text)) throw badRequest('Field must not have duplicate choices.');
    texts.add(text);
    return [key, { text, order }];
  });
  return Object.fromEntries(choices);
}

function checkedText(where: string, value: unknown): string {
  if (typeof value !== 'string') throw badRequest(`${where} is not a string`);
  const text = value.trim();
  if (text === '') throw badRequest(`${where} cannot be blank`);
  if ([...text].length > MAX_CHOICE_LENGTH) {
    throw badRequest(`${where} is too long (limit: ${MAX_CHOICE_LENGTH} characters)`);
  }
  const position = invalidCharacterAt(text);
  if (position !== null)
    throw badRequest(`Invalid character in ${where}, at position ${position}!`);
  return text;
}

function checkedAccount(data: unknown): Json {
  if (!isObject(data)) throw badRequest('field_data is not a dict');
  const { subtype, url_pattern } = data;
  if (typeof subtype !== 'string') throw badRequest('subtype key is missing from field_data');
  if (Object.hasOwn(DEFAULT_EXTERNAL_ACCOUNTS, subtype)) return { subtype };
  if (subtype !== 'custom') throw badRequest('Invalid external account type');
  if (typeof url_pattern !== 'string') {
    throw badRequest('Custom external account must define URL pattern');
  }
  const parts = url_pattern.split(USERNAME);
  if (parts.length !== 2 || !isWebAddress(parts.join('name'))) {
    throw badRequest('url_pattern is not a URL');
  }
  return { subtype, url_pattern };
}
