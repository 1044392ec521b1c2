import { gzipSync } from 'node:zlib';
import sharp, { type Create } from 'sharp';
import t from 'tap';
import { Pictures } from '../../../../src/services/pictures/pictures.js';
import { encodeTwoColourPng } from '../../../../src/services/pictures/identicon.js';

const ANNA = 7;
const pictures = new Pictures();
t.teardown(() => pictures.stop());

const UNDECODABLE = {
  status: 400,
  code: 'BAD_IMAGE',
  message: 'Could not decode image; did you upload an image file?',
};
const TOO_LARGE = { status: 400, code: 'BAD_IMAGE', message: 'Image size exceeds limit.' };

async function sizeOf(picture: Buffer) {
  const { format, width, height } = await sharp(picture).metadata();
  return { format, width, height };
}

function canvas(width: number, height: number, channels: Create['channels'] = 3) {
  return sharp({ create: { width, height, channels, background: 'red' } });
}

/** A moving picture of small frames whose head claims another size. */
async function moving(claimed: { width: number; height: number } | null): Promise<Buffer> {
  const [size, frames] = [10, 6];
  const data = Buffer.alloc(size * size * frames * 3);
  // Equal frames would become one.
  for (let i = 0; i < frames; i++) data[i * size * size * 3] = 1 + i * 40;
  const raw = { width: size, height: size * frames, channels: 3, pageHeight: size } as const;
  const gif = await sharp(data, { raw }).gif().toBuffer();
  if (claimed) {
    gif.writeUInt16LE(claimed.width, 6);
    gif.writeUInt16LE(claimed.height, 8);
  }
  return gif;
}

const SIZES = [
  { format: 'png', width: 100, height: 100 },
  { format: 'png', width: 500, height: 500 },
];

void t.test('any picture becomes square, in two sizes, without what the file says', async (t) => {
  const red = canvas(40, 20);
  const files = [
    await red.clone().png().toBuffer(),
    await red.clone().webp().toBuffer(),
    await red.clone().gif().toBuffer(),
    await red.clone().avif({ effort: 0 }).toBuffer(),
    await red.clone().tiff().toBuffer(),
    await red
      .clone()
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg()
      .toBuffer(),
  ];
  for (const file of files) {
    const { normal, medium } = await pictures.avatar(file, ANNA);
    t.ok(Buffer.isBuffer(normal));
    t.strictSame([await sizeOf(normal), await sizeOf(medium)], SIZES);
    t.equal((await sharp(medium).metadata()).exif, undefined);
  }
});

void t.test('what is no picture is refused, and so is every drawing', async (t) => {
  const cut = (await canvas(90, 90).jpeg().toBuffer()).subarray(0, 200);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const drawings = [svg, `\ufeff<?xml version="1.0"?>\n<!-- -->${svg}`, `  ${svg}`].map((text) =>
    Buffer.from(text),
  );
  const others = ['no picture', '', '%PDF-1.4', '#?RADIANCE\n', 'P6 1 1 255 abc'].map((text) =>
    Buffer.from(text, 'latin1'),
  );
  for (const data of [cut, ...drawings, gzipSync(svg), ...others]) {
    for (const kind of ['avatar', 'emoji', 'icon', 'logo'] as const) {
      const outcome: Promise<unknown> = pictures[kind](data, ANNA);
      await t.rejects(outcome, UNDECODABLE, data.subarray(0, 20).toString('latin1'));
    }
  }
});

void t.test(
  'the pixels of all frames together are bounded, before they are unpacked',
  async (t) => {
    const [black, white] = [[0, 0, 0] as const, [255, 255, 255] as const];
    const files = {
      'a PNG of 25,010,001 pixels': encodeTwoColourPng(5001, [black, white], () => false),
      // Its decoder takes no head that claims more than 2048 for true.
      'a GIF of six times 4,194,304': await moving({ width: 2048, height: 2048 }),
    };
    for (const [name, file] of Object.entries(files)) {
      await t.rejects(pictures.avatar(file, ANNA), TOO_LARGE, name);
      await t.rejects(pictures.emoji(file, ANNA), TOO_LARGE, name);
    }
    const largest = encodeTwoColourPng(5000, [black, white], () => false);
    const { normal } = await pictures.avatar(largest, ANNA);
    t.strictSame(await sizeOf(normal), SIZES[0], 'a PNG of 25,000,000 pixels');
    const within = await moving(null);
    const { picture, still } = await pictures.emoji(within, ANNA);
    t.equal((await sharp(picture).metadata()).pages, 6);
    t.strictSame(await sizeOf(still!), { format: 'png', width: 64, height: 64 });
  },
);

void t.test('the memory of this process does not grow with a picture', async (t) => {
  const file = await canvas(2000, 2000, 4)
    .toColourspace('rgb16')
    .png({ progressive: true, compressionLevel: 1 })
    .toBuffer();
  await pictures.avatar(file, ANNA);
  const grown: number[] = [];
  // Other work of this process may need memory meanwhile, now and then; a picture that it holds needs it every time.
  while (grown.length < 10 && !(grown.at(-1)! < 16)) {
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
    await pictures.avatar(file, ANNA);
    clearInterval(watch);
    grown.push((most - before) / 1024 / 1024);
  }
  t.ok(grown.at(-1)! < 16, `${grown.map(Math.round).join(', ')} MiB more`);
});

void t.test('what takes too long is stopped, and the next picture is served', async (t) => {
  const hasty = new Pictures(1);
  const slow = await canvas(2000, 2000, 4)
    .png({ progressive: true, compressionLevel: 1 })
    .toBuffer();
  await t.rejects(hasty.avatar(slow, ANNA), TOO_LARGE);
  await t.rejects(hasty.avatar(slow, ANNA), TOO_LARGE, 'by a process of its own');
  hasty.stop();
});

void t.test('at the end nothing waits for a picture', async (t) => {
  const ending = new Pictures();
  const slow = await canvas(2000, 2000, 4)
    .png({ progressive: true, compressionLevel: 1 })
    .toBuffer();
  const outcomes = [1, 2, 3].map((user) => ending.avatar(slow, user));
  ending.stop();
  for (const outcome of outcomes) {
    await t.rejects(outcome, { status: 503, code: 'SERVICE_UNAVAILABLE' });
  }
  await t.rejects(ending.avatar(slow, ANNA), { status: 503, code: 'SERVICE_UNAVAILABLE' });
});

void t.test(
  'a process that does not start is a fault of the system, not of the picture',
  async (t) => {
    const { execPath } = process;
    t.teardown(() => (process.execPath = execPath));
    const picture = await canvas(10, 10).png().toBuffer();
    const own = new Pictures();
    t.teardown(() => own.stop());
    // One that ends at once, as Node does without threads, and one that the system does not start.
    for (const program of ['/bin/false', '/nowhere/node']) {
      process.execPath = program;
      const fault = await own.avatar(picture, ANNA).catch((error: unknown) => error);
      t.match((fault as NodeJS.ErrnoException).syscall, /^spawn/, program);
    }
    process.execPath = execPath;
    t.same(await sizeOf((await own.avatar(picture, ANNA)).normal), {
      format: 'png',
      width: 100,
      height: 100,
    });
  },
);

void t.test('few wait for their turn, those who had less go first, more are refused', async (t) => {
  const file = await canvas(9, 9).png().toBuffer();
  const ended: number[] = [];
  const ask = (user: number) =>
    pictures.avatar(file, user).then(
      () => ended.push(user),
      (error: unknown) => {
        t.match(error, { status: 503, code: 'SERVICE_UNAVAILABLE' });
        ended.push(0);
      },
    );
  await Promise.all([...Array.from({ length: 49 }, () => ask(100)), ask(101)]);
  t.equal(ended.filter((user) => user === 0).length, 50 - 1 - 32);
  const served = ended.filter((user) => user !== 0);
  t.equal(served[1], 101, 'next after the one that was at work');
});

void t.test('thumbnails: at most 840 by 560, WebP, with what is said of the picture', async (t) => {
  const photo = await canvas(1680, 840).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const { still, moving: none, ...said } = await pictures.thumbnails(photo, ANNA);
  t.strictSame(said, { width: 840, height: 1680, contentType: 'image/jpeg' });
  t.strictSame(await sizeOf(still), { format: 'webp', width: 280, height: 560 });
  t.equal(none, null);
  const animated = await pictures.thumbnails(await moving(null), ANNA);
  t.match(animated, { width: 10, height: 10, contentType: 'image/gif' });
  t.equal((await sharp(animated.moving!).metadata()).pages, 6, 'as it moves');
  t.equal((await sharp(animated.still).metadata()).pages ?? 1, 1);
  await t.rejects(pictures.thumbnails(Buffer.from('<svg/>'), ANNA), UNDECODABLE);
});
