/*
 * Makes the types of the client package of the published contract:
 *
 *     node scripts/client-types.js        writes src/client/types.ts, and the lines of contract-lines.js
 *
 * Tests compare the files with what this makes of the contract (test/src/client/types.test.ts,
 * test/schemas/contract-lines.test.ts).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.js';
import { contractLines, LINES_FILE } from './contract-lines.js';

const ROOT = join(import.meta.dirname, '..');
export const TYPES_FILE = 'src/client/types.ts';

/** What every success reply has, beside what is its own. */
const ENVELOPE = ['result', 'msg', 'ignored_parameters_unsupported'];
const BASE = '/api/v1';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const HEAD = `/* Made by scripts/client-types.js of the published contract: do not edit. */

`;

/** @param document the OpenAPI document @returns the text of the file */
export function clientTypes(document) {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => name !== 'Error');
  const families = familiesOf(schemas);
  const types = [
    ...schemas.map(([name, schema]) => {
      const family = families.find(({ forms }) => forms.includes(schema));
      return `export type ${name} = ${family ? formType(schema, family) : typeOf(schema)};\n`;
    }),
    ...families.map(({ name, names }) => `export type ${name} = ${unionOf(names)};\n`),
  ];
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${BASE}/`))
    .flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) =>
        operationType(method, path.slice(BASE.length), item[method]),
      ),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text);
  return `${HEAD}${types.join('\n')}
/** Every operation by method and path, with its parameters, those in the path too, and what it answers. */
export interface Operations {
${operations.join('\n')}
}
`;
}

/** The events with several forms of one type and `op`, each with a name of its own. */
function familiesOf(schemas) {
  const families = new Map();
  for (const [name, schema] of schemas) {
    const { type, op } = schema.properties ?? {};
    if (!name.endsWith('Event') || !type?.const) continue;
    const words = `${type.const}_${op?.const ?? ''}`.split('_').filter((word) => word !== '');
    const common = words.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
    const family = families.get(common) ?? { name: `${common}Event`, names: [], forms: [] };
    family.names.push(name);
    family.forms.push(schema);
    families.set(common, family);
  }
  return [...families.values()].filter(
    ({ name, names }) => names.length > 1 && !names.includes(name),
  );
}

/**
 * One form of several. It says of the fields of the others that they are absent, so that each field can be read, and
 * tells the forms apart, without asking for the name of the form.
 */
function formType(schema, { forms }) {
  const { properties, required = [] } = schema;
  const others = new Set(forms.flatMap((form) => Object.keys(form.properties)));
  const fields = [...others].map((name) =>
    name in properties
      ? fieldOf(name, required.includes(name), properties[name])
      : `${name}?: undefined`,
  );
  return objectOf(fields);
}

function operationType(method, path, operation) {
  const body = Object.values(operation.requestBody?.content ?? {}).at(-1)?.schema;
  const fields = (operation.parameters ?? []).map(({ name, required, schema, content }) =>
    fieldOf(name, required === true, schema ?? content['application/json'].schema),
  );
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    // Files have a method of their own.
    if (schema.format === 'binary') continue;
    fields.push(fieldOf(name, body.required?.includes(name) === true, schema));
  }
  const reply = operation.responses['200']?.content?.['application/json']?.schema ?? {};
  const name = `${method.toUpperCase()} ${path}`;
  const text = `  /** ${operation.summary}. */
  '${name}': { params: ${objectOf(fields)}; reply: ${typeOf(ownPart(reply))} };`;
  return [`${path} ${method}`, text];
}

/** A reply without what all replies have. */
function ownPart(schema) {
  const own = schema.allOf?.at(-1) ?? schema;
  if (own.$ref === '#/components/schemas/Success') return { type: 'object', properties: {} };
  const properties = Object.entries(own.properties ?? {}).filter(
    ([name]) => !ENVELOPE.includes(name),
  );
  return { ...own, properties: Object.fromEntries(properties) };
}

function fieldOf(name, isRequired, schema) {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return `${key}${isRequired ? '' : '?'}: ${typeOf(schema)}`;
}

function objectOf(fields) {
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
}

function typeOf(schema) {
  if (schema === true) return 'unknown';
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return unionOf(schema.enum.map((one) => JSON.stringify(one)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return unionOf(choices.map(typeOf));
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  if (Array.isArray(schema.type))
    return unionOf(schema.type.map((type) => typeOf({ ...schema, type })));
  return BY_TYPE[schema.type]?.(schema) ?? 'unknown';
}

function unionOf(types) {
  return [...new Set(types)].join(' | ');
}

function listOf(type) {
  return /^\w+$/.test(type) ? `${type}[]` : `(${type})[]`;
}

const BY_TYPE = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items, prefixItems }) =>
    prefixItems ? `[${prefixItems.map(typeOf).join(', ')}]` : listOf(typeOf(items ?? true)),
  object: ({ properties = {}, required = [], additionalProperties, patternProperties }) => {
    const [pattern] = Object.values(patternProperties ?? {});
    const others =
      pattern ?? (typeof additionalProperties === 'object' ? additionalProperties : null);
    const fields = Object.entries(properties).map(([name, schema]) =>
      fieldOf(name, required.includes(name), schema),
    );
    const isOpen = Object.keys(properties).length === 0 && others;
    return isOpen ? `Record<string, ${typeOf(others)}>` : objectOf(fields);
  },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await build('bench', (line) => process.stderr.write(`${line}\n`));
  const part = (name) => import(pathToFileURL(join(ROOT, `dist/schemas/${name}.js`)).href);
  const { openApiDocument } = await part('openapi/document');
  writeFileSync(join(ROOT, TYPES_FILE), clientTypes(openApiDocument('')));
  const { ALL_ENDPOINTS: endpoints } = await part('endpoints');
  const { ALL_EVENTS: events } = await part('events');
  const { ERROR_CODES: codes } = await part('openapi/error-codes');
  const limits = await part('limits');
  const collections = [...(await part('collections')).COLLECTIONS.values()];
  const contract = { endpoints, events, codes, limits, collections };
  writeFileSync(join(ROOT, LINES_FILE), contractLines(contract));
}
