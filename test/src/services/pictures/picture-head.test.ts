import sharp from 'sharp';
import t from 'tap';
import { pictureHead } from '../../../../src/services/pictures/picture-head.js';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#1e6' } });

void t.test('the size of each format, as sharp writes it', async (t) => {
  const size = { width: 321, height: 45 };
  const of = picture(321, 45);
  t.strictSame(pictureHead(await of.png().toBuffer()), { ...size, contentType: 'image/png' });
  t.strictSame(pictureHead(await of.gif().toBuffer()), { ...size, contentType: 'image/gif' });
  t.strictSame(pictureHead(await of.jpeg().toBuffer()), { ...size, contentType: 'image/jpeg' });
  t.strictSame(pictureHead(await of.jpeg({ progressive: true }).toBuffer()), {
    ...size,
    contentType: 'image/jpeg',
  });
  for (const options of [{}, { lossless: true }]) {
    const head = pictureHead(await of.webp(options).toBuffer());
    t.strictSame(head, { ...size, contentType: 'image/webp' });
  }
  const withProfile = await of.webp().withMetadata().toBuffer();
  t.strictSame(pictureHead(withProfile), { ...size, contentType: 'image/webp' }, 'extended');
});

void t.test('a photo that is shown turned has the size in which it is shown', async (t) => {
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const data = await picture(321, 45).jpeg().withMetadata({ orientation }).toBuffer();
    const { width, height } = pictureHead(data)!;
    t.strictSame([width, height], orientation < 5 ? [321, 45] : [45, 321], `${orientation}`);
  }
});

void t.test('what is none, is cut off, or says what cannot be', async (t) => {
  const whole = [
    await picture(9, 9).png().toBuffer(),
    await picture(9, 9).gif().toBuffer(),
    await picture(9, 9).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
    await picture(9, 9).webp().toBuffer(),
    await picture(9, 9).webp({ lossless: true }).toBuffer(),
  ];
  for (const data of whole) {
    for (let end = 0; end < Math.min(data.length, 400); end += 1) {
      const head = pictureHead(data.subarray(0, end));
      if (head && (head.width !== 9 || head.height !== 9)) t.fail(`${end} of ${head.contentType}`);
      const changed = Buffer.from(data);
      changed[end] = 255 - changed[end]!;
      const other = pictureHead(changed);
      if (other && !(other.width > 0 && other.height > 0)) t.fail(`${end} changed`);
    }
  }
  t.equal(pictureHead(Buffer.from('<svg width="9" height="9"/>')), undefined);
  t.equal(pictureHead(Buffer.alloc(0)), undefined);
  t.equal(
    pictureHead(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1e6, 0xff)])),
    undefined,
  );
  const none = Buffer.from(whole[0]!);
  none.writeUInt32BE(0, 16);
  t.equal(pictureHead(none), undefined, 'no width');
  none.writeUInt32BE(1e9, 16);
  t.equal(pictureHead(none), undefined, 'wider than anything');
});
