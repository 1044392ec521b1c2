import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** A permission value: one group's id, or people and groups (specification-resources.md#group-setting-value). */
export const GroupSettingValue = Type.Union(
  [
    Type.Integer(),
    Type.Object({
      direct_members: Type.Array(Type.Integer()),
      direct_subgroups: Type.Array(Type.Integer()),
    }),
  ],
  { title: 'GroupSettingValue' },
);
export type GroupSettingValue = Static<typeof GroupSettingValue>;

/** The six permission settings of a user group, in the order the wire shows them. */
export const GROUP_PERMISSIONS = [
  'can_add_members_group',
  'can_join_group',
  'can_leave_group',
  'can_manage_group',
  'can_mention_group',
  'can_remove_members_group',
] as const;
/** Name of a permission setting of a user group. */
export type GroupPermission = (typeof GROUP_PERMISSIONS)[number];

/** Stored user group; the wire form is the same object (events-people.md#people, `user_group`). */
export const GroupDocument = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    creator_id: nullable(Type.Integer()),
    /** UNIX seconds. */
    date_created: nullable(Type.Integer()),
    is_system_group: Type.Boolean(),
    /** Direct members, ascending; deactivated users are not members. */
    members: Type.Array(Type.Integer()),
    direct_subgroup_ids: Type.Array(Type.Integer()),
    deactivated: Type.Boolean(),
    can_add_members_group: GroupSettingValue,
    can_join_group: GroupSettingValue,
    can_leave_group: GroupSettingValue,
    can_manage_group: GroupSettingValue,
    can_mention_group: GroupSettingValue,
    can_remove_members_group: GroupSettingValue,
  },
  { title: 'UserGroup' },
);
export type GroupDocument = Static<typeof GroupDocument>;

/** One value for each of the six permission settings. */
export function groupPermissions(
  value: GroupSettingValue,
): Record<GroupPermission, GroupSettingValue> {
  const entries = GROUP_PERMISSIONS.map((name) => [name, value]);
  return Object.fromEntries(entries) as Record<GroupPermission, GroupSettingValue>;
}

/** The stored documents of `user_group`. */
export const userGroupCollection = collection('user_group', GroupDocument);
