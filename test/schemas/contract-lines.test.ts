import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { COLLECTIONS } from '../../schemas/collections.js';
import { ALL_ENDPOINTS } from '../../schemas/endpoints.js';
import { ALL_EVENTS } from '../../schemas/events.js';
import * as limits from '../../schemas/limits.js';
import { ERROR_CODES } from '../../schemas/openapi/error-codes.js';

interface Script {
  readonly LINES_FILE: string;
  readonly contractLines: (contract: object) => string;
}

const { LINES_FILE, contractLines } = (await import(
  pathToFileURL(join('scripts', 'contract-lines.js')).href
)) as Script;

void t.test('the wire contract is what its lines say: no change of it goes unseen', (t) => {
  const kinds = { endpoints: ALL_ENDPOINTS, events: ALL_EVENTS, codes: ERROR_CODES };
  const contract = { ...kinds, limits, collections: [...COLLECTIONS.values()] };
  const made = contractLines(contract).split('\n');
  const kept = readFileSync(LINES_FILE, 'utf8').split('\n');
  const line = made.findIndex((one, i) => one !== kept[i]);
  t.equal(made[line], kept[line], 'if this is meant, run node scripts/client-types.js');
  t.equal(made.length, kept.length);
  t.end();
});

void t.test('a line has what clients can notice, and no prose', (t) => {
  const params = {
    title: {
      schema: { type: 'string', maxLength: 9, description: 'A title.' },
      presence: 'optional',
      wire: 'text',
      aliases: ['name'],
      description: 'Its title.',
    },
  };
  const response = { type: 'object', properties: { note: { type: 'string', description: 'a' } } };
  const endpoint = {
    operation: 'add-thing',
    params,
    response,
    path: '/things',
    method: 'POST',
    errors: [],
    summary: 'Add',
  };
  const event = { properties: { type: { const: 'thing' }, op: { const: 'add' } } };
  const codes = { NO_THING: { status: 404, msg: 'No thing', fields: { thing: 9 } } };
  const document = { type: 'object', properties: { id: { type: 'integer' } } };
  const apart = true;
  const linesOf = (other: object) =>
    contractLines({
      ...{ endpoints: [{ ...endpoint, ...other }], events: [event], codes },
      ...{ limits: { MAX_THINGS: 7 }, collections: [{ collection: 'thing', document, apart }] },
    }).split('\n');
  const lines = linesOf({});
  t.strictSame(lines.slice(0, 2), [
    'add-thing {"method":"POST","path":"/things"}',
    '  title: optional text {"maxLength":9,"type":"string"} {"aliases":["name"]}',
  ]);
  t.match(lines[2], /^  reply [0-9a-f]{12}$/);
  t.match(lines[3], /^thing add [0-9a-f]{12}$/);
  t.strictSame(lines.slice(4, 6), ['NO_THING 404 thing', 'MAX_THINGS 7']);
  t.match(lines[6], /^stored thing apart [0-9a-f]{12}$/);
  const worded = { ...response, properties: { note: { type: 'string', description: 'b' } } };
  t.strictSame(linesOf({ response: worded, summary: 'Add a thing' }), lines);
  const bounded = { ...response, properties: { note: { type: 'string', maxLength: 9 } } };
  t.not(linesOf({ response: bounded })[2], lines[2]);
  t.end();
});
