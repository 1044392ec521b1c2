import type { TSchema } from 'typebox';
import { FILES } from '../../schemas/declarations.js';
import { isEndpoint, type EndpointDescriptor } from '../../schemas/endpoint.js';
import { isEvents } from '../../schemas/event.js';
import { ALL_ENDPOINTS } from '../../schemas/endpoints.js';
import type { Json } from '../../schemas/openapi/json-schema.js';
import { levelOfEvent, levelOfOperation } from '../../schemas/openapi/levels.js';
import { parameterText } from '../../schemas/openapi/parameter-text.js';
import { registerProperties } from '../../schemas/openapi/register-reply.js';
import { tagOf } from '../../schemas/openapi/tags.js';
import { USER_SETTINGS } from '../../schemas/users/user-settings.js';
import { OLD_EVENTS, OLD_OPERATIONS } from './old-levels.js';
import { publishedSchemas } from './published-schemas.js';

/*
 * What an addition to the contract forgot. Each answers with one line per omission, that names the file and what to
 * add there.
 */

interface Form {
  readonly title?: string;
  readonly anyOf?: readonly Form[];
  readonly properties?: Readonly<Record<string, { const?: string; anyOf?: { const: string }[] }>>;
}

/** An event in all its forms. */
function formsOf(schema: Form): readonly Form[] {
  return schema.anyOf?.flatMap(formsOf) ?? [schema];
}

/** `type op` of each form of an event; without `op` its type alone. */
export function namesOf(schema: TSchema): string[] {
  return formsOf(schema as Form).flatMap(({ properties }) => {
    const type = properties!.type!.const!;
    const { op } = properties!;
    if (!op) return [type];
    return (op.anyOf?.map((one) => one.const) ?? [op.const]).map((one) => `${type} ${one}`);
  });
}

/** The file that declares an operation, an event type or a titled object. */
function fileOf(holder: string): string {
  const declares = (value: unknown): boolean => {
    if (isEndpoint(value)) return value.operation === holder;
    if (isEvents(value)) {
      return value.some((one) => namesOf(one).some((name) => name.split(' ')[0] === holder));
    }
    return (value as Form | null)?.title === holder;
  };
  const found = Object.entries(FILES).find(([, file]) => Object.values(file).some(declares));
  return `schemas/${found?.[0] ?? '{area}/{file}'}.ts`;
}

/** Parameters that nobody explains; a setting of users once, though several operations take it. */
export function withoutParameterText(
  endpoints: readonly EndpointDescriptor[],
  settings: readonly string[] = Object.keys(USER_SETTINGS),
): string[] {
  const lines = endpoints.flatMap(({ operation, params }) =>
    Object.entries(params)
      .filter(([name, param]) => parameterText(operation, name, param) === undefined)
      .map(([name]) =>
        settings.includes(name)
          ? `schemas/users/setting-texts.ts: add '${name}' to settingTexts`
          : `${fileOf(operation)}: add '${operation}.${name}' or '${name}' to PARAMETER_TEXTS`,
      ),
  );
  return [...new Set(lines)];
}

/** Parameters that must be given and are not in the example; those with a twin are tried by its example. */
export function withoutExample(endpoints: readonly EndpointDescriptor[]): string[] {
  return endpoints
    .filter(({ unpublished }) => !unpublished)
    .flatMap(({ operation, params, example = {} }) =>
      Object.entries(params)
        .filter(([name, { presence }]) => presence === 'required' && !(name in example))
        .map(([name]) => `${fileOf(operation)}: add '${name}' to the example of '${operation}'`),
    );
}

/** Endpoints whose path no chapter of the published contract has. */
export function withoutTag(endpoints: readonly EndpointDescriptor[]): string[] {
  const paths = new Set(endpoints.map(({ path }) => path));
  return [...paths]
    .filter((path) => tagOf(path) === '')
    .map((path) => `schemas/openapi/tags.ts: add '${path}' to the paths of a tag`);
}

/** Endpoints without the feature level that brought them. */
export function withoutLevel(endpoints: readonly EndpointDescriptor[]): string[] {
  return endpoints
    .filter(({ operation, level }) => (level ?? levelOfOperation(operation)) === undefined)
    .filter(({ operation }) => !OLD_OPERATIONS.has(operation))
    .map(
      ({ operation }) => `${fileOf(operation)}: add 'level' to the descriptor of '${operation}'`,
    );
}

/** Types of events, or forms of them, without the feature level that brought them. */
export function withoutEventLevel(events: readonly TSchema[]): string[] {
  const all = [...new Set(events.flatMap(namesOf))];
  const typeOf = (name: string): string => name.split(' ')[0]!;
  const missing = all.filter((name) => {
    const [type = '', op] = name.split(' ');
    return levelOfEvent(type, op) === undefined && !OLD_EVENTS.has(name);
  });
  const isWhole = (type: string): boolean =>
    all.every((name) => typeOf(name) !== type || missing.includes(name));
  const keys = missing.map((name) => (isWhole(typeOf(name)) ? typeOf(name) : name));
  return [...new Set(keys)].map((key) => `schemas/openapi/levels.ts: add '${key}' to EVENT_LEVELS`);
}

/** Types of events that are about no section of the snapshot: nobody fetches what they tell by their name. */
const WITHOUT_SECTION: ReadonlySet<string> = new Set([
  ...['attachment', 'delete_message', 'heartbeat', 'invites_changed', 'reaction', 'realm_export'],
  ...['realm_export_consent', 'restart', 'submessage', 'typing', 'typing_edit_message'],
  'update_message',
]);

/** Event types by whose names `POST /register` fetches nothing. */
export function withoutSection(
  events: readonly TSchema[],
  sectionsOf: (types: readonly string[]) => ReadonlySet<string>,
): string[] {
  const types = new Set(events.flatMap(namesOf).map((name) => name.split(' ')[0]!));
  return [...types]
    .filter((type) => sectionsOf([type]).size === 0 && !WITHOUT_SECTION.has(type))
    .map(
      (type) =>
        `src/resources/queues/register/sections.ts: add '${type}' to SECTIONS, or to ` +
        'SECTION_OF_EVENT under the name of its section; without a section, to WITHOUT_SECTION of ' +
        'test/schemas/omissions.ts',
    );
}

/** Fields of the snapshot that the contract does not publish. */
export function withoutSnapshotField(fields: readonly string[]): string[] {
  const published = registerProperties();
  return fields
    .filter((field) => !Object.hasOwn(published, field))
    .map((field) => `schemas/openapi/register-sections.ts: add '${field}' to SECTION_FIELDS`);
}

/**
 * Files that name each collection of what is of one person, unless it is a `BelongingCollection`, and the fields that
 * they need not name.
 */
const OF_PERSONS: Readonly<Record<string, ReadonlySet<string>>> = {
  // They are forgotten with the devices.
  'src/organization/users/erasure.ts': new Set(['pushTokens']),
  // Secrets, what is read and marked, what waits to be delivered or is not complete, and whose an account of a bot is.
  'src/operator/admin/user-export.ts': new Set([
    ...['twoFactors', 'pushTokens', 'readState', 'messageFlags', 'missedMessages'],
    ...['outgoingPushes', 'pushedMessages', 'onboarding', 'bots', 'resumableUploads'],
  ]),
};

/**
 * Collections of what is of one person, by their fields of the organization, that an erasure or an export leaves out.
 *
 * @param textOf of a source
 */
export function withoutPerson(
  fields: ReadonlyMap<string, TSchema>,
  textOf: (file: string) => string,
): string[] {
  const personal = [...fields].filter(
    ([, schema]) => 'user_id' in ((schema as Form).properties ?? {}),
  );
  return Object.entries(OF_PERSONS).flatMap(([file, others]) => {
    const text = textOf(file);
    return personal
      .filter(([field]) => !others.has(field) && !new RegExp(`\\b${field}\\b`).test(text))
      .map(([field]) => `${file}: add org.${field}, or make it a BelongingCollection`);
  });
}

/** Properties without words in a schema as it is published: `holder.name` of each. */
function unexplained(schema: Json, holder: string): string[] {
  const inner = (value: unknown, next: string): string[] =>
    typeof value === 'object' && value !== null ? unexplained(value as Json, next) : [];
  const own = typeof schema.title === 'string' ? schema.title : holder;
  const found: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') {
      const properties = value as Record<string, Json>;
      for (const [name, property] of Object.entries(properties)) {
        // Settings of users, and their values in events, have the text of the parameter: it is told there, once.
        if ((name === 'value' ? String(properties.property?.const) : name) in USER_SETTINGS)
          continue;
        if (property.description === undefined) found.push(`${own}.${name}`);
        found.push(...inner(property, name));
      }
    } else if (key !== 'examples' && key !== 'default') found.push(...inner(value, own));
  }
  return found;
}

/**
 * Fields that nobody explains.
 *
 * @param schemas published ones, by operation, event type or title
 */
export function withoutFieldText(schemas: Readonly<Record<string, Json>>): string[] {
  const keys = new Set<string>();
  const files = new Map<string, string>();
  for (const [holder, schema] of Object.entries(schemas)) {
    for (const key of unexplained(schema, holder)) {
      keys.add(key);
      if (!files.has(key)) files.set(key, fileOf(holder));
    }
  }
  return [...keys].map((key) => {
    const [, name = ''] = key.split('.');
    return `${files.get(key)!}: add '${key}' or '${name}' to FIELD_TEXTS`;
  });
}

/**
 * For tests of what is published about texts and examples: why they are left out. Without its text a field has no
 * example either, nor has what contains it.
 */
export function textsMissing(): string | false {
  const missing = [...withoutParameterText(ALL_ENDPOINTS), ...withoutFieldText(publishedSchemas())];
  return missing.length > 0 && 'texts are missing: test/schemas/omissions.test.ts says which';
}
