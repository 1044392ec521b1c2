import sharp from 'sharp';
import t from 'tap';
import { avatarOf, identicon } from '../../../src/services/pictures.js';

async function sizeOf(picture: Buffer) {
  const { format, width, height } = await sharp(picture).metadata();
  return { format, width, height };
}

const SIZES = [
  { format: 'png', width: 100, height: 100 },
  { format: 'png', width: 500, height: 500 },
];

void t.test('any picture becomes square, in two sizes, without what the file says', async (t) => {
  const canvas = sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } });
  const files = [
    await canvas.clone().png().toBuffer(),
    await canvas.clone().webp().toBuffer(),
    await canvas.clone().gif().toBuffer(),
    await canvas
      .clone()
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg()
      .toBuffer(),
  ];
  for (const file of files) {
    const { normal, medium } = await avatarOf(file);
    t.strictSame([await sizeOf(normal), await sizeOf(medium)], SIZES);
    t.equal((await sharp(medium).metadata()).exif, undefined);
  }
});

void t.test('what is no picture is refused', async (t) => {
  const cut = (
    await sharp({ create: { width: 90, height: 90, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer()
  ).subarray(0, 200);
  for (const data of [Buffer.from('no picture'), Buffer.alloc(0), cut]) {
    await t.rejects(avatarOf(data), { status: 400, code: 'BAD_IMAGE' });
  }
});

void t.test('generated pictures are the same for the same seed only', async (t) => {
  const one = await identicon('7', 100);
  t.strictSame(await sizeOf(one), SIZES[0]);
  t.strictSame(await sizeOf(await identicon('7', 500)), SIZES[1]);
  t.ok(one.equals(await identicon('7', 100)));
  t.notOk(one.equals(await identicon('8', 100)));
});

void t.test('few uploads are unpacked at once, and few wait; more are refused', async (t) => {
  const file = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => avatarOf(file)));
  const refused = outcomes.filter((one) => one.status === 'rejected');
  t.equal(refused.length, 50 - 2 - 32);
  for (const { reason } of refused) {
    t.match(reason, { status: 503, code: 'SERVICE_UNAVAILABLE' });
  }
  t.strictSame(await sizeOf((await avatarOf(file)).normal), SIZES[0], 'afterwards there is room');
});
