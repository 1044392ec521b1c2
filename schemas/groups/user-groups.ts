import Type from 'typebox';
import {
  Empty,
  endpoint,
  Id,
  IdList,
  optional,
  type Param,
  required,
  withDefault,
} from '../endpoint.js';
import { GROUP, OPHELIA, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_GROUP_DESCRIPTION_LENGTH, MAX_GROUP_NAME_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, text } from '../text.js';
import { GROUP_PERMISSIONS, GroupDocument, type GroupPermission } from './user-group.js';
import { GroupSettingChange, GroupSettingInput } from './permissions.js';

const Flag = Type.Boolean();
const Ids = Type.Array(Type.Integer());
const Description = text(MAX_GROUP_DESCRIPTION_LENGTH);

type Params<T extends typeof GroupSettingInput | typeof GroupSettingChange> = {
  readonly [K in GroupPermission]: Param<T, 'optional'>;
};

const PERMISSIONS = Object.fromEntries(
  GROUP_PERMISSIONS.map((name) => [name, optional(GroupSettingInput)]),
) as Params<typeof GroupSettingInput>;

const PERMISSION_CHANGES = Object.fromEntries(
  GROUP_PERMISSIONS.map((name) => [name, optional(GroupSettingChange)]),
) as Params<typeof GroupSettingChange>;

const user_group_id = required(Id);

/** endpoints-groups.md#group-endpoints. */
export const getUserGroups = endpoint({
  operation: 'get-user-groups',
  method: 'GET',
  path: '/user_groups',
  access: 'member',
  summary: 'Get the user groups, system groups included',
  params: { include_deactivated_groups: withDefault(Flag, false) },
  response: Type.Object({ user_groups: Type.Array(GroupDocument) }),
  errors: [],
  events: [],
  level: 386,
});

/** endpoints-groups.md#group-endpoints; needs the organization's `can_create_groups`. */
export const createUserGroup = endpoint({
  operation: 'create-user-group',
  method: 'POST',
  path: '/user_groups/create',
  access: 'member',
  right: 'can_create_groups',
  summary: 'Create a user group',
  params: {
    // Its length and beginning are the handler's to check, in its own words.
    name: required(checkedText({ minLength: 1, maxLength: MAX_GROUP_NAME_LENGTH })),
    description: required(Description),
    members: required(IdList),
    subgroups: optional(IdList),
    ...PERMISSIONS,
  },
  response: Type.Object({ group_id: Type.Integer() }),
  errors: ['SYSTEM_GROUP_REQUIRED'],
  example: { name: 'players', description: 'The tragedians', members: [OWNER] },
  events: ['user_group', 'message'],
});

/** specification-endpoints.md#update-user-group. */
export const updateUserGroup = endpoint({
  operation: 'update-user-group',
  method: 'PATCH',
  path: '/user_groups/{user_group_id}',
  access: 'member',
  summary: 'Change a user group, or reactivate it',
  params: {
    user_group_id,
    name: optional(checkedText({ minLength: 1, maxLength: MAX_GROUP_NAME_LENGTH })),
    description: optional(Description),
    deactivated: optional(Flag, {
      description: 'false reactivates the group, true does nothing',
    }),
    ...PERMISSION_CHANGES,
  },
  response: Empty,
  errors: ['EXPECTATION_MISMATCH', 'SYSTEM_GROUP_REQUIRED'],
  example: { user_group_id: GROUP, description: 'The tragedians of the city' },
  events: ['user_group', 'stream', 'subscription'],
  level: 496,
});

/** endpoints-groups.md#group-endpoints. */
export const deactivateUserGroup = endpoint({
  operation: 'deactivate-user-group',
  method: 'POST',
  path: '/user_groups/{user_group_id}/deactivate',
  access: 'member',
  summary: 'Deactivate a user group that nothing uses',
  params: { user_group_id },
  response: Empty,
  errors: ['CANNOT_DEACTIVATE_GROUP_IN_USE'],
  example: { user_group_id: GROUP },
  events: ['user_group', 'stream', 'subscription'],
});

/** endpoints-groups.md#group-endpoints. */
export const updateUserGroupMembers = endpoint({
  operation: 'update-user-group-members',
  method: 'POST',
  path: '/user_groups/{user_group_id}/members',
  access: 'member',
  summary: 'Add and remove members and subgroups of a user group',
  params: {
    user_group_id,
    add: optional(IdList),
    delete: optional(IdList),
    add_subgroups: optional(IdList),
    delete_subgroups: optional(IdList),
  },
  response: Empty,
  errors: [],
  example: { user_group_id: GROUP, add: [OPHELIA] },
  events: ['user_group', 'message', 'stream', 'subscription'],
});

/** endpoints-groups.md#group-endpoints. */
export const getUserGroupMembers = endpoint({
  operation: 'get-user-group-members',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members',
  access: 'member',
  summary: 'Get the members of a user group',
  params: { user_group_id, direct_member_only: withDefault(Flag, false) },
  response: Type.Object({ members: Ids }),
  errors: [],
  example: { user_group_id: GROUP },
  events: [],
});

/** specification-endpoints.md#group-membership. */
export const getIsUserGroupMember = endpoint({
  operation: 'get-is-user-group-member',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members/{user_id}',
  access: 'member',
  summary: 'Get whether a user is a member of a user group',
  params: { user_group_id, user_id: required(Id), direct_member_only: withDefault(Flag, false) },
  response: Type.Object({ is_user_group_member: Flag }),
  errors: [],
  example: { user_group_id: GROUP, user_id: OWNER },
  events: [],
  level: 496,
});

/** endpoints-groups.md#group-endpoints. */
export const getUserGroupSubgroups = endpoint({
  operation: 'get-user-group-subgroups',
  method: 'GET',
  path: '/user_groups/{user_group_id}/subgroups',
  access: 'member',
  summary: 'Get the subgroups of a user group',
  params: { user_group_id, direct_subgroup_only: withDefault(Flag, false) },
  response: Type.Object({ subgroups: Ids }),
  errors: [],
  example: { user_group_id: GROUP },
  events: [],
});

/** endpoints-groups.md#group-endpoints. */
export const updateUserGroupSubgroups = endpoint({
  operation: 'update-user-group-subgroups',
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  access: 'member',
  summary: 'Add and remove subgroups of a user group',
  params: { user_group_id, add: optional(IdList), delete: optional(IdList) },
  response: Empty,
  errors: [],
  example: { user_group_id: GROUP, add: [4] },
  events: ['user_group', 'stream', 'subscription'],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  user_group_id:
    'Which user group, by its number from `GET /user_groups`; groups of the system can be read, not changed.',
  'create-user-group.name':
    'Name of the new group, at most 100 characters, not beginning with `role:`, `@`, `user:`, `stream:` or `channel:`.',
  'update-user-group.name': 'New name of the group, at most 100 characters.',
  'create-user-group.description': 'What the group is for, at most 1024 characters.',
  'update-user-group.description': 'What the group is for, at most 1024 characters.',
  members: 'Ids of those who belong to the group from the beginning; may be empty.',
  subgroups: ['Ids of groups whose members belong to this one too.', [3]],
  direct_member_only: 'Whether only direct members count, not those of subgroups.',
  direct_subgroup_only: 'Whether only direct subgroups count, not theirs.',
  include_deactivated_groups: 'Whether deactivated groups are listed too.',
  'update-user-group-members.add': 'Ids of users to be added.',
  'update-user-group-members.delete': ['Ids of users to be removed.', [5]],
  'update-user-group-subgroups.add': 'Ids of groups to become subgroups; a circle is refused.',
  'update-user-group-subgroups.delete': ['Ids of groups to remove from the subgroups.', [4]],
  add_subgroups: ['Ids of groups to become subgroups; a circle is refused.', [4]],
  delete_subgroups: ['Ids of groups to remove from the subgroups.', [4]],
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-user-groups.user_groups': 'Groups by id, those of the system first.',
  'get-user-group-members.members': ['Members, by user id.', [OWNER]],
  'get-user-group-subgroups.subgroups': ['Subgroups, by id.', []],
  is_user_group_member: 'Whether the user belongs to the group.',
});
