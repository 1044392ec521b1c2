import t from 'tap';
import { ROLE } from '../../../schemas/users/user-document.js';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import { addAttachment, newPathId } from '../../../src/organization/uploads/attachments.js';
import { unofferedHandlers } from '../../../src/resources/unoffered.js';
import { createMarkdown } from '../../../src/services/markdown/markdown.js';
import { organizationOf, type Body } from '../../fixtures/living-organization.js';
import { documentsIn } from '../../fixtures/documents-in.js';

function unofferedWorld() {
  return organizationOf({ hamlet: ROLE.member, admin: ROLE.administrator }, ({ presence }) =>
    unofferedHandlers({ markdown: createMarkdown(), presence }),
  );
}

/** Everything endpoints-organization.md#not-offered names. */
const NAMED = [
  'GET /export/realm/consents',
  'POST /realm/test_welcome_bot_custom_message',
  'POST /zcommand',
  'GET /thumbnail/status/{realm_id}/{file_path+}',
  'GET /realm/subdomain/{subdomain}',
];

void t.test('every endpoint that is only named is there', (t) => {
  const served = new Set(ALL_ENDPOINTS.map(({ method, path }) => `${method} ${path}`));
  for (const one of NAMED) t.ok(served.has(one), one);
  t.end();
});

/** Operation, parameters, and the error it is answered with. */
const REFUSALS: readonly (readonly [string, Body, string, number?])[] = [
  ['zcommand', { command: 'ping' }, 'There should be a leading slash in the zcommand.'],
  ['zcommand', { command: '/giphy' }, 'No such command: giphy'],
  ['zcommand', { command: '/toString' }, 'No such command: toString'],
  ['zcommand', { command: '' }, 'There should be a leading slash in the zcommand.'],
  [
    'test-welcome-bot-custom-message',
    { welcome_message_custom_text: ' ' },
    'Message must not be empty',
  ],
  [
    'check-subdomain',
    { subdomain: 'x' },
    'Subdomain is not available: this server has one organization.',
  ],
];

void t.test('each answers with its error and changes nothing', async (t) => {
  const world = unofferedWorld();
  for (const [operation, params, message] of REFUSALS) {
    const before = world.position;
    await t.rejects(world.do(operation, params), { status: 400, code: 'BAD_REQUEST', message });
    t.ok(world.entries.slice(before).every(({ content }) => content.writes.length === 0));
  }
});

void t.test('who allows the export of private data', async (t) => {
  const world = unofferedWorld();
  const { user_id } = world.hamlet;
  world.transact((tx) =>
    tx.org.settings.insert({ user_id, edited: [], allow_private_data_export: true }),
  );
  const { export_consents } = await world.do('get-realm-export-consents');
  t.same(
    (export_consents as Body[]).filter((one) => one.consented === true),
    [{ user_id, consented: true, email_address_visibility: 1 }],
  );
  t.equal((export_consents as Body[]).length, 3, 'people only');
});

void t.test('the greeting is sent to whoever tries it', async (t) => {
  const world = unofferedWorld();
  const before = world.position;
  const text = '*Hello* there';
  const greeting = { welcome_message_custom_text: text };
  const { message_id } = await world.do('test-welcome-bot-custom-message', greeting, world.admin);
  const { content } = world.entries.slice(before).at(-1)!;
  const [message] = documentsIn(content.writes, 'message');
  t.match(message, { id: message_id, content: text });
  t.equal(world.org.realm.current.welcome_message_custom_text, '', 'no setting changed');
  const users = [world.admin.user_id, Number(message!.sender_id)].sort((a, b) => a - b);
  t.same(content.events.at(-1)!.audience, { to: 'users', users }, 'only they are told');
});

void t.test('thumbnails: whether they are made, of files one may have', async (t) => {
  const world = unofferedWorld();
  const path_id = newPathId('a.png');
  world.transact((tx) => addAttachment(tx, world.hamlet, { name: 'a.png', path_id, size: 3 }));
  const [realm, ...rest] = path_id.split('/');
  const params = { realm_id: Number(realm), file_path: rest.join('/') };
  t.same(await world.do('get-thumbnail-status', params, world.hamlet), { has_thumbnail: false });
  world.transact((tx) => tx.org.attachments.update(1, { image: { state: 'made', still: 1 } }));
  t.same(await world.do('get-thumbnail-status', params, world.hamlet), { has_thumbnail: true });
  await t.rejects(world.do('get-thumbnail-status', params, world.admin), {
    status: 403,
    code: 'BAD_REQUEST',
  });
  const absent = { ...params, file_path: '00/nothing/a.png' };
  await t.rejects(world.do('get-thumbnail-status', absent, world.hamlet), {
    status: 404,
    code: 'BAD_REQUEST',
  });
});

void t.test('slash commands change settings of the one who gives them', async (t) => {
  const world = unofferedWorld();
  const changes = async (command: string) => {
    world.newEvents(world.hamlet);
    t.same(await world.do('zcommand', { command }), {});
    const events = world.newEvents(world.hamlet);
    return events.map(({ property, value }) => [property, value]);
  };
  t.strictSame(await changes('/ping'), []);
  t.strictSame(await changes('/dark'), [['color_scheme', 2]]);
  t.strictSame(await changes('/night'), [], 'it is so already');
  t.strictSame(await changes('/day'), [['color_scheme', 3]]);
  t.strictSame(await changes('/fluid-width'), [['fluid_layout_width', true]]);
  t.strictSame(await changes('/fixed-width'), [['fluid_layout_width', false]]);
  t.equal(world.org.settings.value(world.hamlet.user_id, 'color_scheme'), 3);
});
