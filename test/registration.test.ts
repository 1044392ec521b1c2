import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { ALL_ENDPOINTS } from '../schemas/endpoints.js';
import { ALL_EVENTS } from '../schemas/events.js';
import { EVENT_RENDERERS } from '../src/journal/renderers/registry.js';

/*
 * What an addition touches, counted over what there is: nothing is listed beside the place that
 * declares it and the index of its area. That the index is complete is checked by `schemas/areas.test.ts`, by
 * `assertServed` and by `collectionsOf`.
 */

const TEXTS = new Map(
  ['schemas', 'src', 'actors']
    .flatMap(filesBelow)
    .map((file) => [file, readFileSync(file, 'utf8')]),
);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative('.', join(entry.parentPath, entry.name)));
}

function filesWith(pattern: RegExp): string[] {
  return [...TEXTS].filter(([, text]) => pattern.test(text)).map(([file]) => file);
}

/** Files that may name operations: the history of the contract, and what is peculiar to one endpoint. */
const PECULIAR: Readonly<Record<string, readonly string[]>> = {
  'schemas/openapi/document.ts': ['get-events'],
  // Fields that are explained as the parameters that set them.
  'schemas/openapi/field-text.ts': ['update-channel', 'update-realm', 'update-user-group'],
  'schemas/openapi/operation.ts': ['register-queue'],
  // Its fields are explained as the parameters that set them.
  'schemas/openapi/register-reply.ts': ['register-queue', 'update-realm', 'update-settings'],
};
const HISTORY = ['schemas/openapi/changes.ts', 'schemas/openapi/levels.ts'];

void t.test('no file but its own names the operation of an endpoint', async (t) => {
  const named: string[] = [];
  // A single word may mean something else.
  for (const { operation } of ALL_ENDPOINTS.filter((one) => one.operation.includes('-'))) {
    const declared = filesWith(new RegExp(`operation: '${operation}'`));
    t.equal(declared.length, 1, `${operation} is declared in ${declared.join()}`);
    for (const file of filesWith(new RegExp(`['"]${operation}(?:\\.\\w+)?['"]`))) {
      if (file === declared[0] || HISTORY.includes(file) || isText(file)) continue;
      if (!PECULIAR[file]?.includes(operation)) named.push(`${operation} in ${file}`);
    }
  }
  t.strictSame(named, []);
});

/** Texts of parameters and fields stand with their area. */
function isText(file: string): boolean {
  return /^schemas\/\w+\/(?:parameter|field|setting)-texts\.ts$/.test(file);
}

void t.test('one file lists a handler: the index of its area', async (t) => {
  const lists: Record<string, string[]> = {};
  for (const [file, text] of TEXTS) {
    if (!file.startsWith('src/resources/')) continue;
    for (const [, name] of text.matchAll(/^export (?:const|function) (\w+Handlers?)\b/gm)) {
      const others = filesWith(new RegExp(`\\b${name}\\b`)).filter((one) => one !== file);
      if (others.length !== 1) lists[name!] = others;
    }
  }
  t.strictSame(lists, {});
});

void t.test('one file lists a collection: the organization', async (t) => {
  const classes = [...TEXTS.values()].flatMap((text) =>
    [...text.matchAll(/^export class (\w+Collection)\b/gm)].map(([, name]) => name!),
  );
  t.ok(classes.length > 20, 'the classes were found');
  t.strictSame(filesWith(new RegExp(`new (?:${classes.join('|')}|Collection)\\b`)), [
    'src/organization/state/organization.ts',
  ]);
});

interface Form {
  readonly anyOf?: readonly Form[];
  readonly properties?: { readonly type: { readonly const: string } };
}

function typesOf({ anyOf, properties }: Form): string[] {
  return anyOf ? anyOf.flatMap(typesOf) : [properties!.type.const];
}

void t.test('a renderer is of an event that is declared, and one file lists it', async (t) => {
  const types = new Set(ALL_EVENTS.flatMap((schema) => typesOf(schema as unknown as Form)));
  t.strictSame(
    [...EVENT_RENDERERS.keys()].filter((type) => !types.has(type)),
    [],
  );
  const lists: Record<string, string[]> = {};
  for (const [file, text] of TEXTS) {
    if (!file.startsWith('src/journal/renderers/')) continue;
    for (const [, name] of text.matchAll(/^export const (\w+Renderer)\b/gm)) {
      if (name === 'plainRenderer') continue;
      lists[name!] = filesWith(new RegExp(`\\b${name}\\b`)).filter((one) => one !== file);
    }
  }
  t.strictSame(
    Object.entries(lists).filter(
      ([, files]) => files.join() !== 'src/journal/renderers/registry.ts',
    ),
    [],
  );
});

/** Types that no transaction emits: each queue makes its own. */
const MADE_BY_QUEUES = ['heartbeat'];

void t.test('one file emits the events of a type', async (t) => {
  const emitters = new Map<string, Set<string>>();
  const others: string[] = [];
  for (const [file, text] of TEXTS) {
    for (const [, argument] of text.matchAll(/\btx\.emit\(\s*([^,)]+)/g)) {
      const type = /^'(\w+)'$/.exec(argument!)?.[1];
      if (type === undefined) others.push(`${file}: ${argument}`);
      else emitters.set(type, (emitters.get(type) ?? new Set()).add(file));
    }
  }
  t.strictSame(others, [], 'each emission names its type');
  t.strictSame(
    [...emitters].filter(([, files]) => files.size > 1).map(([type, files]) => [type, [...files]]),
    [],
  );
  const declared = new Set(ALL_EVENTS.flatMap((schema) => typesOf(schema as unknown as Form)));
  const emitted = new Set([...emitters.keys(), ...MADE_BY_QUEUES]);
  t.strictSame([...emitted].sort(), [...declared].sort(), 'each declared type is emitted');
});
