import sharp from 'sharp';
import t from 'tap';
import { userNamed } from '../../../../src/resources/users/avatars.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

function file(data: Buffer) {
  return { field: 'avatar', name: 'me.png', mediaType: 'image/png', data };
}

const picture = file(
  await sharp({ create: { width: 8, height: 8, channels: 3, background: 'green' } })
    .png()
    .toBuffer(),
);

// [c:avatar-uploaded]
void t.test('an uploaded picture is kept and told; the former one goes', async (t) => {
  const world = new World();
  const { hamlet, guest } = world;
  const since = world.position;
  const { avatar_url } = await world.do('upload-avatar', {}, hamlet, { files: [picture] });
  const { avatar_file } = world.user(hamlet.user_id);
  t.equal(avatar_url, `/user_avatars/${avatar_file}.png?version=2`);
  t.strictSame(world.received(guest, since), [
    {
      type: 'realm_user',
      op: 'update',
      person: {
        user_id: hamlet.user_id,
        avatar_source: 'U',
        avatar_url,
        avatar_url_medium: `/user_avatars/${avatar_file}-medium.png?version=2`,
        avatar_version: 2,
      },
    },
  ]);
  t.strictSame(
    [...world.blobs.files.keys()],
    [`avatars/${avatar_file}.png`, `avatars/${avatar_file}-medium.png`],
  );
  await world.do('upload-avatar', {}, hamlet, { files: [picture] });
  const second = world.user(hamlet.user_id).avatar_file;
  t.not(second, avatar_file);
  t.strictSame(
    [...world.blobs.files.keys()],
    [`avatars/${second}.png`, `avatars/${second}-medium.png`],
  );
});

// [c:avatar-default]
void t.test('without a picture there is the default of the organization', async (t) => {
  const world = new World();
  const { hamlet, guest } = world;
  await world.do('upload-avatar', {}, hamlet, { files: [picture] });
  const since = world.position;
  const gravatar = await world.do('delete-avatar', {}, hamlet);
  t.match(gravatar.avatar_url, /^https:\/\/secure\.gravatar\.com\/avatar\/.*version=3$/);
  t.match(world.received(guest, since), [{ person: { avatar_source: 'G', avatar_version: 3 } }]);
  t.equal(world.blobs.files.size, 0);
  t.notOk('avatar_file' in world.user(hamlet.user_id));
  world.setRealm({ default_avatar_source: 'J' });
  const generated = await world.do('delete-avatar', {}, hamlet);
  t.equal(generated.avatar_url, `/user_avatars/identicon/${hamlet.user_id}.png?version=4`);
  const added = world.addUser('new@example.com');
  t.equal(added.avatar_source, 'J', 'also for new accounts');
});

void t.test('pictures are refused in the words of the contract', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  const since = world.position;
  const upload = (...files: (typeof picture)[]) =>
    world.do('upload-avatar', {}, hamlet, { files: files });
  await t.rejects(upload(), refused('You must upload exactly one avatar.'));
  await t.rejects(upload(picture, picture), refused('You must upload exactly one avatar.'));
  await t.rejects(
    upload(file(Buffer.alloc(5 * 1024 * 1024 + 1))),
    refused('Uploaded file is larger than the allowed limit of 5 MiB'),
  );
  await t.rejects(upload(file(Buffer.from('text'))), { status: 400, code: 'BAD_IMAGE' });
  t.equal(world.position, since);
  world.setRealm({ avatar_changes_disabled: true });
  const locked = refused('Avatar changes are disabled in this organization.');
  await t.rejects(upload(picture), locked);
  await t.rejects(world.do('delete-avatar', {}, hamlet), locked);
  t.match(await world.do('upload-avatar', {}, admin, { files: [picture] }), {
    avatar_url: /^\/user_/,
  });
});

void t.test('a path names people by id, or by an address the viewer may know', async (t) => {
  const world = new World();
  const { org, guest, hamlet } = world;
  const named = (name: string): Body => userNamed(org, guest, name);
  t.equal(named(String(hamlet.user_id)).user_id, hamlet.user_id);
  t.equal(named('Hamlet@example.com').user_id, hamlet.user_id);
  t.throws(() => named('999'), refused('No such user'));
  t.throws(() => named('nobody@example.com'), refused('No such user'));
});
