import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
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

/** A group as clients see it, with its active members. */
export function groupView(org: Organization, group: GroupDocument): GroupDocument {
  return { ...group, members: directMembers(org, group) };
}

function activeUsers(org: Organization, belongs: (user: UserDocument) => boolean): number[] {
  return [...org.users.active].filter((id) => belongs(org.users.get(id)!)).sort((a, b) => a - b);
}
