import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import t from 'tap';
import {
  BIT,
  MessageColumns,
} from '../../../../../src/organization/state/message-index/message-columns.js';
import type {
  Row,
  RowsCopy,
} from '../../../../../src/organization/state/message-index/rows-copy.js';

const row = (id: number): Row => ({
  ...{ id, seq: 10 * id, sender: id % 7, topic: id % 5, timestamp: 1000 + id, bits: id % 64 },
});

/** Living rows, as the columns have them. */
function living(columns: MessageColumns): Row[] {
  const rows = Array.from({ length: columns.length }, (_, place) => columns.rowAt(place));
  return rows.filter(({ bits }) => (bits & BIT.dead) === 0);
}

function copied(copy: RowsCopy): Row[] {
  const { id, seq, sender, topic, timestamp, bits } = copy.rows();
  return Array.from(id, (one, i): Row => {
    const [first, second] = [{ id: one, seq: seq[i]!, sender: sender[i]! }, { topic: topic[i]! }];
    return { ...first, ...second, timestamp: timestamp[i]!, bits: bits[i]! };
  });
}

type Work = (columns: MessageColumns, value: number) => void;

/** Everything that changes rows, at one that exists. */
const WORKS: Readonly<Record<string, Work>> = {
  append: (columns) => columns.put(row(columns.lastId + 1)),
  replace: (columns, value) => columns.put({ ...columns.rowAt(value), sender: 99, topic: 3 }),
  topic: (columns, value) => columns.setTopic(value, 4),
  bits: (columns, value) => columns.setBits(value, 33),
  times: (columns, value) => columns.setTimes(value, 7, 8),
  remove: (columns, value) => columns.remove(value),
  removeLast: (columns) => columns.remove(columns.length - 1),
};

void t.test('a copy has the rows as they were when it began, whatever changed', async () => {
  const work = fc.record({
    kind: fc.constantFrom(...Object.keys(WORKS), 'step', 'step'),
    value: fc.nat(10_000),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.array(work, { maxLength: 80 }),
      (size, works) => {
        const columns = new MessageColumns();
        for (let id = 1; id <= size; id++) columns.put(row(id));
        columns.remove(Math.floor(size / 2));
        const before = living(columns);
        const copy = columns.beginCopy();
        for (const { kind, value } of works) {
          if (kind === 'step') copy.step(1 + (value % 9), (topic) => topic);
          else if (columns.length > 0) WORKS[kind]!(columns, value % columns.length);
        }
        while (copy.step(16, (topic) => topic));
        columns.endCopy();
        deepStrictEqual(copied(copy), before);
      },
    ),
    { numRuns: 2000 },
  );
});

void t.test('a copy is lost where rows are put between others', async (t) => {
  for (const put of [
    (columns: MessageColumns) => columns.put(row(2)),
    (columns: MessageColumns) => columns.makeRoomFor([2, 4]),
  ]) {
    const columns = new MessageColumns();
    for (const id of [1, 3, 5]) columns.put(row(id));
    const copy = columns.beginCopy();
    columns.put(row(6));
    t.equal(copy.isLost, false);
    put(columns);
    t.equal(copy.isLost, true);
    t.equal(
      copy.step(1, (topic) => topic),
      false,
    );
    columns.endCopy();
  }
});
