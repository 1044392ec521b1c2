import fc from 'fast-check';
import t from 'tap';
import { BitLists } from '../../../../../src/organization/state/message-index/bit-lists.js';
import {
  BIT,
  MessageColumns,
} from '../../../../../src/organization/state/message-index/message-columns.js';
import {
  MergedCursor,
  whole,
} from '../../../../../src/organization/state/message-index/merged-cursor.js';

const ALL = [BIT.link, BIT.image, BIT.attachment, BIT.reaction];

/** The ids of a list that exist, ascending. */
function idsOf(columns: MessageColumns, lists: BitLists, bit: number): number[] {
  const ids: number[] = [];
  const cursor = new MergedCursor([whole(lists.of(bit))], 'up', 0);
  for (let id = cursor.next(); id !== undefined; id = cursor.next()) {
    if (columns.find(id) >= 0) ids.push(id);
  }
  return ids;
}

void t.test('lists by property have what the rows say, whatever changes in between', async (t) => {
  const step = fc.record({
    what: fc.constantFrom('put', 'bits', 'remove', 'look'),
    id: fc.integer({ min: 1, max: 40 }),
    bits: fc.integer({ min: 0, max: 15 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const columns = new MessageColumns();
      const lists = new BitLists(columns);
      const model = new Map<number, number>();
      for (const { what, id, bits } of steps) {
        const row = columns.find(id);
        if (what === 'put') {
          columns.put({ id, seq: id, sender: 1, topic: 1, timestamp: id, bits });
          model.set(id, bits);
        } else if (what === 'bits' && row >= 0) {
          columns.setBits(row, bits);
          model.set(id, bits);
        } else if (what === 'remove' && row >= 0) {
          columns.remove(row);
          model.delete(id);
        }
        const bit = ALL[id % ALL.length]!;
        const expected = [...model].filter(([, has]) => (has & bit) !== 0).map(([one]) => one);
        t.strictSame(
          idsOf(columns, lists, bit),
          expected.sort((a, b) => a - b),
        );
      }
    }),
    { numRuns: 100 },
  );
});

void t.test('a property that no message has costs a look at each row once', async (t) => {
  const columns = new MessageColumns();
  const put = (id: number): void =>
    columns.put({ id, seq: id, sender: 1, topic: 1, timestamp: id, bits: BIT.reaction });
  for (let id = 1; id <= 2000; id++) put(id);
  let looks = 0;
  const plain = columns.bitsAt.bind(columns);
  columns.bitsAt = (row) => {
    looks += 1;
    return plain(row);
  };
  const lists = new BitLists(columns);
  for (let i = 0; i < 10; i++) t.equal(lists.of(BIT.link).length, 0);
  t.equal(looks, 2000);
  put(2001);
  columns.setBits(0, 0);
  t.equal(lists.of(BIT.link).length, 0);
  t.equal(looks, 2001, 'reactions say nothing of links');
});
