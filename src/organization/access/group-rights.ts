import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import { allows } from './permissions.js';

/**
 * Whether the actor may change the group; includes all its other permissions
 * (endpoints-groups.md#group-setting-values).
 */
function canManageGroup(org: Organization, actor: UserDocument, group: GroupDocument): boolean {
  return (
    allows(org, org.realm.current.can_manage_all_groups, actor) ||
    allows(org, group.can_manage_group, actor)
  );
}

/** Whether the actor may add other users and subgroups. */
export function canAddToGroup(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
): boolean {
  return canManageGroup(org, actor, group) || allows(org, group.can_add_members_group, actor);
}

/** Whether the actor may remove other users and subgroups. */
export function canRemoveFromGroup(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
): boolean {
  return canManageGroup(org, actor, group) || allows(org, group.can_remove_members_group, actor);
}

/** A group by id. @throws ApiError `Invalid user group` */
export function knownGroup(org: Organization, id: number): GroupDocument {
  const group = org.groups.get(id);
  if (!group) throw badRequest('Invalid user group');
  return group;
}

/** @throws ApiError unless the caller may manage the group; nobody may change a system group */
export function requireManageable(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
): void {
  if (group.is_system_group || !canManageGroup(org, actor, group)) throw insufficient();
}

/** The error of a missing permission on a group. */
export function insufficient() {
  return badRequest('Insufficient permission');
}
