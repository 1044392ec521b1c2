import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { openApiDocument } from '../../../schemas/openapi/document.js';

interface Script {
  readonly TYPES_FILE: string;
  readonly clientTypes: (document: unknown) => string;
}

const { TYPES_FILE, clientTypes } = (await import(
  pathToFileURL(join('scripts', 'client-types.js')).href
)) as Script;

void t.test('the types of the client package are those of the published contract', (t) => {
  const made = clientTypes(openApiDocument('')).split('\n');
  const kept = readFileSync(TYPES_FILE, 'utf8').split('\n');
  const other = made.findIndex((line, index) => line !== kept[index]);
  t.equal(other, -1, 'first other line; run node scripts/client-types.js');
  t.equal(kept.length, made.length);
  t.end();
});

void t.test('each kind of schema has its type', (t) => {
  const schema = (properties: unknown, required: string[] = []): unknown => ({
    type: 'object',
    properties,
    required,
  });
  const types = clientTypes({
    components: {
      schemas: {
        Colour: { enum: ['red', 'green'] },
        Thing: schema(
          {
            id: { type: 'integer' },
            colour: { $ref: '#/components/schemas/Colour' },
            kind: { const: 'thing' },
            'an odd-name': { type: 'boolean' },
            names: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
            ids: { type: 'array', items: { type: 'integer' } },
            pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
            byId: { type: 'object', patternProperties: { '^\\d+$': { type: 'string' } } },
            any: {},
          },
          ['id'],
        ),
      },
    },
    paths: {
      '/api/v1/things/{id}': {
        post: {
          summary: 'Change a thing',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          requestBody: {
            content: {
              'application/json': {
                schema: schema(
                  { name: { type: 'string' }, file: { type: 'string', format: 'binary' } },
                  ['name'],
                ),
              },
            },
          },
          responses: {
            '200': {
              content: {
                'application/json': {
                  schema: schema({ result: { const: 'success' }, at: { type: 'integer' } }, ['at']),
                },
              },
            },
          },
        },
      },
      '/elsewhere': { get: {} },
    },
  });
  t.same(types.split('\n').slice(2), [
    'export type Colour = "red" | "green";',
    '',
    'export type Thing = { id: number; colour?: Colour; kind?: "thing"; "an odd-name"?: boolean; ' +
      'names?: (string | null)[]; ids?: number[]; pair?: [string, number]; byId?: Record<string, string>; any?: unknown };',
    '',
    '/** Every operation by method and path, with its parameters, those in the path too, and what it answers. */',
    'export interface Operations {',
    '  /** Change a thing. */',
    "  'POST /things/{id}': { params: { id: number; name: string }; reply: { at: number } };",
    '}',
    '',
  ]);
  t.end();
});
