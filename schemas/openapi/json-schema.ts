import type { TSchema } from 'typebox';

/** A JSON value of the published document. */
export type Json = Record<string, unknown>;

/** Keywords that mean something to this server only. */
const OWN_KEYWORDS = new Set(['nulAllowed', 'maxEntries', 'eventName']);

/** A schema as plain JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
export function published(schema: TSchema): Json {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    OWN_KEYWORDS.has(key) ? undefined : value,
  );
  return JSON.parse(text, (_key, value: unknown) => modern(value)) as Json;
}

/** Tuples in their newer form; a choice of one is no choice, and one of constants is an enumeration. */
function modern(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { additionalItems: _closed, told, ...own } = value as Json;
  // What the handler checks in words of its own holds beside what the decoder checks.
  const schema: Json = { ...own, ...(told as Json | undefined) };
  if (Array.isArray(schema.items)) {
    const { items, ...rest } = schema;
    // `maxItems` ends it. Generators of clients look for `items` and take no false.
    return { ...rest, prefixItems: items, items: {} };
  }
  if (Array.isArray(schema.anyOf) && schema.anyOf.length === 1) {
    const { anyOf, ...rest } = schema;
    return { ...rest, ...(anyOf as Json[])[0] };
  }
  if (Array.isArray(schema.anyOf) && isEnumeration(schema.anyOf as Json[])) {
    const { anyOf, ...rest } = schema;
    const [first] = anyOf as [Json];
    return { ...rest, type: first.type, enum: (anyOf as Json[]).map((one) => one.const) };
  }
  return schema;
}

/** Constants of one type and nothing else. */
function isEnumeration(choices: readonly Json[]): boolean {
  const types = new Set(choices.map(({ type }) => type));
  return types.size === 1 && choices.every((one) => 'const' in one);
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
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Keywords;
  readonly minProperties?: number;
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
}

/**
 * A value a schema accepts, made of its examples, defaults and choices; undefined where they give none, as for a bare
 * text.
 */
export function exampleOf(schema: Keywords): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const telling = choices.filter(({ type }) => type !== 'null');
    return telling.map(exampleOf).find((one) => one !== undefined);
  }
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(exampleOf));
  switch (schema.type) {
    case 'object':
      return exampleObject(schema);
    case 'array':
      return exampleArray(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return undefined;
  }
}

function exampleObject(schema: Keywords): Json | undefined {
  if (schema.patternProperties) return undefined;
  const known = Object.entries(schema.properties ?? {});
  const shown = known.filter(([key]) => schema.required?.includes(key) ?? true);
  // Where something must be there but nothing in particular, the first will do.
  const fields =
    shown.length < (schema.minProperties ?? 0) ? known.slice(0, schema.minProperties) : shown;
  return Object.fromEntries(fields.map(([key, value]) => [key, exampleOf(value)]));
}

function exampleArray(schema: Keywords): unknown[] | undefined {
  const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : null);
  if (tuple) {
    const entries = (tuple as Keywords[]).map(exampleOf);
    return entries.includes(undefined) ? undefined : entries;
  }
  const one = exampleOf((schema.items as Keywords | undefined) ?? {});
  return one === undefined ? undefined : [one];
}

/**
 * Moves every schema with a title among the components, under its title, where all that show it refer to it.
 *
 * @throws Error where two schemas have one title
 */
export function shareTitled(value: unknown, components: Record<string, Json>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => shareTitled(one, components));
  const inner: Json = {};
  for (const key of Object.keys(value)) {
    const one = (value as Json)[key];
    inner[key] = WITHOUT_SCHEMAS.has(key) ? one : shareTitled(one, components);
  }
  if (typeof inner.title !== 'string') return inner;
  const {
    title,
    description,
    examples,
    default: fallback,
    ...others
  } = inner as Json & { title: string };
  const { 'x-feature-level': level, ...shape } = others;
  if (!('type' in shape || 'anyOf' in shape)) return inner;
  const known = components[title];
  if (known && JSON.stringify(known) !== JSON.stringify({ title, ...shape })) {
    throw new Error(`two schemas are called ${title}`);
  }
  components[title] ??= { title, ...shape };
  const here = { description, examples, default: fallback, 'x-feature-level': level };
  return { $ref: `#/components/schemas/${title}`, ...here };
}

/** What work in parts returns, done without a pause. */
export function completed<T>(parts: Generator<void, T>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** Most of the document by size: the server does nothing else while it is made, so they are passed over. */
const WITHOUT_SCHEMAS: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'x-codeSamples',
  'enum',
]);
