import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { ALL_ENDPOINTS } from '../schemas/endpoints.js';
import { ALL_EVENTS } from '../schemas/events.js';
import { EVENT_RENDERERS } from '../src/journal/renderers/registry.js';

/*
 * What an addition touches, counted over what there is: nothing is listed beside the place that
 * declares it and a list; and by an example each, in how many files an endpoint, an event with its
 * collection, and a rule stand. That the lists are complete is checked by `schemas/areas.test.ts`, by
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

/** Texts of what several things of an area share. */
function isText(file: string): boolean {
  return /^schemas\/\w+\/(?:setting-)?texts\.ts$/.test(file);
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

/** Texts of tests by their files. */
const TESTS = new Map(filesBelow('test').map((file) => [file, readFileSync(file, 'utf8')]));
/** Written by a script, history of the contract, and what counts here. */
const NOT_COUNTED = [
  'src/client/types.ts',
  'schemas/openapi/changes.ts',
  'test/registration.test.ts',
];

/** Files in which an addition stands, beside its page of the contract and its row of the coverage. */
function touched(names: RegExp, elsewhere: readonly string[] = []): string[] {
  return [...TEXTS, ...TESTS]
    .filter(([, text]) => names.test(text))
    .map(([file]) => file)
    .filter((file) => !NOT_COUNTED.includes(file) && !elsewhere.includes(file))
    .sort();
}

void t.test(
  'an endpoint touches four files: its texts stand with it, its rows in tests follow from its descriptor',
  async (t) => {
    t.strictSame(touched(/\bgetReminders\b|\bget-reminders\b/), [
      // Level 399 added the section of the snapshot, too.
      'schemas/openapi/levels.ts',
      'schemas/scheduling/reminders.ts',
      'src/resources/scheduling/reminders.ts',
      'test/src/resources/scheduling/reminders.test.ts',
    ]);
  },
);

void t.test(
  'an event with its collection and its section of the snapshot touches eleven files',
  async (t) => {
    const names =
      /\bnavigation_views?\b|\bnavigationViews\b|\bNavigationViewDocument\b|\bnavigationView(?:Add|Update|Remove|Events?)\b|'personal\/navigation-views'/;
    // Of its endpoints: chapter, handlers, rows that say more than their descriptors, and tests of the contract's history;
    // of another format: what the exports of Zulip have of it.
    const elsewhere = [
      'schemas/openapi/tags.ts',
      'src/transfer/export/own-rows.ts',
      'test/fixtures/archives/organization-picture.ts',
      'test/src/transfer/import/import-zulip.test.ts',
      'src/resources/personal/navigation-views.ts',
      'test/schemas/events/contract-types.test.ts',
      'test/schemas/omissions.test.ts',
      'test/src/resources/personal/navigation-views.test.ts',
      'test/system/api/levels-of-organization.test.ts',
      'test/system/clients/fixtures/made-for-requests.ts',
      'test/system/harness/contract.ts',
      'test/system/harness/permissions/personal.ts',
    ];
    t.strictSame(touched(names, elsewhere), [
      // The list of files; its own with document, forms, events and texts.
      'schemas/areas.ts',
      'schemas/openapi/levels.ts',
      'schemas/openapi/register-sections.ts',
      'schemas/personal/navigation-views.ts',
      'src/organization/personal/navigation-views.ts',
      // The counter of its ids.
      'src/organization/state/collections/realm.ts',
      // What is lost with a damaged document of it.
      'src/organization/state/damaged-documents.ts',
      'src/organization/state/organization.ts',
      'src/resources/queues/register/sections.ts',
      'test/system/harness/apply/apply-personal.ts',
      'test/system/snapshot/personal.test.ts',
    ]);
  },
);

void t.test(
  'a rule by role touches three files: its descriptor, the row of it, and its test',
  async (t) => {
    // Work that goes on after its request asks the descriptor again (`checkAccess`).
    const stated = touched(
      /operation: 'delete-topic'|^ {2}'delete-topic': \[$|\bdeleteTopic\.access\b/m,
    );
    t.strictSame(stated, [
      'schemas/messages/message-deletion.ts',
      'test/src/resources/messages/message-deletion.test.ts',
      'test/system/harness/permissions/messages.ts',
    ]);
  },
);
