import type { UserDocument } from '../../schemas/documents/user.js';
import type { Organization } from './organization.js';

/**
 * Active users who belong to any of the groups, directly or through subgroups, ascending. One pass over
 * the users: membership of system groups follows from roles and is listed nowhere.
 */
export function usersInGroups(org: Organization, groupIds: readonly number[]): number[] {
  const belongs = (user: UserDocument) =>
    groupIds.some((id) => org.groups.isMember(id, user, org.isFullMember));
  return [...org.users.active].filter((id) => belongs(org.users.get(id)!)).sort((a, b) => a - b);
}
