import { readFileSync } from 'node:fs';
import t from 'tap';
import Type, { type TSchema } from 'typebox';
import { COLLECTIONS } from '../../schemas/collections.js';
import { ALL_ENDPOINTS } from '../../schemas/endpoints.js';
import { Empty, endpoint, required } from '../../schemas/endpoint.js';
import { ALL_EVENTS } from '../../schemas/events.js';
import { inWords } from '../../schemas/openapi/field-text.js';
import { USER_SETTINGS } from '../../schemas/users/user-settings.js';
import { published } from '../../schemas/openapi/json-schema.js';
import {
  PreparedStars,
  PreparedUnread,
} from '../../src/organization/messages/reading/prepared-reading.js';
import { BelongingCollection } from '../../src/organization/state/user-collections.js';
import type { SnapshotRequest } from '../../src/resources/queues/register/queue-request.js';
import { SECTIONS, sectionNames } from '../../src/resources/queues/register/sections.js';
import { TestOrganization } from '../fixtures/chat-organization.js';
import { publishedSchemas } from './published-schemas.js';
import {
  withoutEventLevel,
  withoutExample,
  withoutFieldText,
  withoutLevel,
  withoutParameterText,
  withoutPerson,
  withoutSection,
  withoutSnapshotField,
  withoutTag,
} from './omissions.js';
import { withoutField, withoutIndex, withoutRow, withoutSettingRow } from './page-rows.js';

/* What has been added to the contract is whole; whoever forgot something reads here which file lacks what. */

const world = new TestOrganization();

/** Collections by the fields of the organization that hold them. */
const FIELDS: ReadonlyMap<string, TSchema> = new Map(
  Object.entries(world.org).flatMap(([field, value]) => {
    if (value instanceof BelongingCollection) return [];
    const { name } = (value ?? {}) as { readonly name?: unknown };
    const descriptor = typeof name === 'string' ? COLLECTIONS.get(name) : undefined;
    return descriptor ? [[field, descriptor.document] as const] : [];
  }),
);

const READER = world.user();

/** Fields of the snapshot, but for the sections that are kept as text. */
const SNAPSHOT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(SECTIONS).map(([name, make]) => [
    name,
    Object.keys(
      make({
        org: world.org,
        user: READER,
        unread: new PreparedUnread(world.org, READER.user_id, { emptyTopicName: true }),
        stars: new PreparedStars(world.org, READER.user_id),
        params: { client_capabilities: {} },
        // What old clients ask for by name is not published.
        named: () => false,
        wants: () => true,
        schedule: { scheduledMessages: new Map(), reminders: new Map() },
      } as unknown as SnapshotRequest),
    ),
  ]),
);

void t.test('nothing is missing', async (t) => {
  const missing = [
    ...withoutParameterText(ALL_ENDPOINTS),
    ...withoutFieldText(publishedSchemas()),
    ...withoutExample(ALL_ENDPOINTS),
    ...withoutTag(ALL_ENDPOINTS),
    ...withoutLevel(ALL_ENDPOINTS),
    ...withoutEventLevel(ALL_EVENTS),
    ...withoutSection(ALL_EVENTS, sectionNames),
    ...withoutSnapshotField(Object.values(SNAPSHOT).flat()),
    ...withoutPerson(FIELDS, (file) => readFileSync(file, 'utf8')),
    ...withoutRow(ALL_ENDPOINTS),
    ...withoutIndex(ALL_EVENTS),
    ...withoutField(SNAPSHOT),
    ...withoutSettingRow(Object.keys(USER_SETTINGS)),
  ];
  t.ok(FIELDS.size > 30, 'the collections were found');
  for (const line of missing) t.fail(line, { diagnostic: false });
});

const sample = endpoint({
  operation: 'add-toy',
  method: 'POST',
  path: '/toys',
  access: 'user',
  summary: 'Add a toy',
  params: { toy_color: required(Type.String({ maxLength: 10 })) },
  response: Empty,
  errors: [],
  events: [],
});

/** Forms of an event that nothing else knows. */
const TOYS = ['add', 'remove'].map((op) =>
  Type.Object({ type: Type.Literal('toy'), op: Type.Literal(op), toy_color: Type.String() }),
);

void t.test('each omission is told by file and key', async (t) => {
  t.strictSame(withoutParameterText([sample]), [
    "schemas/{area}/{file}.ts: add 'add-toy.toy_color' or 'toy_color' to PARAMETER_TEXTS",
  ]);
  const another = { ...sample, operation: 'change-toy' };
  t.strictSame(withoutParameterText([sample, another], ['toy_color']), [
    "schemas/users/setting-texts.ts: add 'toy_color' to settingTexts",
  ]);
  t.strictSame(withoutExample([sample]), [
    "schemas/{area}/{file}.ts: add 'toy_color' to the example of 'add-toy'",
  ]);
  t.strictSame(withoutTag([sample]), [
    "schemas/openapi/tags.ts: add '/toys' to the paths of a tag",
  ]);
  t.strictSame(withoutTag([{ ...sample, path: '/users/me/toys' }]), [
    "schemas/openapi/tags.ts: add '/users/me/toys' to the paths of a tag",
  ]);
  t.strictSame(withoutLevel([sample]), [
    "schemas/{area}/{file}.ts: add 'level' to the descriptor of 'add-toy'",
  ]);
  t.strictSame(withoutEventLevel(TOYS), ["schemas/openapi/levels.ts: add 'toy' to EVENT_LEVELS"]);
  const reaction = (op: string) =>
    Type.Object({ type: Type.Literal('reaction'), op: Type.Literal(op) });
  t.strictSame(withoutEventLevel([reaction('add'), reaction('toggle')]), [
    "schemas/openapi/levels.ts: add 'reaction toggle' to EVENT_LEVELS",
  ]);
  t.strictSame(withoutSection(TOYS, sectionNames), [
    "src/resources/queues/register/sections.ts: add 'toy' to SECTIONS, or to SECTION_OF_EVENT under the name " +
      'of its section; without a section, to WITHOUT_SECTION of test/schemas/omissions.ts',
  ]);
});

void t.test('what a page of the contract lacks', async (t) => {
  t.strictSame(withoutRow([sample]), ["docs/contract/endpoints.md: add 'POST toys' to J.2"]);
  t.strictSame(withoutIndex(TOYS), [
    "docs/contract/events.md: add 'toy add' to the index (section 8)",
    "docs/contract/events.md: add 'toy remove' to the index (section 8)",
  ]);
  t.strictSame(withoutField({ drafts: ['drafts', 'toys'], realm: ['realm_name', 'realm_toys'] }), [
    "docs/contract/register.md: add 'toys' to section 3",
    "docs/contract/register-realm.md: add 'realm_toys' to section 4",
  ]);
  // As two of them are written: `enable_stream_*`, and `enable_stream_{desktop,email,push,audible}_notifications`.
  t.strictSame(withoutSettingRow(['enable_stream_push_notifications', 'play_with_toys']), [
    "docs/contract/settings.md: add 'play_with_toys' to I.1",
    "docs/contract/settings.md: add 'play_with_toys' to Register 5",
  ]);
});

void t.test('a field of the snapshot that is not published', async (t) => {
  t.strictSame(withoutSnapshotField(['drafts', 'toys']), [
    "schemas/openapi/register-sections.ts: add 'toys' to SECTION_FIELDS",
  ]);
});

void t.test(
  'a collection of what is of one person, which an erasure or an export leaves out',
  async (t) => {
    const fields = new Map([
      ['toys', Type.Object({ id: Type.Integer(), user_id: Type.Integer() })],
      ['games', Type.Object({ id: Type.Integer() })],
    ]);
    t.strictSame(
      withoutPerson(fields, (file) => (file.includes('erasure') ? 'org.toysOf' : 'org.toys.of')),
      ['src/organization/users/erasure.ts: add org.toys, or make it a BelongingCollection'],
    );
  },
);

void t.test('a field without a text is told once, with the file that has its object', async (t) => {
  const view = published(Type.Object({ toy_color: Type.String() }, { title: 'NavigationView' }));
  const inList = published(
    Type.Object({ list: Type.Array(Type.Object({ toy_size: Type.String() })) }),
  );
  t.strictSame(
    withoutFieldText({ NavigationView: view, 'get-drafts': inWords(inList, ['get-drafts']) }),
    [
      "schemas/personal/navigation-views.ts: add 'NavigationView.toy_color' or 'toy_color' to FIELD_TEXTS",
      "schemas/personal/drafts.ts: add 'get-drafts.list' or 'list' to FIELD_TEXTS",
      "schemas/personal/drafts.ts: add 'list.toy_size' or 'toy_size' to FIELD_TEXTS",
    ],
  );
});
