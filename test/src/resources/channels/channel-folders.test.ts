import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { channelFolderHandlers } from '../../../../src/resources/channels/channel-folders.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { call } from '../../../fixtures/call.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';
import { received } from '../../../fixtures/receive.js';

const handlers = channelFolderHandlers(createMarkdown());

function fixture() {
  const test = new TestOrganization();
  const admin = test.user({ role: ROLE.administrator });
  const guest = test.user({ role: ROLE.guest });
  const run = (operation: string, params: Record<string, unknown> = {}) => {
    const outcome = call(test, handlers, operation, admin, params);
    // Everybody is told, guests too.
    return { result: outcome.result, told: received(outcome.events, guest.user_id) };
  };
  const create = (name: string, description = '') =>
    run('create-channel-folder', { name, description }).result.channel_folder_id as number;
  const names = (params: Record<string, unknown> = {}) =>
    (run('get-channel-folders', params).result.channel_folders as { name: string }[]).map(
      (folder) => folder.name,
    );
  return { test, admin, run, create, names };
}

// [c:folder-created]
void t.test('a folder is made, last in order', async (t) => {
  const { test, admin, run, names } = fixture();
  const { result, told } = run('create-channel-folder', {
    name: ' Plays ',
    description: 'all\nthe **world**',
  });
  const folder = {
    id: 1,
    name: 'Plays',
    description: 'all the **world**',
    rendered_description: '<p>all the <strong>world</strong></p>',
    creator_id: admin.user_id,
    date_created: test.seconds,
    order: 0,
    is_archived: false,
  };
  t.strictSame(result, { channel_folder_id: 1 });
  t.strictSame(told, [{ type: 'channel_folder', op: 'add', channel_folder: folder }]);
  t.strictSame(run('get-channel-folders').result, { channel_folders: [folder] });
  run('create-channel-folder', { name: 'Actors' });
  t.strictSame(names(), ['Plays', 'Actors']);
});

void t.test('a name of a folder that is taken, empty or invalid is refused', async (t) => {
  const { create, run } = fixture();
  create('Plays');
  const refusals: [string, string][] = [
    ['pLAYS', 'Channel folder name already in use'],
    ['  ', "Channel folder name can't be empty."],
    ['ab\u0000', 'Invalid character in channel folder name, at position 3.'],
  ];
  const other = create('Other');
  for (const [name, message] of refusals) {
    t.throws(() => create(name), { message, code: 'BAD_REQUEST' });
    t.throws(() => run('update-channel-folder', { channel_folder_id: other, name }), { message });
  }
});

// [c:folder-changed]
void t.test('what changes is told, and nothing else', async (t) => {
  const { create, run } = fixture();
  const channel_folder_id = create('Plays', 'x');
  const update = (params: object) => run('update-channel-folder', { channel_folder_id, ...params });
  const event = (data: object) => ({
    type: 'channel_folder',
    op: 'update',
    channel_folder_id,
    data,
  });
  t.strictSame(update({ name: 'plays', description: 'x' }).told, [event({ name: 'plays' })]);
  t.strictSame(update({ description: '*y*', is_archived: false }).told, [
    event({ description: '*y*', rendered_description: '<p><em>y</em></p>' }),
  ]);
  t.strictSame(update({}).told, []);
  t.throws(() => run('update-channel-folder', { channel_folder_id: 9, name: 'x' }), {
    message: 'Invalid channel folder ID',
  });
});

void t.test('an empty folder is archived, and leaves its name to others', async (t) => {
  const { test, create, run, names } = fixture();
  const channel_folder_id = create('Plays');
  const channel = test.channel({ folder_id: channel_folder_id, is_archived: true });
  const archive = (is_archived: boolean) =>
    run('update-channel-folder', { channel_folder_id, is_archived });
  t.throws(() => archive(true), {
    message: 'You need to remove all the channels from this folder to archive it.',
  });
  test.load('channel', { ...channel, folder_id: null });
  t.strictSame(archive(true).told, [
    { type: 'channel_folder', op: 'update', channel_folder_id, data: { is_archived: true } },
  ]);
  t.strictSame(names(), []);
  t.strictSame(names({ include_archived: true }), ['Plays']);
  create('plays');
  t.throws(() => archive(false), { message: 'Channel folder name already in use' });
  run('update-channel-folder', { channel_folder_id, is_archived: false, name: 'Old plays' });
  t.strictSame(names(), ['Old plays', 'plays']);
});

// [c:folders-ordered]
void t.test('all folders are put in an order', async (t) => {
  const { create, run, names } = fixture();
  const [a, b, c] = [create('a'), create('b'), create('c')];
  const order = [c, a, b];
  t.strictSame(run('reorder-channel-folders', { order }).told, [
    { type: 'channel_folder', op: 'reorder', order },
  ]);
  t.strictSame(names(), ['c', 'a', 'b']);
  t.strictSame(run('reorder-channel-folders', { order }).told, [], 'as it is already');
  for (const bad of [[a, b], [a, b, b], [a, b, 9], [a, b, c, c], []]) {
    t.throws(() => run('reorder-channel-folders', { order: bad }), {
      message: 'Invalid order mapping.',
    });
  }
  create('d');
  t.strictSame(names(), ['c', 'a', 'b', 'd']);
});
