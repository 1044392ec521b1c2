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

void t.test('forms of one event have a common type, in which each field can be read', (t) => {
  const form = (properties: Record<string, unknown>, required: string[]): unknown => ({
    type: 'object',
    properties: { type: { const: 'update_thing' }, ...properties },
    required: ['type', ...required],
  });
  const types = clientTypes({
    components: {
      schemas: {
        UpdateThingNameEvent: form({ name: { type: 'string' } }, ['name']),
        UpdateThingSizeEvent: form({ size: { type: 'integer' } }, []),
        HeartbeatEvent: { type: 'object', properties: { type: { const: 'heartbeat' } } },
      },
    },
    paths: {},
  });
  t.same(types.split('\n').slice(2, 9), [
    'export type UpdateThingNameEvent = { type: "update_thing"; name: string; size?: undefined };',
    '',
    'export type UpdateThingSizeEvent = { type: "update_thing"; name?: undefined; size?: number };',
    '',
    'export type HeartbeatEvent = { type?: "heartbeat" };',
    '',
    'export type UpdateThingEvent = UpdateThingNameEvent | UpdateThingSizeEvent;',
  ]);
  t.end();
});

void t.test('the forms of edits, moves and deletions have names that say what happened', (t) => {
  const kept = readFileSync(TYPES_FILE, 'utf8').split('\n');
  const unions = kept.filter((line) => /^export type \w+ = \w+Event \| /.test(line)).slice(1);
  t.strictSame(unions, [
    'export type DeleteMessageEvent = DeleteChannelMessagesEvent | DeleteChannelMessageEvent | ' +
      'DeleteDirectMessagesEvent | DeleteDirectMessageEvent;',
    'export type UpdateMessageEvent = UpdateDirectMessageEvent | UpdateMessageContentEvent | ' +
      'UpdateMessageTopicEvent | UpdateMessageContentAndTopicEvent | UpdateMessageChannelEvent | ' +
      'UpdateMessageChannelAndTopicEvent | UpdateMessageRenderingEvent;',
  ]);
  t.end();
});
