import t from 'tap';
import { MessageIndex } from '../../../../../src/transfer/import/rooms/message-index.js';

void t.test(
  'messages are in the order of their times, and found by id, however many',
  async (t) => {
    const index = new MessageIndex();
    // More than there is room for at first, twice; the newest come first, two of each time.
    for (let i = 0; i < 5000; i++) {
      const place = {
        time: 1000 - Math.floor(i / 5),
        file: i % 3,
        from: i * 2 ** 33,
        length: i + 1,
      };
      index.add(`id ${i}`, place);
    }
    index.sort();
    t.equal(index.size, 5000);
    t.strictSame(index.at(0), { time: 1, file: 4995 % 3, from: 4995 * 2 ** 33, length: 4996 });
    t.strictSame(index.at(1).length, 4997, 'those of one time stay in their order');
    t.strictSame(index.at(4999), { time: 1000, file: 1, from: 4 * 2 ** 33, length: 5 });
    for (const number of [0, 1023, 1024, 4999]) {
      t.ok(
        [...index.find(`id ${number}`)].some((one) => one.length === number + 1),
        `${number}`,
      );
    }
    t.strictSame([...index.find('id 5000')], []);
    // These two have the same FNV-1a hash of 32 bits.
    const twins = new MessageIndex();
    for (const [i, id] of ['costarring', 'other', 'liquid'].entries()) {
      twins.add(id, { time: 1, file: 0, from: i, length: 1 });
    }
    twins.sort();
    t.strictSame(
      Array.from(twins.find('liquid'), (one) => one.from),
      [0, 2],
      'whoever reads them compares the id',
    );
  },
);
