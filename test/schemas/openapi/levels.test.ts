import { readFileSync } from 'node:fs';
import t from 'tap';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import type { Json } from '../../../schemas/openapi/json-schema.js';
import { openApiDocument } from '../../../schemas/openapi/document.js';
import { CHANGES } from '../../../schemas/openapi/changes.js';
import { LEVEL_CHANGES } from '../../../schemas/openapi/levels.js';

const document = openApiDocument('http://chat.example');

const operations = new Map(
  Object.values(document.paths as Record<string, Record<string, Json>>)
    .flatMap((item) => Object.values(item))
    .map((one) => [String(one.operationId), one]),
);

/** Parameters and fields of the reply of an operation, with what they say. */
function fieldsOf(operation: Json): Record<string, Json> {
  const {
    parameters = [],
    requestBody,
    responses,
  } = operation as {
    parameters?: Json[];
    requestBody?: { content: Record<string, { schema: Json }> };
    responses: Record<string, { content: Record<string, { schema: Json }> }>;
  };
  const properties = ({ schema }: { schema: Json }) => (schema.properties ?? {}) as Json;
  const bodies = Object.values(requestBody?.content ?? {});
  return Object.assign(
    {},
    properties(responses['200']!.content['application/json']!),
    ...bodies.map(properties),
    Object.fromEntries(parameters.map((one) => [one.name, one])),
  ) as Record<string, Json>;
}

/** Share path and method with another, which is published. */
const UNPUBLISHED = new Set(
  ALL_ENDPOINTS.filter((one) => one.unpublished).map((one) => one.operation),
);

void t.test('each parameter and field of the table is published with its level', (t) => {
  for (const { level, operation, fields } of LEVEL_CHANGES) {
    if (UNPUBLISHED.has(operation)) continue;
    const published = operations.get(operation);
    if (!published) {
      t.fail(`${level}: no operation ${operation}`);
      continue;
    }
    const known = fieldsOf(published);
    const some = fields.filter((name) => known[name] !== undefined);
    t.ok(
      fields.length === 0 || some.length > 0,
      `${level}: ${operation} has one of ${fields.join()}`,
    );
    for (const name of some) {
      t.ok(Number(known[name]!['x-feature-level']) <= level, `${level}: ${operation} ${name}`);
    }
  }
  const anchor = fieldsOf(operations.get('get-messages')!).anchor_date!;
  t.equal(anchor['x-feature-level'], 445);
  t.equal(fieldsOf(operations.get('register-queue')!).devices!['x-feature-level'], 468);
  t.equal(fieldsOf(operations.get('update-realm')!).topics_policy!['x-feature-level'], 392);
  t.end();
});

void t.test('each field of the table is one of an operation it names', (t) => {
  const found = new Set<string>();
  for (const { level, operation, fields } of LEVEL_CHANGES) {
    const known = operations.get(operation);
    for (const name of fields) if (known && fieldsOf(known)[name]) found.add(`${level} ${name}`);
  }
  const all = LEVEL_CHANGES.flatMap(({ level, fields }) =>
    fields.map((name) => `${level} ${name}`),
  );
  t.strictSame(
    [...new Set(all)].filter((one) => !found.has(one)),
    [],
  );
  t.end();
});

void t.test('operations say in words what changed, newest first, and their newest level', (t) => {
  const { description, 'x-feature-level': newest } = operations.get('get-messages')!;
  const levels = [...String(description).matchAll(/\*\*Feature level (\d+)\*\*/g)].map(
    ([, level]) => Number(level),
  );
  t.strictSame(
    levels,
    levels.toSorted((a, b) => b - a),
  );
  t.strictSame(levels.slice(0, 3), [489, 446, 445]);
  t.equal(newest, 489);
  t.match(description, '**Feature level 445**: `anchor_date`: Anchor date added.');
  t.end();
});

void t.test('a text is empty only where the table of the specification has one', (t) => {
  for (const { level, operation, text } of LEVEL_CHANGES) {
    if (text !== '') continue;
    const told = CHANGES.some(
      ({ levels, operations: named, text: words }) =>
        named.includes(operation) && new RegExp(`\\b${level}\\b`).test(`${levels} ${words}`),
    );
    t.ok(told, `${level} ${operation}`);
  }
  t.end();
});

void t.test('events that a level brought say so', (t) => {
  const { schemas } = document.components as { schemas: Record<string, Json> };
  t.equal(schemas.NavigationViewAddEvent!['x-feature-level'], 390);
  t.equal(schemas.ChannelFolderReorderEvent!['x-feature-level'], 418);
  t.notOk('x-feature-level' in schemas.MessageEvent!);
  t.end();
});

void t.test('the list of levels has each level of the table', (t) => {
  const page = readFileSync('docs/contract/levels.md', 'utf8');
  const listed = new Set([...page.matchAll(/^\| (\d+) \|/gm)].map(([, level]) => Number(level)));
  t.strictSame(
    LEVEL_CHANGES.map(({ level }) => level).filter((level) => !listed.has(level)),
    [],
  );
  t.end();
});
