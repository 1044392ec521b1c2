import fc from 'fast-check';
import t from 'tap';
import { MessageColumns } from '../../../../../src/organization/state/message-index/message-columns.js';

function row(id: number) {
  return { id, seq: id * 2, sender: id + 1, topic: 0, timestamp: 1000 + id, bits: 0 };
}

void t.test('rows are found by id, whatever order they came and went in', async (t) => {
  const step = fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 25 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const columns = new MessageColumns();
      const present = new Set<number>();
      for (const [add, id] of steps) {
        if (add) {
          columns.put(row(id));
          present.add(id);
        } else if (present.delete(id)) columns.remove(columns.find(id));
        for (let each = 1; each <= 25; each++) {
          const place = columns.find(each);
          if (place >= 0 !== present.has(each)) return false;
          if (place >= 0 && columns.senderAt(place) !== each + 1) return false;
        }
      }
      return true;
    }),
  );
  t.pass('held for all sequences');
});

void t.test('positions and times lead to ids', async (t) => {
  const columns = new MessageColumns();
  t.equal(columns.firstIdAtSeq(5), 1, 'an empty index has nothing before any position');
  for (let id = 10; id <= 3000; id += 10) columns.put(row(id));
  t.equal(columns.firstIdAtSeq(0), 10);
  t.equal(columns.firstIdAtSeq(40), 20);
  t.equal(columns.firstIdAtSeq(41), 30);
  t.equal(columns.firstIdAtTime(1021), 30);
  t.equal(columns.firstIdAtTime(9999), 3001, 'above all ids');
  t.equal(columns.lastId, 3000);
  t.throws(() => columns.put(row(2 ** 32)), RangeError);
});
