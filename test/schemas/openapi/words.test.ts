import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import t from 'tap';
import { ALL_FIELD_TEXTS } from '../../../schemas/openapi/field-text.js';
import { openApiDocument } from '../../../schemas/openapi/document.js';
import type { Json } from '../../../schemas/openapi/json-schema.js';
import { textsMissing } from '../omissions.js';

/* Nothing is published without words and an example: a document that repeats names tells nobody anything. */

const document = openApiDocument('https://chat.parley.dev');
const components = (document.components as { schemas: Record<string, Json> }).schemas;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema; example?: Json }> };
  readonly responses: Record<string, { readonly content?: Record<string, { schema: Schema }> }>;
}

interface Parameter extends Media {
  readonly name: string;
  readonly description?: string;
  readonly content?: Record<string, Media>;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Record<string, Schema>;
  readonly patternProperties?: Record<string, Schema>;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

const OPERATIONS = Object.values(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap((item) => Object.values(item));

const ajv = new Ajv2020.default({ strict: false, validateSchema: false, inlineRefs: false });
ajv.addSchema({ $id: 'contract', components: { schemas: components } });

/** Of every schema met so far, by its text: most properties have one that others have, too. */
const validators = new Map<string, ValidateFunction>();

/** Judges by a schema, whose references hold from outside the document. */
function validator(schema: Schema): ValidateFunction {
  const text = constraints(schema).replaceAll('"#/components', '"contract#/components');
  let found = validators.get(text);
  if (!found) {
    found = ajv.compile(JSON.parse(text) as Json);
    validators.set(text, found);
  }
  return found;
}

/** A schema as text, without its words; `properties` may have fields of these names. */
function constraints(schema: Schema): string {
  const isWords = (member: unknown): boolean => typeof member === 'string' || Array.isArray(member);
  return JSON.stringify(schema, (key, member: unknown) =>
    (key === 'description' || key === 'examples') && isWords(member) ? undefined : member,
  );
}

/** What is wrong with the words or the example of something, or null. */
function fault(
  name: string,
  description: unknown,
  schema: Schema,
  example: unknown,
): string | null {
  if (typeof description !== 'string') return 'no description';
  if (!/[.?!]$/.test(description)) return `no sentence: ${description}`;
  const words = description.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const own = new Set(name.toLowerCase().split('_'));
  if (words.every((word) => own.has(word))) return `repeats its name: ${description}`;
  if (schema.$ref !== undefined || 'const' in schema) return null;
  if (example === undefined) return 'no example';
  const check = validator(schema);
  return check(example) ? null : `${JSON.stringify(example)} ${ajv.errorsText(check.errors)}`;
}

const faults: string[] = [];
const skip = textsMissing();
let properties = 0;

/** Looks at every property of a schema; those of others that it refers to are looked at once. */
function visit(where: string, schema: Schema): void {
  const inside = (one: Schema) => visit(where, one);
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    properties++;
    const found = fault(name, one.description, one, one.examples?.[0]);
    if (found !== null) faults.push(`${where} ${name}: ${found}`);
    visit(`${where} ${name}`, one);
  }
  [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.prefixItems ?? [])].forEach(inside);
  Object.values(schema.patternProperties ?? {}).forEach(inside);
  if (typeof schema.additionalProperties === 'object') inside(schema.additionalProperties);
  if (schema.items) inside(schema.items);
}

void t.test(
  'every parameter has a description and an example that its schema accepts',
  { skip },
  async (t) => {
    let parameters = 0;
    for (const { operationId, parameters: list = [], requestBody } of OPERATIONS) {
      for (const parameter of list) {
        parameters++;
        const { schema, example } = parameter.content?.['application/json'] ?? parameter;
        const shown = example ?? schema!.examples?.[0];
        const found = fault(parameter.name, parameter.description, schema!, shown);
        if (found !== null) faults.push(`${operationId} ${parameter.name}: ${found}`);
        visit(`${operationId} ${parameter.name}`, schema!);
      }
      const [media] = Object.values(requestBody?.content ?? {});
      if (!media) continue;
      parameters += Object.keys(media.schema.properties ?? {}).length;
      visit(`${operationId} body`, media.schema);
    }
    t.strictSame(faults.splice(0), []);
    t.ok(parameters > 750, `${parameters} parameters`);
  },
);

void t.test(
  'every property of replies and events has a description and an example',
  { skip },
  async (t) => {
    properties = 0;
    for (const { operationId, responses } of OPERATIONS) {
      const schema = responses['200']!.content?.['application/json']?.schema;
      if (schema) visit(operationId, schema);
    }
    for (const [name, schema] of Object.entries(components)) visit(name, schema);
    t.strictSame(faults.splice(0), []);
    t.ok(properties > 1500, `${properties} properties`);
  },
);

void t.test('a parameter without words or example is found', async (t) => {
  t.equal(fault('user_id', undefined, {}, 7), 'no description');
  t.equal(fault('user_id', 'User ID.', {}, 7), 'repeats its name: User ID.');
  t.equal(fault('user_id', 'Who', {}, 7), 'no sentence: Who');
  t.equal(fault('user_id', 'Who it is.', {}, undefined), 'no example');
  t.equal(
    fault('user_id', 'Who it is.', { type: 'integer' } as Schema, 'x'),
    '"x" data must be integer',
  );
  t.equal(fault('user_id', 'Who it is.', { type: 'integer' } as Schema, 7), null);
});

void t.test(
  'each text is about a field that is published, and no two files explain the same',
  async (t) => {
    const names = new Set(
      [...JSON.stringify(document).matchAll(/"(\w+)":\{/g)].map(([, name]) => name!),
    );
    const holders = new Set([
      ...names,
      ...OPERATIONS.map((one) => one.operationId),
      ...[...JSON.stringify(components).matchAll(/"type":\{[^{}]*"const":"(\w+)"/g)].map(
        ([, name]) => name!,
      ),
    ]);
    const keys = ALL_FIELD_TEXTS.flatMap((area) => Object.keys(area));
    const unknown = keys.filter((key) => {
      const [name, holder] = key.split('.').reverse() as [string, string?];
      return !names.has(name) || (holder !== undefined && !holders.has(holder));
    });
    t.strictSame(unknown, [], 'of nothing');
    t.strictSame(
      keys.filter((key, i) => keys.indexOf(key) !== i),
      [],
      'twice',
    );
  },
);
