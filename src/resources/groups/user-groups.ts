import * as descriptors from '../../../schemas/groups/user-groups.js';
import { GROUP_PERMISSIONS, type GroupDocument } from '../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import {
  changeGroup,
  createGroup,
  deactivateGroup,
} from '../../organization/groups/group-changes.js';
import { directMembers, isMemberOf, membersOf } from '../../organization/access/group-members.js';
import {
  changeMembershipInParts,
  checkedChange,
  mayChangeMembers,
  mayChangeSubgroups,
  type MembershipChange,
  postMembersNotice,
} from '../../organization/groups/group-membership.js';
import {
  insufficient,
  knownGroup,
  requireManageable,
} from '../../organization/access/group-rights.js';
import type { Organization } from '../../organization/state/organization.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import { realmUserGroups } from '../../organization/users/people-snapshot.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import {
  handle,
  handleInParts,
  permitting,
  type AnyHandler,
  type Permit,
} from '../kernel/handler.js';

/** Dependencies of the user group endpoints. */
interface UserGroupParts {
  readonly markdown: Markdown;
}

/**
 * User groups (specification-endpoints.md#update-user-group and specification-endpoints.md#group-membership;
 * endpoints-groups.md#user-groups).
 */
export function userGroupHandlers({ markdown }: UserGroupParts): AnyHandler[] {
  return [
    ...READING,
    update,
    deactivate,
    handle(descriptors.createUserGroup, (tx, { user, params }) => {
      const group = createGroup(tx, user, params);
      postMembersNotice(tx, markdown, user, group, { added: group.members, removed: [] });
      return { group_id: group.id };
    }),
    permitting(
      forGroup((org, user, group) => {
        if (!mayChangeMembers(org, user, group)) throw insufficient();
      }),
      handleInParts(descriptors.updateUserGroupMembers, function* (parted, { user, params }) {
        const { user_group_id, ...change } = params;
        if (Object.values(change).every((ids) => ids.length === 0)) throw nothingToDo();
        return yield* changeMembers(parted, markdown, user, user_group_id, change);
      }),
    ),
    permitting(
      forGroup((org, user, group) => {
        if (!mayChangeSubgroups(org, user, group)) throw insufficient();
      }),
      handleInParts(descriptors.updateUserGroupSubgroups, function* (parted, { user, params }) {
        const { user_group_id, add = [], delete: removed = [] } = params;
        if (add.length + removed.length === 0) {
          throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
        }
        const change = { add_subgroups: add, delete_subgroups: removed };
        return yield* changeMembers(parted, markdown, user, user_group_id, change);
      }),
    ),
  ];
}

/** A check of rights about the group that the path names. */
function forGroup(
  check: (org: Organization, user: UserDocument, group: GroupDocument) => void,
): Permit {
  return (org, user, { path }) => check(org, user, knownGroup(org, Number(path.user_group_id)));
}

function nothingToDo() {
  return badRequest(
    'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
  );
}

/** Changes members and subgroups, and posts notices to the people added or removed. */
function* changeMembers(
  parted: PartedChange,
  markdown: Markdown,
  user: UserDocument,
  groupId: number,
  change: MembershipChange,
): Parts<Record<string, never>> {
  const group = knownGroup(parted.org, groupId);
  const checked = checkedChange(parted.org, user, group, change);
  yield* changeMembershipInParts(parted, group, checked);
  const { add: added, delete: removed } = checked;
  postMembersNotice(parted.tx, markdown, user, group, { added, removed });
  return {};
}

const update = permitting(
  forGroup(requireManageable),
  handle(descriptors.updateUserGroup, (tx, { user, params }) => {
    const { user_group_id, ...change } = params;
    const group = knownGroup(tx.org, user_group_id);
    requireManageable(tx.org, user, group);
    const asked = ['name', 'description', 'deactivated', ...GROUP_PERMISSIONS] as const;
    if (asked.every((name) => change[name] === undefined)) {
      throw badRequest('No new data supplied');
    }
    changeGroup(tx, group, change);
    return {};
  }),
);

const deactivate = handle(descriptors.deactivateUserGroup, (tx, { user, params }) => {
  const group = knownGroup(tx.org, params.user_group_id);
  requireManageable(tx.org, user, group);
  // The text of errors-by-endpoint.md#by-endpoint; endpoints-groups.md#group-endpoints has another one.
  if (group.deactivated) throw badRequest('User group is already deactivated.');
  deactivateGroup(tx, group);
  return {};
});

const READING: readonly AnyHandler[] = [
  handle(descriptors.getUserGroups, ({ org }, { params }) => ({
    user_groups: realmUserGroups(org, { includeDeactivated: params.include_deactivated_groups }),
  })),
  handle(descriptors.getUserGroupMembers, ({ org }, { params }) => {
    const group = knownGroup(org, params.user_group_id);
    return {
      members: params.direct_member_only ? directMembers(org, group) : membersOf(org, group),
    };
  }),
  handle(descriptors.getIsUserGroupMember, ({ org }, { params }) => {
    const group = knownGroup(org, params.user_group_id);
    const user = org.users.get(params.user_id);
    if (!user) throw badRequest('No such user');
    const belongs = params.direct_member_only
      ? org.groups.isDirectMember(group, user, org.isFullMember)
      : isMemberOf(org, group, user);
    return { is_user_group_member: belongs };
  }),
  handle(descriptors.getUserGroupSubgroups, ({ org }, { params }) => {
    const group = knownGroup(org, params.user_group_id);
    const ids = params.direct_subgroup_only
      ? group.direct_subgroup_ids
      : [...org.groups.contained(group.id)].filter((id) => id !== group.id);
    return { subgroups: [...ids].sort((a, b) => a - b) };
  }),
];
