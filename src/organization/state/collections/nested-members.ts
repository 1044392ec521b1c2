import type { GroupDocument } from '../../../../schemas/groups/user-group.js';

/** Groups and all that they contain, as one look-up. */
export interface NestedMembers {
  /** Members that the groups list, deactivated users included. */
  readonly listed: ReadonlySet<number>;
  /** System groups among them: their members follow from roles. */
  readonly system: readonly GroupDocument[];
}

/** What a walk of groups finds. */
interface Source {
  readonly groups: readonly GroupDocument[];
  readonly listedMembers: (groupId: number) => ReadonlySet<number>;
}

interface Known {
  asked: number;
  members: NestedMembers | null;
}

/** Questions that are answered by a walk of the groups: most requests ask once or twice. */
const WALKED = 16;
/** Members listed in all groups together, from which on they are always walked: joining them would take over 10 ms. */
const MAX_LISTED = 200_000;

/**
 * NestedMembersCache joins the members of groups and all that they contain, where many ask about the same ones between
 * two changes of groups: for each of thousands of users a walk of hundreds of groups takes a second.
 */
export class NestedMembersCache {
  /** Since the last change of a group. */
  private known = new WeakMap<readonly number[], Known>();

  /** A group has changed. */
  changed(): void {
    this.known = new WeakMap();
  }

  /**
   * The members of groups; null where they are walked.
   * @param groupIds a list of a document: the same list means the same groups
   * @param walk makes the list of the groups and all that they contain
   */
  of(groupIds: readonly number[], walk: () => Source): NestedMembers | null {
    let known = this.known.get(groupIds);
    if (!known) {
      known = { asked: 0, members: null };
      this.known.set(groupIds, known);
    }
    known.asked += 1;
    if (known.asked === WALKED) known.members = joined(walk());
    return known.members;
  }
}

function joined({ groups, listedMembers }: Source): NestedMembers | null {
  const own = groups.filter((group) => !group.is_system_group).map(({ id }) => listedMembers(id));
  if (own.reduce((sum, { size }) => sum + size, 0) > MAX_LISTED) return null;
  const listed = new Set<number>();
  for (const members of own) for (const id of members) listed.add(id);
  return { listed, system: groups.filter((group) => group.is_system_group) };
}
