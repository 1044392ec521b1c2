import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import { ROLE_GROUP } from '../../../schemas/groups/permissions.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { SeenUsers } from './user-access.js';
import type { Organization } from '../state/organization.js';

/**
 * Active users who belong to any of the groups, directly or through subgroups, ascending. One pass over
 * the users: membership of system groups follows from roles and is listed nowhere.
 */
export function usersInGroups(org: Organization, groupIds: readonly number[]): number[] {
  return activeUsers(org, (user) =>
    groupIds.some((id) => org.groups.isMember(id, user, org.isFullMember)),
  );
}

/** Active users who are direct members, ascending: the `members` of the wire. */
export function directMembers(org: Organization, group: GroupDocument): number[] {
  if (!group.is_system_group) return group.members.filter((id) => org.users.active.has(id));
  return activeUsers(org, (user) => org.groups.isDirectMember(group, user, org.isFullMember));
}

/** Active users who are members, ascending. A deactivated group keeps its members, but grants nothing. */
export function membersOf(org: Organization, group: GroupDocument): number[] {
  if (group.direct_subgroup_ids.length === 0) return directMembers(org, group);
  return activeUsers(org, (user) => isMemberOf(org, group, user));
}

/** Whether the user is an active member, directly or through subgroups; as `membersOf`. */
export function isMemberOf(org: Organization, group: GroupDocument, user: UserDocument): boolean {
  return (
    org.groups.isDirectMember(group, user, org.isFullMember) ||
    group.direct_subgroup_ids.some((id) => org.groups.isMember(id, user, org.isFullMember))
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
