import t from 'tap';
import {
  NestedMembersCache,
  type NestedMembers,
} from '../../../../../src/organization/state/collections/nested-members.js';
import type { GroupDocument } from '../../../../../schemas/groups/user-group.js';

const group = (id: number, is_system_group = false) => ({ id, is_system_group }) as GroupDocument;

/** A cache over some groups whose members a test may change, and how often they were walked. */
function cacheOf(members: Map<number, ReadonlySet<number>>) {
  const cache = new NestedMembersCache();
  let walks = 0;
  const ask = (ids: readonly number[]): NestedMembers | null =>
    cache.of(ids, () => {
      walks += 1;
      return {
        groups: [...members.keys()].map((id) => group(id, id < 0)),
        listedMembers: (id) => members.get(id)!,
      };
    });
  const asked = (ids: readonly number[], times: number) => {
    let last: NestedMembers | null = null;
    for (let i = 0; i < times; i++) last = ask(ids);
    return last;
  };
  return { cache, asked, walks: () => walks };
}

void t.test('the members of groups are joined when many have asked', async (t) => {
  const members = new Map<number, ReadonlySet<number>>([
    [1, new Set([10, 11])],
    [2, new Set([11, 12])],
    [-3, new Set()],
  ]);
  const { cache, asked, walks } = cacheOf(members);
  const ids = [1, 2, -3];
  t.equal(asked(ids, 15), null, 'a few questions are answered by a walk');
  t.equal(walks(), 0);
  const joined = asked(ids, 100);
  t.same([...joined!.listed], [10, 11, 12]);
  t.same(
    joined!.system.map(({ id }) => id),
    [-3],
  );
  t.equal(walks(), 1, 'it is walked once');
  t.equal(asked([1, 2, -3], 15), null, 'another list is another question');

  members.set(2, new Set([13]));
  cache.changed();
  t.equal(asked(ids, 15), null, 'a change of any group begins anew');
  t.same([...asked(ids, 1)!.listed], [10, 11, 13]);
});

void t.test('more members than can be joined in a moment are never joined', async (t) => {
  const { asked, walks } = cacheOf(
    new Map([1, 2, 3].map((id) => [id, { size: 70_000 } as ReadonlySet<number>])),
  );
  t.equal(asked([1], 1000), null);
  t.equal(walks(), 1);
});
