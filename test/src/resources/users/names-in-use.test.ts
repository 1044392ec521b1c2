import t from 'tap';
import { realmHandlers } from '../../../../src/resources/realm/realm.js';
import { channelFolderHandlers } from '../../../../src/resources/channels/channel-folders.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { channelWorld } from '../../../fixtures/channel-world.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import { GroupsWorld } from '../../../fixtures/groups-world.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld } from '../../../fixtures/people-world.js';

const refused = (message: string) => ({ status: 400, code: 'BAD_REQUEST', message });
const markdown = createMarkdown();

/** Invisible, or turning what is beside it; each at position 3. */
const BAD = [
  'Ad\u200ba',
  'Ad\u202ea',
  'Ad\u00ada',
  'Ad\u3164a',
  'Ad\u{e0061}a',
  'Ad\ufe0fa',
  'Ad\u0007a',
];
const EMOJI = '👩‍🚀 and ❤️';

void t.test('a full name with hidden characters, or like one in use, is refused', async (t) => {
  const world = new PeopleWorld();
  const { admin, hamlet, iago } = world;
  world.setRealm({ require_unique_names: true });
  const rename = (full_name: string) =>
    world.do('update-user', { user_id: hamlet.user_id, full_name }, admin);
  const create = (full_name: string) =>
    world.do('create-bot', { full_name, short_name: 'x' }, hamlet);
  for (const name of [...BAD, '\u0301\u0301']) {
    await t.rejects(rename(name), refused('Invalid characters in name!'));
    await t.rejects(create(name), refused('Invalid characters in name!'));
  }
  // The last with Cyrillic a and o; and with a Greek omicron.
  const taken = ['IAGO', 'ｉａｇｏ', 'iago\u00a0', ' iago ', 'i\u0430g\u043e', 'iag\u03bf'];
  for (const name of taken) {
    await t.rejects(rename(name), refused('Unique names required in this organization.'), name);
  }
  // The server's own: Cyrillic letters, and a capital i in the place of a small l.
  for (const name of [
    'Notification Bot',
    'N\u043etificati\u043en Bot',
    'WeIcome Bot',
    'Ｗelcome B0t',
  ]) {
    await t.rejects(rename(name), refused('Unique names required in this organization.'), name);
  }
  world.setRealm({ require_unique_names: false });
  for (const name of taken) await t.rejects(create(name), refused('Name is already in use!'), name);
  await rename(EMOJI);
  t.equal(world.user(hamlet.user_id).full_name, EMOJI);
  t.equal(world.org.users.byFullName('iago')?.user_id, iago.user_id);
  t.equal(world.org.users.byFullName('Iago'), undefined, 'mentions name people as they are called');
});

void t.test('a channel name with characters that hide or look alike is refused', async (t) => {
  const { ann, run, test } = channelWorld();
  const make = async (name: string) => run('create-channel', ann, { name, subscribers: [] });
  for (const name of BAD) {
    await t.rejects(make(name), refused('Invalid character in channel name, at position 3!'));
  }
  await make(`Ｃrew ${EMOJI}`);
  await t.rejects(make(`crew  ${EMOJI}`), { code: 'CHANNEL_ALREADY_EXISTS' });
  t.equal(test.org.channels.byName(`CREW ${EMOJI}`)?.name, `Ｃrew ${EMOJI}`);
});

void t.test('a group name with characters that hide or look alike is refused', async (t) => {
  const world = new GroupsWorld();
  for (const name of BAD) {
    await t.rejects(
      world.group({ name }),
      refused('Invalid character in user group name, at position 3!'),
    );
  }
  for (const name of ['ROLE:owners', 'role：owners', '＠all']) {
    await t.rejects(world.group({ name }), { message: /^User group name cannot start with '/ });
  }
  for (const name of [
    'all',
    'Everyone',
    'channel',
    'stream',
    'topic',
    'here',
    'ａll',
    '\u0430ll',
  ]) {
    await t.rejects(
      world.group({ name }),
      refused(`User group name '${name}' is reserved.`),
      'it would be taken for what mentions everybody',
    );
  }
  await world.group({ name: 'all hands' });
  await world.group({ name: 'Players' });
  await t.rejects(
    world.group({ name: 'ｐlayers' }),
    refused("User group 'ｐlayers' already exists."),
  );
  await world.group({ name: EMOJI });
});

void t.test('a topic with characters that hide is refused', async (t) => {
  const world = new MessagesWorld();
  const id = await world.say('one');
  for (const topic of BAD) {
    await t.rejects(
      world.edit(id, { topic }),
      refused('Invalid character in topic, at position 3!'),
    );
  }
  await world.edit(id, { topic: EMOJI });
  await world.edit(id, { topic: `✔ ${EMOJI}` });
});

void t.test('folders, labels, values, statuses, and the organization', async (t) => {
  const world = new PeopleWorld();
  const { owner, admin, hamlet } = world;
  const handlers = [
    ...realmHandlers({
      markdown,
      waitingPeriodChanged: () => undefined,
      endQueues: () => undefined,
    }),
    ...channelFolderHandlers(markdown),
  ];
  const call = (operation: string, params: Body) =>
    world.call(handlerOf(handlers, operation), owner, params);
  const field = (name: string) =>
    world.do(
      'create-custom-profile-field',
      {
        field_type: 1,
        name,
        hint: '',
        field_data: null,
      },
      admin,
    );
  const { id } = await field('Café');
  const places: readonly [string, (text: string) => Promise<unknown>][] = [
    ['channel folder name', (name) => call('create-channel-folder', { name, description: '' })],
    ['organization name', (name) => call('update-realm', { name })],
    ['label', field],
    ['Café', (value) => world.do('update-own-profile-data', { data: [{ id, value }] }, hamlet)],
    ['status', (status_text) => world.do('update-own-status', { status_text }, hamlet)],
  ];
  for (const [what, set] of places) {
    for (const text of BAD) {
      await t.rejects(
        set(text),
        { message: new RegExp(`^Invalid character in ${what}, at position 3[.!]$`) },
        what,
      );
    }
    await set(EMOJI);
  }
  await t.rejects(field('CAFE\u0301'), refused('A field with that label already exists.'));
});
