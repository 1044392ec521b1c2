import t from 'tap';
import { RangeVersions } from '../../../../src/organization/state/user-collections.js';

void t.test(
  'changes are counted by range, also of ids that a new history skipped to',
  async (t) => {
    const versions = new RangeVersions(1);
    const distant = 2 ** 31;
    for (const id of [7, distant, 7, distant, distant]) versions.touch(id);
    t.strictSame(
      [6, 7, 8, distant - 1, distant].map((id) => versions.of(id)),
      [0, 2, 0, 0, 3],
    );
    // What lies behind is filled up to it by and by, and loses no change.
    for (let id = 0; id <= 200_000; id += 50_000) versions.touch(id);
    t.strictSame(
      [0, 7, 150_000, 200_000].map((id) => versions.of(id)),
      [1, 2, 1, 1],
    );
  },
);
