import sharp from 'sharp';
import t from 'tap';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

function file(data: Buffer) {
  return { field: 'file', name: 'picture.png', mediaType: '', data };
}

const picture = file(
  await sharp({ create: { width: 2000, height: 100, channels: 3, background: 'green' } })
    .png()
    .toBuffer(),
);

// [c:realm-images-events]
void t.test('`realm` update_dict: icon, logo, logo for dark backgrounds', async (t) => {
  const world = new MessagesWorld();
  const { owner, ophelia, blobs, org } = world;
  t.same(await world.do('get-realm-icon', {}, ophelia), {
    icon_url: '/static/icon.png?version=1',
    icon_source: 'G',
  });
  const icon = await world.do('upload-realm-icon', {}, owner, { files: [picture] });
  const { icon_file } = org.realm.current;
  t.same(icon, {
    icon_url: `/user_avatars/realm/${icon_file}.png?version=2`,
    icon_source: 'U',
  });
  t.same(world.seen(ophelia), [{ type: 'realm', op: 'update_dict', property: 'icon', data: icon }]);
  t.same([...blobs.files.keys()], [`realm/${icon_file}.png`]);
  await world.do('upload-realm-icon', {}, owner, { files: [picture] });
  t.equal(blobs.files.size, 1, 'the former file goes');
  const former = { icon_url: '/static/icon.png?version=4', icon_source: 'G' };
  t.same(await world.do('remove-realm-icon', {}, owner), former);
  t.same(world.seen(ophelia), [
    { type: 'realm', op: 'update_dict', property: 'icon', data: former },
  ]);
  t.equal(blobs.files.size, 0);
  t.notOk('icon_file' in org.realm.current);

  t.same(await world.do('upload-realm-logo', { night: true }, owner, { files: [picture] }), {});
  const night_logo_url = `/user_avatars/realm/${org.realm.current.night_logo_file}.png?version=2`;
  t.same(world.seen(ophelia), [
    {
      type: 'realm',
      op: 'update_dict',
      property: 'night_logo',
      data: { night_logo_url, night_logo_source: 'U' },
    },
  ]);
  const { width, height } = await sharp([...blobs.files.values()][0]).metadata();
  t.same({ width, height }, { width: 800, height: 40 }, 'made to fit');
  t.same(await world.do('get-realm-logo', { night: true }, ophelia), {
    logo_url: night_logo_url,
    logo_source: 'U',
  });
  t.same(await world.do('get-realm-logo', {}, ophelia), {
    logo_url: '/static/logo.svg?version=1',
    logo_source: 'D',
  });
  await world.do('remove-realm-logo', { night: true }, owner);
  t.match(world.seen(ophelia), [
    { property: 'night_logo', data: { night_logo_url: '/static/night-logo.svg?version=3' } },
  ]);
});

void t.test('pictures of the organization are refused in the words of the contract', async (t) => {
  const world = new MessagesWorld();
  for (const kind of ['icon', 'logo']) {
    const upload = (...files: (typeof picture)[]) =>
      world.refused(`upload-realm-${kind}`, {}, world.owner, { files: files });
    t.equal(await upload(), `You must upload exactly one ${kind}.`);
    t.equal(await upload(picture, picture), `You must upload exactly one ${kind}.`);
    t.equal(
      await upload(file(Buffer.alloc(5 * 1024 * 1024 + 1))),
      'Uploaded file is larger than the allowed limit of 5 MiB',
    );
    t.equal(
      await upload(file(Buffer.from('text'))),
      'BAD_IMAGE: Could not decode image; did you upload an image file?',
    );
  }
});
