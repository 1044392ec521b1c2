import sharp from 'sharp';
import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { customEmojiPicture } from '../../../../src/organization/views/custom-emoji-view.js';
import { PLAIN } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import { markdown } from '../../../fixtures/messages-world.js';
import { SenderDirectory } from '../../../../src/organization/messages/sending/outgoing-message.js';

function file(data: Buffer) {
  return { field: '/home/me/blobcat.png', name: 'blobcat.png', mediaType: '', data };
}

const frame = (background: string) =>
  sharp({ create: { width: 8, height: 6, channels: 3, background } })
    .png()
    .toBuffer();
const picture = file(await frame('green'));
const moving = file(
  await sharp([await frame('green'), await frame('red')], { join: { animated: true } })
    .gif()
    .toBuffer(),
);

function add(world: MessagesWorld, emoji_name: string, user = world.hamlet, one = picture) {
  return world.do('upload-custom-emoji', { emoji_name }, user, { files: [one] });
}

void t.test('of two uploads for one name the refused one leaves no file', async (t) => {
  const world = new MessagesWorld();
  const outcomes = await Promise.allSettled([
    add(world, 'blobcat', world.hamlet, moving),
    add(world, 'blobcat', world.ophelia, moving),
  ]);
  // Whose picture is ready first is not settled.
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  t.match(refused, [{ reason: { code: 'BAD_REQUEST' } }]);
  t.equal(refused.length, 1);
  const { file } = world.org.customEmoji.get(1)!;
  t.strictSame(
    [...world.blobs.files.keys()].sort(),
    [`emoji/${file}-still.png`, `emoji/${file}.gif`],
    'the moving picture and the still one of the other',
  );
});

// [c:realm-emoji-events]
void t.test('events `realm_emoji`: one change, or all of them, by capability', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, org } = world;
  t.strictSame(await add(world, 'Party blobcat'.toLowerCase()), {});
  const { file } = org.customEmoji.get(1)!;
  const entry = {
    id: '1',
    name: 'party_blobcat',
    source_url: `/user_avatars/emoji/${file}.png`,
    still_url: null,
    deactivated: false,
    author_id: hamlet.user_id,
  };
  t.same(world.seen(ophelia), [{ type: 'realm_emoji', op: 'add', emoji: entry }]);
  t.same(world.received(ophelia, world.mark, PLAIN), [
    { type: 'realm_emoji', op: 'update', realm_emoji: { 1: entry } },
  ]);
  t.same(await world.do('get-custom-emoji', {}, ophelia), { emoji: { 1: entry } });
  t.same([...world.blobs.files.keys()], [`emoji/${file}.png`]);
  const { width, height, format } = await sharp([...world.blobs.files.values()][0]).metadata();
  t.same({ width, height, format }, { width: 64, height: 64, format: 'png' });

  t.strictSame(
    await world.do('deactivate-custom-emoji', { emoji_name: 'party_blobcat' }, hamlet),
    {},
  );
  t.same(world.seen(ophelia), [
    { type: 'realm_emoji', op: 'update_one', emoji_id: '1', data: { deactivated: true } },
  ]);
  t.same(world.received(ophelia, world.mark, PLAIN), [
    {
      type: 'realm_emoji',
      op: 'update',
      realm_emoji: { 1: { ...entry, deactivated: true } },
    },
  ]);
  t.equal(customEmojiPicture(org, 'party_blobcat'), undefined);
  await add(world, 'party_blobcat');
  t.equal(customEmojiPicture(org, 'party_blobcat')?.id, '2', 'the name is free again');
  t.equal(customEmojiPicture(world.reloaded(), 'party_blobcat')?.id, '2', 'after a restart too');
});

void t.test('a moving picture has a still one beside it', async (t) => {
  const world = new MessagesWorld();
  await add(world, 'dance', world.hamlet, moving);
  const { file, animated } = world.org.customEmoji.get(1)!;
  t.ok(animated);
  t.match(world.seen(), [
    {
      emoji: {
        source_url: `/user_avatars/emoji/${file}.gif`,
        still_url: `/user_avatars/emoji/${file}-still.png`,
      },
    },
  ]);
  const gif = await sharp(world.blobs.files.get(`emoji/${file}.gif`), { pages: -1 }).metadata();
  t.match(gif, { format: 'gif', width: 64, pageHeight: 64, pages: 2 });
  const still = await sharp(world.blobs.files.get(`emoji/${file}-still.png`)).metadata();
  t.match(still, { format: 'png', width: 64, height: 64 });
});

void t.test('one whose still picture could not be stored leaves no file', async (t) => {
  const world = new MessagesWorld();
  world.blobs.fails = /-still/;
  await t.rejects(add(world, 'party', world.hamlet, moving), { message: 'the disk is full' });
  t.equal(world.blobs.files.size, 0);
});

void t.test('messages show custom emoji', async (t) => {
  const world = new MessagesWorld();
  await add(world, 'blobcat');
  const { source_url } = customEmojiPicture(world.org, 'blobcat')!;
  const { html } = markdown.render('hi :blobcat:', new SenderDirectory(world.org, world.hamlet));
  t.equal(
    html,
    `<p>hi <img alt=":blobcat:" class="emoji" src="${source_url}" title="blobcat"></p>`,
  );
});

void t.test('custom emoji are refused in the words of the contract', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, owner } = world;
  const guest = world.addUser('guest@example.com', { role: ROLE.guest });
  const upload = (emoji_name: string, user = hamlet, files = [picture]) =>
    world.refused('upload-custom-emoji', { emoji_name }, user, { files: files });
  const letters =
    'Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.';
  for (const name of ['Party', 'żaba', 'a.b']) t.equal(await upload(name), letters, name);
  for (const name of ['party_', 'party-']) {
    t.equal(await upload(name), 'Emoji names must end with either a letter or digit.', name);
  }
  t.equal(await upload('blobcat', hamlet, []), 'You must upload exactly one file.');
  t.equal(await upload('blobcat', hamlet, [picture, picture]), 'You must upload exactly one file.');
  t.equal(
    await upload('blobcat', hamlet, [file(Buffer.alloc(5 * 1024 * 1024 + 1))]),
    'Uploaded file is larger than the allowed limit of 5 MiB',
  );
  t.equal(
    await upload('blobcat', hamlet, [file(Buffer.from('<svg'))]),
    'BAD_IMAGE: Could not decode image; did you upload an image file?',
  );
  t.equal(await upload('tada'), 'Only administrators can override default emoji.');
  t.equal(await upload('blobcat', guest), 'Insufficient permission');
  world.setRealm({ can_add_custom_emoji_group: world.system('role:administrators') });
  t.equal(await upload('blobcat', hamlet), 'Insufficient permission');
  world.setRealm({ can_add_custom_emoji_group: world.system('role:members') });
  await add(world, 'tada', owner);
  await add(world, 'blobcat', hamlet);
  t.equal(await upload('blobcat', owner), 'A custom emoji with this name already exists.');
  const remove = (emoji_name: string, user = ophelia) =>
    world.refused('deactivate-custom-emoji', { emoji_name }, user);
  t.equal(await remove('blobcat'), 'Must be an organization administrator or emoji author');
  t.equal(await remove('absent'), "Emoji 'absent' does not exist");
  t.same(await world.do('deactivate-custom-emoji', { emoji_name: 'blobcat' }, owner), {});
  t.equal(await remove('blobcat', owner), "Emoji 'blobcat' does not exist");
});
