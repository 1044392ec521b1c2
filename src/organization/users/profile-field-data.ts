import { PROFILE_FIELD_TYPE as TYPE } from '../../../schemas/users/profile-field-document.js';
import { badRequest } from '../../errors.js';
import { isWebAddress } from './profile-values.js';

/** Choices of one field at most. */
const MAX_CHOICES = 500;
/** Keys of choices, and their texts. */
const MAX_CHOICE_LENGTH = 100;
/** Where an external account's link takes the name. */
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
  /** What a field is called that its creator gave no name. */
  readonly name: string;
  readonly text: string;
  readonly hint: string;
  readonly url_pattern: string;
}

/** What a field that names such a site is called where the request does not say; null for others. */
export function defaultAccountOf(fieldData: string): ExternalAccount | null {
  if (fieldData === '') return null;
  const { subtype } = JSON.parse(fieldData) as { subtype?: unknown };
  return (typeof subtype === 'string' && DEFAULT_EXTERNAL_ACCOUNTS[subtype]) || null;
}

type Json = Record<string, unknown>;

/**
 * What a field of some type needs beyond its name, as JSON text (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields): the choices
 * of a list of options as `{key: {text, order}}`, the site of an external account as `{subtype,
 * url_pattern?}`; an empty text for the others, whatever was sent.
 * @throws ApiError `Field must have at least one choice.` and the like
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
