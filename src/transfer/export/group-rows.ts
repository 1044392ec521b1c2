/** Groups, and permissions as groups: people and groups one by one become a group without a name. */
import { GROUP_PERMISSIONS, type GroupSettingValue } from '../../../schemas/groups/user-group.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Tables } from './tables.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';

export class GroupRows {
  private last: number;
  private readonly nameless = new Map<string, number>();

  constructor(
    private readonly org: Organization,
    private readonly tables: Tables,
  ) {
    this.last = Math.max(0, ...Array.from(org.groups.values(), ({ id }) => id));
  }

  /** Number of the group that a permission is. */
  idOf(value: GroupSettingValue): number {
    if (typeof value === 'number') return value;
    const key = JSON.stringify([value.direct_members, value.direct_subgroups]);
    const known = this.nameless.get(key);
    if (known !== undefined) return known;
    this.last += 1;
    this.nameless.set(key, this.last);
    this.addGroup(this.last, value.direct_members, value.direct_subgroups);
    return this.last;
  }

  /** Permissions by name, as columns. */
  columns<N extends string>(
    names: readonly N[],
    of: Readonly<Record<N, GroupSettingValue>>,
  ): Record<string, number> {
    return Object.fromEntries(names.map((name) => [name, this.idOf(of[name])]));
  }

  /** Adds all named groups. */
  write(): void {
    const { org, tables } = this;
    for (const group of org.groups.values()) {
      const members = group.is_system_group ? this.ofRole(group.id) : group.members;
      this.addGroup(group.id, members, group.direct_subgroup_ids);
      tables.add('zerver_namedusergroup', {
        id: group.id,
        usergroup_ptr: group.id,
        name: group.name,
        description: group.description,
        is_system_group: group.is_system_group,
        creator: group.creator_id,
        date_created: group.date_created,
        deactivated: group.deactivated,
        realm_for_sharding: REALM_ID,
        ...this.columns(GROUP_PERMISSIONS, group),
      });
    }
  }

  /** Who has the role of a system group: that is stored nowhere here, and is there. */
  private ofRole(id: number): number[] {
    const { groups, users, isFullMember } = this.org;
    const group = groups.get(id)!;
    const found = [...users.values()].filter((user) =>
      groups.isDirectMember(group, user, isFullMember),
    );
    return found.map((user) => user.user_id);
  }

  private addGroup(id: number, members: readonly number[], subgroups: readonly number[]): void {
    const { tables } = this;
    tables.add('zerver_usergroup', { id, realm: REALM_ID });
    for (const user_profile of members) {
      tables.add('zerver_usergroupmembership', { user_group: id, user_profile });
    }
    for (const subgroup of subgroups) {
      tables.add('zerver_groupgroupmembership', { supergroup: id, subgroup });
    }
  }
}
