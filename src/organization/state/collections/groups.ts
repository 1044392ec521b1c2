import type { GroupDocument, GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { ROLE_GROUP, type SystemGroupName } from '../../../../schemas/groups/permissions.js';
import { Collection, type Recorder, NameIndex } from '../collection.js';
import { NestedMembersCache } from './nested-members.js';

/** Returns whether a user has completed the waiting period (register.md, `realm_waiting_period_threshold`). */
export type FullMembership = (user: UserDocument) => boolean;

/** Direct members of a permission value, from which on they are looked up and not searched. */
const MANY_MEMBERS = 64;

const NOBODY: ReadonlySet<number> = new Set();

/**
 * User groups. Direct membership of system groups follows from roles and is never stored: a role
 * group of a hundred thousand members would otherwise be rewritten for each new account.
 */
export class GroupCollection extends Collection<number, GroupDocument> {
  private readonly idByName = new NameIndex();
  private readonly memberSets = new Map<number, Set<number>>();
  private readonly nested = new NestedMembersCache();
  /** Direct members of permission values that have many. */
  private readonly valueMembers = new WeakMap<readonly number[], ReadonlySet<number>>();

  constructor(recorder: Recorder) {
    super('user_group', recorder, (group) => group.id);
  }

  /** The group with this name or one that looks alike. */
  byName(name: string): GroupDocument | undefined {
    const id = this.idByName.find(name);
    return id === undefined ? undefined : this.get(id);
  }

  /** @throws Error when the organization lacks it, which only a broken store can cause */
  system(name: SystemGroupName): GroupDocument {
    const group = this.byName(name);
    if (!group) throw new Error(`System group ${name} is missing`);
    return group;
  }

  /** Whether the user is a direct member. */
  isDirectMember(group: GroupDocument, user: UserDocument, isFull: FullMembership): boolean {
    if (!user.is_active || user.is_system_bot) return false;
    if (!group.is_system_group) return this.memberSets.get(group.id)?.has(user.user_id) ?? false;
    if (group.name === 'role:fullmembers') return user.role === ROLE.member && isFull(user);
    return group.name === ROLE_GROUP[user.role];
  }

  /** Whether the user is a member, directly or through subgroups at any depth. */
  isMember(groupId: number, user: UserDocument, isFull: FullMembership): boolean {
    const group = this.get(groupId);
    if (!group || group.deactivated) return false;
    if (this.isDirectMember(group, user, isFull)) return true;
    return this.isMemberOfAny(group.direct_subgroup_ids, user, isFull);
  }

  /** As {@link isMember}, of one of several groups. */
  isMemberOfAny(groupIds: readonly number[], user: UserDocument, isFull: FullMembership): boolean {
    if (groupIds.length === 0) return false;
    const nested = this.nested.of(groupIds, () => ({
      groups: this.active(groupIds),
      listedMembers: (id) => this.listedMembers(id),
    }));
    if (nested) {
      if (!user.is_active || user.is_system_bot) return false;
      if (nested.listed.has(user.user_id)) return true;
      return nested.system.some((group) => this.isDirectMember(group, user, isFull));
    }
    return this.someActive(groupIds, (group) => this.isDirectMember(group, user, isFull));
  }

  /** Some groups and those they contain at any depth, without deactivated ones and what only these contain. */
  active(groupIds: readonly number[]): GroupDocument[] {
    const found: GroupDocument[] = [];
    this.someActive(groupIds, (group) => {
      found.push(group);
      return false;
    });
    return found;
  }

  /**
   * Whether a test holds for one of some groups or of those that they contain at any depth. Each group is looked at
   * once; deactivated ones, and what only these contain, are not.
   */
  private someActive(
    groupIds: readonly number[],
    test: (group: GroupDocument) => boolean,
  ): boolean {
    const seen = new Set(groupIds);
    for (const id of seen) {
      const group = this.get(id);
      if (!group || group.deactivated) continue;
      if (test(group)) return true;
      for (const sub of group.direct_subgroup_ids) seen.add(sub);
    }
    return false;
  }

  /** Direct members of a group that is not a system group, deactivated users included. */
  listedMembers(groupId: number): ReadonlySet<number> {
    return this.memberSets.get(groupId) ?? NOBODY;
  }

  /** Whether a permission value includes the user (endpoints-groups.md#group-setting-values). */
  allows(value: GroupSettingValue, user: UserDocument, isFull: FullMembership): boolean {
    if (typeof value === 'number') return this.isMember(value, user, isFull);
    if (this.lists(value.direct_members, user.user_id)) return user.is_active;
    return this.isMemberOfAny(value.direct_subgroups, user, isFull);
  }

  private lists(members: readonly number[], userId: number): boolean {
    if (members.length <= MANY_MEMBERS) return members.includes(userId);
    let set = this.valueMembers.get(members);
    if (!set) {
      set = new Set(members);
      this.valueMembers.set(members, set);
    }
    return set.has(userId);
  }

  /** User-defined groups with the user as a direct member, ascending; also for deactivated users. */
  listing(userId: number): GroupDocument[] {
    const found: GroupDocument[] = [];
    for (const [id, members] of this.memberSets) {
      const group = members.has(userId) ? this.get(id) : undefined;
      if (group && !group.is_system_group) found.push(group);
    }
    return found.sort((a, b) => a.id - b.id);
  }

  /** The group and all groups that contain it, at any depth. */
  containing(groupId: number): ReadonlySet<number> {
    return this.containingEach()(groupId);
  }

  /** As {@link containing}, for many groups one after the other, as long as no subgroups change. */
  containingEach(): (groupId: number) => ReadonlySet<number> {
    const parents = new Map<number, number[]>();
    for (const group of this.values()) {
      for (const sub of group.direct_subgroup_ids) {
        const list = parents.get(sub);
        if (list) list.push(group.id);
        else parents.set(sub, [group.id]);
      }
    }
    return (groupId) => closure(groupId, (id) => parents.get(id) ?? []);
  }

  /** The group and all groups that it contains, at any depth. */
  contained(groupId: number): ReadonlySet<number> {
    return closure(groupId, (id) => this.get(id)?.direct_subgroup_ids ?? []);
  }

  protected override reindex(previous?: GroupDocument, next?: GroupDocument): void {
    this.nested.changed();
    if (previous && previous.name !== next?.name) {
      this.idByName.release(previous.name, previous.id);
    }
    if (!next) {
      this.memberSets.delete(previous!.id);
      return;
    }
    if (next.name !== previous?.name) this.idByName.set(next.name, next.id);
    if (previous?.members !== next.members) this.memberSets.set(next.id, new Set(next.members));
  }
}

function closure(start: number, next: (id: number) => readonly number[]): ReadonlySet<number> {
  const found = new Set([start]);
  for (const id of found) for (const other of next(id)) found.add(other);
  return found;
}

/** The time up to which completed waiting periods were emitted. */
interface WaitingPeriodDocument {
  /** Milliseconds since 1970: users whose waiting period ended by then are full members. */
  readonly counted_until: number;
}

/**
 * WaitingPeriodCollection has a single document that makes the passing of time a change of state: members
 * become full members when it advances, in the entry that emits this, not when a clock is read.
 */
export class WaitingPeriodCollection extends Collection<'waiting_period', WaitingPeriodDocument> {
  constructor(recorder: Recorder) {
    super('waiting_period', recorder, () => 'waiting_period');
  }

  /** The time that decides who is a full member; undefined before the first count. */
  get countedUntil(): number | undefined {
    return this.get('waiting_period')?.counted_until;
  }
}
