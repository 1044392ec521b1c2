import { readdirSync } from 'node:fs';
import t from 'tap';
import type { TSchema } from 'typebox';
import { DECLARATIONS } from '../../schemas/declarations.js';
import { collection, collectionApart, isCollection } from '../../schemas/collection.js';
import { COLLECTIONS } from '../../schemas/collections.js';
import { endpoint, Empty, isEndpoint } from '../../schemas/endpoint.js';
import { events, isEvents } from '../../schemas/event.js';
import { isFieldTexts } from '../../schemas/field-texts.js';
import { isParameterTexts } from '../../schemas/parameter-texts.js';
import { ALL_EVENTS } from '../../schemas/events.js';

const SCHEMAS = new URL('../../schemas/', import.meta.url);

function declares(value: unknown): boolean {
  const isTexts = isFieldTexts(value) || isParameterTexts(value);
  return isTexts || isEndpoint(value) || isEvents(value) || isCollection(value);
}

/** Compiled files below `schemas`. */
const FILES = readdirSync(SCHEMAS, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.js'),
);

void t.test(
  'what any file of the contract declares is found through the list of areas',
  async (t) => {
    const found = new Set(DECLARATIONS);
    let count = 0;
    for (const file of FILES) {
      const module = (await import(new URL(file, SCHEMAS).href)) as Record<string, unknown>;
      for (const [name, value] of Object.entries(module)) {
        if (!declares(value)) continue;
        count += 1;
        t.ok(found.has(value), `${name} of ${file}`);
      }
    }
    t.ok(count > 200, 'the files were found');
  },
);

void t.test('no endpoint, event or collection is declared twice', async (t) => {
  const declared = DECLARATIONS.filter(declares);
  t.equal(new Set(declared).size, declared.length);
  t.equal(COLLECTIONS.size, declared.filter(isCollection).length, 'names of collections');
});

void t.test('events are in the order of their types, in whatever file they stand', async (t) => {
  const types = ALL_EVENTS.map((schema) => {
    const form = schema as { anyOf?: TSchema[]; properties?: { type: { const: string } } };
    return (form.properties ?? (form.anyOf![0] as typeof form).properties)!.type.const;
  });
  t.strictSame(types, [...types].sort());
});

void t.test('a sample of each kind is told from what a file exports beside', async (t) => {
  const sample = endpoint({
    operation: 'sample',
    method: 'GET',
    path: '/sample',
    access: 'user',
    summary: 'Sample',
    params: {},
    response: Empty,
    errors: [],
    events: [],
  });
  const told = [sample, events(Empty), collection('a', Empty), collectionApart('b', Empty)];
  t.strictSame(told.map(isEndpoint), [true, false, false, false]);
  t.strictSame(told.map(isEvents), [false, true, false, false]);
  t.strictSame(told.map(isCollection), [false, false, true, true]);
  t.notOk([Empty, [Empty], 'text', null, undefined, { operation: 'x' }].some(declares));
});
