import sharp from 'sharp';
import t from 'tap';
import { identicon } from '../../../../src/services/pictures/identicon.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';

void t.test('generated pictures are the same for the same seed only', async (t) => {
  const one = identicon('7', 100);
  const { format, width, height } = await sharp(one).metadata();
  t.strictSame({ format, width, height }, { format: 'png', width: 100, height: 100 });
  t.equal((await sharp(identicon('7', 500)).metadata()).width, 500);
  t.ok(one.equals(identicon('7', 100)));
  t.notOk(one.equals(identicon('8', 100)));
});

void t.test('the pattern is mirrored, in two colours, with a margin', async (t) => {
  const size = 70;
  const { data, info } = await sharp(identicon('Hamlet', size))
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) =>
    data.subarray((y * size + x) * info.channels, (y * size + x) * info.channels + 3).join();
  const colours = new Set<string>();
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      colours.add(at(x, y));
      if (at(x, y) !== at(size - 1 - x, y)) t.fail(`not mirrored at ${x}, ${y}`);
      if (Math.min(x, y, size - 1 - x, size - 1 - y) < 10 && at(x, y) !== at(0, 0)) {
        t.fail(`no margin at ${x}, ${y}`);
      }
    }
  }
  t.equal(colours.size, 2);
});

void t.test('an identicon takes less than 1.5 ms of the processor', async (t) => {
  let drawn = 0;
  const hundred = (): void => {
    // Another one each time: they are kept.
    for (let i = 0; i < 100; i++) identicon(`seed ${(drawn += 1)}`, 100);
  };
  await takesLess(t, 'a hundred of them', 150, () => processorTime(hundred));
});
