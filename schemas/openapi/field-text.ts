import { DECLARATIONS } from '../declarations.js';
import { isFieldTexts, type FieldText, type FieldTexts } from '../field-texts.js';
import { saying, ofValue } from './saying.js';
import { exampleOf, type Json } from './json-schema.js';

/** Those of all files; a test refuses a name that two of them explain. */
export const ALL_FIELD_TEXTS: readonly FieldTexts[] = DECLARATIONS.filter(isFieldTexts);

const TEXTS: FieldTexts = Object.assign({}, ...ALL_FIELD_TEXTS) as FieldTexts;

/** Objects with the fields of another, which alone explains them. */
const LIKE: Readonly<Record<string, string>> = {
  EventMessage: 'Message',
  ListedChannel: 'Channel',
  Subscription: 'Channel',
  DraftInput: 'Draft',
  // An event repeats the object under the field that has it.
  person: 'User',
  fields: 'ProfileField',
  group: 'UserGroup',
  channel_folder: 'ChannelFolder',
};

/** Objects whose remaining fields are explained as the parameters of the operation that sets them. */
const SET_BY: Readonly<Record<string, string>> = {
  Channel: 'update-channel',
  UserGroup: 'update-user-group',
  user_group: 'update-user-group',
  realm: 'update-realm',
};

/** What may be said of a field: of the innermost holder first. */
function sayings(holders: readonly string[], name: string): FieldText[] {
  const keys = holders.toReversed().flatMap((holder) => {
    const like = LIKE[holder];
    return like === undefined ? [`${holder}.${name}`] : [`${holder}.${name}`, `${like}.${name}`];
  });
  return [...keys, name].flatMap((key) => (Object.hasOwn(TEXTS, key) ? [TEXTS[key]!] : []));
}

/** What a field means; undefined where nobody says. */
export function fieldText(holders: readonly string[], name: string): string | undefined {
  const [text] = sayings(holders, name);
  if (text === undefined) return textOfParameter(holders, name);
  return typeof text === 'object' ? text[0] : text;
}

function textOfParameter(holders: readonly string[], name: string): string | undefined {
  const kinds = holders.map((holder) => SET_BY[LIKE[holder] ?? holder]);
  const operation = kinds.find((kind) => kind !== undefined);
  const text = operation === undefined ? undefined : saying(operation, name);
  const words = typeof text === 'object' ? text[0] : text;
  return words === undefined ? undefined : ofValue(words);
}

/** A value of the field as its text has one. */
export function fieldExample(holders: readonly string[], name: string): unknown {
  const [text] = sayings(holders, name);
  return typeof text === 'object' ? text[1] : undefined;
}

const CHOICES = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const INNER = ['items', 'additionalProperties'] as const;

/**
 * A schema with a description and an example at each of its properties.
 *
 * @param holders of the schema's properties, from outside to inside
 */
export function inWords(schema: Json, holders: readonly string[]): Json {
  const { title } = schema;
  // What a titled object says does not depend on where it stands.
  const own = typeof title === 'string' ? [title] : holders;
  const result: Json = { ...schema };
  for (const key of CHOICES) {
    if (Array.isArray(schema[key])) {
      result[key] = (schema[key] as Json[]).map((one) => inWords(one, own));
    }
  }
  for (const key of INNER) {
    const inner = schema[key];
    if (typeof inner === 'object' && inner !== null) result[key] = inWords(inner as Json, own);
  }
  for (const key of ['properties', 'patternProperties']) {
    const fields = schema[key] as Record<string, Json> | undefined;
    if (!fields) continue;
    result[key] = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        key === 'properties' ? fieldInWords(name, field, own) : inWords(field, own),
      ]),
    );
  }
  return result;
}

function fieldInWords(name: string, field: Json, holders: readonly string[]): Json {
  const schema = inWords(field, [...holders, name]);
  schema.description ??= fieldText(holders, name);
  if (schema.examples === undefined && !('const' in schema)) {
    const own = fieldExample(holders, name);
    const example = own === undefined ? exampleOf(schema) : own;
    if (example !== undefined) schema.examples = [example];
  }
  return schema;
}
