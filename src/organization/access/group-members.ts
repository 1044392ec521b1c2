import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import { ROLE_GROUP } from '../../../schemas/groups/permissions.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { SeenUsers } from './user-access.js';
import type { Organization } from '../state/organization.js';

/** Active users who belong to any of the groups, directly or through subgroups, ascending. */
export function usersInGroups(org: Organization, groupIds: readonly number[]): number[] {
  return directMembersOfAny(org, org.groups.active(groupIds));
}

/** Active users who are direct members, ascending: the `members` of the wire. */
export function directMembers(org: Organization, group: GroupDocument): number[] {
  if (!group.is_system_group) return group.members.filter((id) => org.users.active.has(id));
  return activeUsers(org, (user) => org.groups.isDirectMember(group, user, org.isFullMember));
}

/** Active users who are members, ascending. A deactivated group keeps its members, but grants nothing. */
export function membersOf(org: Organization, group: GroupDocument): number[] {
  if (group.direct_subgroup_ids.length === 0) return directMembers(org, group);
  return directMembersOfAny(org, [group, ...org.groups.active(group.direct_subgroup_ids)]);
}

/**
 * One pass over the users for system groups, whose membership follows from roles and is listed nowhere. For each other
 * group at most a step for each of its members, or for each user not found so far.
 */
function directMembersOfAny(org: Organization, groups: readonly GroupDocument[]): number[] {
  const found: number[] = [];
  const left = new Set(org.users.active);
  const take = (id: number): void => {
    if (left.delete(id)) found.push(id);
  };
  const system = groups.filter((group) => group.is_system_group);
  if (system.length > 0) {
    const belongs = (user: UserDocument): boolean =>
      system.some((group) => org.groups.isDirectMember(group, user, org.isFullMember));
    for (const id of org.users.active) if (belongs(org.users.get(id)!)) take(id);
  }
  for (const { id, is_system_group } of groups) {
    if (is_system_group) continue;
    const members = org.groups.listedMembers(id);
    if (members.size < left.size) for (const one of members) take(one);
    else for (const one of left) if (members.has(one)) take(one);
  }
  return found.sort((a, b) => a - b);
}

/** Whether the user is an active member, directly or through subgroups; as `membersOf`. */
export function isMemberOf(org: Organization, group: GroupDocument, user: UserDocument): boolean {
  return (
    org.groups.isDirectMember(group, user, org.isFullMember) ||
    org.groups.isMemberOfAny(group.direct_subgroup_ids, user, org.isFullMember)
  );
}

/** Groups of which an account is a direct member: the group of its role, full members, then others by id. */
export function directGroups(org: Organization, user: UserDocument): GroupDocument[] {
  if (!user.is_active || user.is_system_bot) return [];
  const { groups } = org;
  const found = [groups.system(ROLE_GROUP[user.role])];
  if (user.role === ROLE.member && org.isFullMember(user)) {
    found.push(groups.system('role:fullmembers'));
  }
  return [...found, ...groups.listing(user.user_id)];
}

/** A group as clients see it, with its active members, or those of them whom a viewer sees. */
export function groupView(
  org: Organization,
  group: GroupDocument,
  seen?: SeenUsers,
): GroupDocument {
  const members = directMembers(org, group);
  return { ...group, members: seen ? members.filter((id) => seen.has(id)) : members };
}

function activeUsers(org: Organization, belongs: (user: UserDocument) => boolean): number[] {
  return [...org.users.active].filter((id) => belongs(org.users.get(id)!)).sort((a, b) => a - b);
}
