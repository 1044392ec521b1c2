import type { TSchema } from 'typebox';

/** A JSON value of the published document. */
export type Json = Record<string, unknown>;

/** Keywords that mean something to this server only. */
const OWN_KEYWORDS = new Set(['nulAllowed', 'maxEntries']);

/** A schema as plain JSON Schema (2020-12, what OpenAPI 3.1 speaks). */
export function published(schema: TSchema): Json {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    OWN_KEYWORDS.has(key) ? undefined : value,
  );
  return JSON.parse(text, (_key, value: unknown) => modern(value)) as Json;
}

/** Tuples in their newer form; a choice of one is no choice. */
function modern(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { additionalItems: _closed, ...schema } = value as Json;
  if (Array.isArray(schema.items)) {
    const { items, ...rest } = schema;
    return { ...rest, prefixItems: items, items: false };
  }
  if (Array.isArray(schema.anyOf) && schema.anyOf.length === 1) {
    const { anyOf, ...rest } = schema;
    return { ...rest, ...(anyOf as Json[])[0] };
  }
  return schema;
}

interface Keywords {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Keywords[];
  readonly allOf?: readonly Keywords[];
  readonly oneOf?: readonly Keywords[];
  readonly type?: string;
  readonly items?: Keywords | readonly Keywords[];
  readonly prefixItems?: readonly Keywords[];
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Keywords;
  readonly minimum?: number;
  readonly minProperties?: number;
}

/** Example values of fields that are called the same everywhere. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  email: 'hamlet@example.com',
  delivery_email: 'hamlet@example.com',
  full_name: 'Hamlet',
  timezone: 'Europe/Copenhagen',
  topic: 'castle',
  subject: 'castle',
  content: 'Who’s there?',
  name: 'general',
  description: 'A **channel** for all',
  rendered_description: '<p>A <strong>channel</strong> for all</p>',
  color: '#76ce90',
  date_created: 1_750_000_000,
  timestamp: 1_750_000_000,
  scheduled_delivery_timestamp: 1_900_000_000,
};

/** A value a schema accepts, made of its own defaults and choices. */
export function exampleOf(schema: Keywords, name = ''): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(choice, name);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => exampleOf(one, name)));
  switch (schema.type) {
    case 'object':
      return exampleObject(schema);
    case 'array':
      return exampleArray(schema, name);
    case 'integer':
    case 'number':
      return typeof BY_NAME[name] === 'number' ? BY_NAME[name] : Math.max(schema.minimum ?? 7, 7);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return typeof BY_NAME[name] === 'string' ? BY_NAME[name] : 'text';
    default:
      return {};
  }
}

function exampleObject(schema: Keywords): Json {
  const known = Object.entries(schema.properties ?? {});
  const shown = known.filter(([key]) => schema.required?.includes(key) ?? true);
  // Where something must be there but nothing in particular, the first will do.
  const fields = shown.length < (schema.minProperties ?? 0) ? known.slice(0, 1) : shown;
  return Object.fromEntries(fields.map(([key, value]) => [key, exampleOf(value, key)]));
}

function exampleArray(schema: Keywords, name: string): unknown[] {
  const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : null);
  if (tuple) return (tuple as Keywords[]).map((one) => exampleOf(one));
  const items = schema.items as Keywords | undefined;
  if (!items || (schema.minItems === undefined && items.type === undefined)) return [];
  return [exampleOf(items, name)];
}
