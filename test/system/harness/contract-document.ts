import { readFileSync, writeFileSync } from 'node:fs';
import type { Json } from '../../../schemas/openapi/json-schema.js';

/*
 * The published document as far as replies and events are compared with it. To generate it takes longer than many
 * tests do: a run of all tests does it once, for its processes.
 */

/** Names the file that `shareContract` wrote; a test that runs alone has none. */
const SHARED = 'PARLEY_TEST_CONTRACT';
/** Keywords of a schema that constrain nothing. */
const WORDS: ReadonlySet<string> = new Set(['title', 'description', 'example', 'examples']);
/** Keywords whose members are schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
/** Keywords that hold a schema or a list of them. */
const NESTED: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'additionalProperties', 'not', 'anyOf', 'allOf', 'oneOf'],
]);

/** What the run has left for this process, or else a document generated now. */
export async function contractDocument(): Promise<Json> {
  const file = process.env[SHARED];
  return file === undefined ? generated() : (JSON.parse(readFileSync(file, 'utf8')) as Json);
}

/** Writes the document to a file. @returns what tells processes of it by their environment */
export async function shareContract(file: string): Promise<Readonly<Record<string, string>>> {
  writeFileSync(file, JSON.stringify(await generated()));
  return { [SHARED]: file };
}

async function generated(): Promise<Json> {
  const { openApiDocument } = await import('../../../schemas/openapi/document.js');
  const { paths, components } = openApiDocument('http://127.0.0.1');
  const { schemas } = components as { schemas: Json };
  return {
    paths: eachOf(paths, (item) => eachOf(item, answers)),
    components: { schemas: eachOf(schemas, constraints) },
  };
}

/** An operation without what a client sends. */
function answers(operation: unknown): Json {
  const { responses } = operation as { responses: Json };
  const media = (content: unknown): Json => ({
    schema: constraints((content as { schema: unknown }).schema),
  });
  return {
    responses: eachOf(responses, (response) => {
      const { content } = response as { content?: Json };
      return content ? { content: eachOf(content, media) } : {};
    }),
  };
}

/** A schema without its words. */
function constraints(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(constraints);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !WORDS.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (BY_NAME.has(keyword)) return [keyword, eachOf(value, constraints)];
      return [keyword, NESTED.has(keyword) ? constraints(value) : value];
    }),
  );
}

function eachOf(members: unknown, change: (member: unknown) => unknown): Json {
  return Object.fromEntries(
    Object.entries(members as Json).map(([name, member]) => [name, change(member)]),
  );
}
