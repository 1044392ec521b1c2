import fc from 'fast-check';
import t from 'tap';
import { SCHEDULED_STATES } from '../../../../../schemas/scheduling/scheduled-messages.js';
import {
  ScheduleIndex,
  type ScheduleRow,
} from '../../../../../src/organization/state/scheduled/schedule-index.js';

void t.test('rows by id and by user', async (t) => {
  const index = new ScheduleIndex();
  index.put({ id: 1, owner: 7, state: 'pending', due: 1000 });
  index.put({ id: 2, owner: 8, state: 'failed', due: 500 });
  index.put({ id: 5, owner: 7, state: 'pending', due: 0 });
  t.equal(index.size, 3);
  t.same(index.get(2), { id: 2, owner: 8, state: 'failed', due: 500 });
  t.same(index.get(5), { id: 5, owner: 7, state: 'pending', due: 0 });
  t.equal(index.get(3), undefined);
  t.same(index.ofUser(7), [5, 1], 'newest first');
  t.equal(index.countOf(7), 2);
  t.same(index.countUntil([0, 999, 1000]), [1, 0, 1, 0], 'those that wait, by when');
  t.same(index.countUntil([500]), [1, 1], 'the later ones last');
  t.ok(index.remove(5));
  t.notOk(index.remove(5));
  t.same(index.ofUser(7), [1]);
  t.same(index.ofUser(9), []);
});

void t.test('lengths by row and by user', async (t) => {
  const index = new ScheduleIndex();
  index.put({ id: 1, owner: 7, state: 'pending', due: 1000 }, 10);
  index.put({ id: 2, owner: 8, state: 'failed', due: 500 }, 20);
  index.put({ id: 5, owner: 7, state: 'pending', due: 0 }, 30);
  t.same([index.lengthOf(5), index.lengthOf(3)], [30, 0]);
  t.same(
    [7, 8, 9].map((user) => index.lengthOfUser(user)),
    [40, 20, 0],
  );
  index.put({ id: 5, owner: 7, state: 'pending', due: 3 }, 5);
  t.equal(index.lengthOfUser(7), 15, 'replaced');
  index.remove(1);
  index.put({ id: 1, owner: 8, state: 'pending', due: 1 }, 7);
  t.same(
    [7, 8].map((user) => index.lengthOfUser(user)),
    [5, 27],
    'removed, and put back',
  );
  for (let id = 10; id < 4010; id++) index.put({ id, owner: 7, state: 'pending', due: 1 }, 1);
  for (let id = 10; id < 4000; id++) index.remove(id);
  index.put({ id: 3, owner: 9, state: 'pending', due: 1 }, 2);
  t.same(
    [7, 8, 9].map((user) => index.lengthOfUser(user)),
    [15, 27, 2],
    'after a clean-up',
  );
});

void t.test('behaves as a map, whatever is put, removed and taken back', async (t) => {
  const operation = fc.record({
    id: fc.integer({ min: 1, max: 40 }),
    owner: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom(...SCHEDULED_STATES),
    due: fc.integer({ min: 0, max: 2 ** 45 }),
    remove: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const index = new ScheduleIndex();
      const model = new Map<number, ScheduleRow>();
      for (const { remove, ...row } of operations) {
        if (remove) {
          if (index.remove(row.id) !== model.delete(row.id)) return false;
        } else {
          index.put(row);
          model.set(row.id, row);
        }
      }
      t.equal(index.size, model.size);
      const counts: Record<string, number> = {};
      for (const { state } of model.values()) counts[state] = (counts[state] ?? 0) + 1;
      t.same(index.countByState(), counts);
      t.same(
        index.idsIn(['delivering', 'sent']),
        [...model.values()]
          .filter(({ state }) => state === 'delivering' || state === 'sent')
          .map(({ id }) => id)
          .sort((a, b) => a - b),
      );
      for (let id = 1; id <= 40; id++) {
        const row = model.get(id);
        t.same(index.get(id), row);
        t.equal(index.stateOf(id), row?.state);
        t.equal(index.deadlineOf(id), row && (row.state === 'pending' ? row.due : null));
      }
      for (let owner = 1; owner <= 3; owner++) {
        const own = [...model.values()].filter((row) => row.owner === owner).map(({ id }) => id);
        t.same(
          index.ofUser(owner).sort((a, b) => a - b),
          own.sort((a, b) => a - b),
        );
        t.equal(index.countOf(owner), own.length);
      }
      return true;
    }),
    { numRuns: 50 },
  );
});

void t.test('cleans up after mass removal, and takes back what was removed before', async (t) => {
  const index = new ScheduleIndex();
  const count = 10_000;
  for (let id = 1; id <= count; id++) index.put({ id, owner: id % 10, state: 'pending', due: id });
  for (let id = 1; id <= count; id++) if (id % 5 !== 0) index.remove(id);
  t.equal(index.size, count / 5);
  t.equal(index.ofUser(0).length, 1000);
  t.same(index.ofUser(3), []);
  index.put({ id: 7, owner: 7, state: 'pending', due: 70 });
  t.same(index.get(7), { id: 7, owner: 7, state: 'pending', due: 70 });
  t.same(index.ofUser(7), [7]);
  t.same(index.get(10), { id: 10, owner: 0, state: 'pending', due: 10 });
  t.equal(index.ofUser(0).length, 1000);
});
