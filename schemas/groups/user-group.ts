import Type, { type Static, type TSchema } from 'typebox';
import { collection } from '../collection.js';
import { nullable } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { GROUP, OPHELIA, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';

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

/** Time up to which ended waiting periods are applied to `role:fullmembers`, milliseconds since 1970. */
export const waitingPeriodCollection = collection(
  'waiting_period',
  Type.Object({ counted_until: Type.Integer() }),
);

const type = Type.Literal('user_group');
const group_id = Type.Integer();
const Ids = Type.Array(Type.Integer());

/** events-people.md#people, `user_group` add: a new group, or one that came back (old queues). */
export const UserGroupAdd = Type.Object(
  { type, op: Type.Literal('add'), group: GroupDocument },
  exact,
);

/** The properties that `update` tells of, one in each event. */
export type GroupProperties = Partial<Pick<GroupDocument, GroupProperty>>;
type GroupProperty =
  | 'name'
  | 'description'
  | 'deactivated'
  | 'can_add_members_group'
  | 'can_join_group'
  | 'can_leave_group'
  | 'can_manage_group'
  | 'can_mention_group'
  | 'can_remove_members_group';

const property = (name: GroupProperty, value: TSchema) => Type.Object({ [name]: value }, exact);

/** events-people.md#people, `user_group` update: exactly one property. */
export const UserGroupUpdate = Type.Object(
  {
    type,
    op: Type.Literal('update'),
    group_id,
    // The compiler does not count the properties; the schema does.
    data: Type.Unsafe<GroupProperties>(
      Type.Union([
        property('name', Type.String()),
        property('description', Type.String()),
        property('deactivated', Type.Boolean()),
        property('can_add_members_group', GroupSettingValue),
        property('can_join_group', GroupSettingValue),
        property('can_leave_group', GroupSettingValue),
        property('can_manage_group', GroupSettingValue),
        property('can_mention_group', GroupSettingValue),
        property('can_remove_members_group', GroupSettingValue),
      ]),
    ),
  },
  exact,
);

/** events-people.md#people: direct members came. */
export const UserGroupAddMembers = Type.Object(
  { type, op: Type.Literal('add_members'), group_id, user_ids: Ids },
  exact,
);

/** events-people.md#people: direct members went. */
export const UserGroupRemoveMembers = Type.Object(
  { type, op: Type.Literal('remove_members'), group_id, user_ids: Ids },
  exact,
);

/** events-people.md#people: direct subgroups came. */
export const UserGroupAddSubgroups = Type.Object(
  { type, op: Type.Literal('add_subgroups'), group_id, direct_subgroup_ids: Ids },
  exact,
);

/** events-people.md#people: direct subgroups went. */
export const UserGroupRemoveSubgroups = Type.Object(
  { type, op: Type.Literal('remove_subgroups'), group_id, direct_subgroup_ids: Ids },
  exact,
);

/** events-people.md#people: deactivated, for queues without `include_deactivated_groups`. */
export const UserGroupRemove = Type.Object({ type, op: Type.Literal('remove'), group_id }, exact);

/** Every form of `user_group`. */
export const userGroupEvents = events(
  UserGroupAdd,
  UserGroupUpdate,
  UserGroupAddMembers,
  UserGroupRemoveMembers,
  UserGroupAddSubgroups,
  UserGroupRemoveSubgroups,
  UserGroupRemove,
);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'UserGroup.id': ['Id of the group.', GROUP],
  'UserGroup.name': ['Name of the group; those of the system begin with `role:`.', 'players'],
  'UserGroup.description': ['What the group is for.', 'The tragedians'],
  'UserGroup.date_created': [
    'When the group was made, UNIX seconds; null for those of the system.',
    1_750_000_000,
  ],
  is_system_group:
    'Whether the group is one of the system, which follows roles and cannot be changed.',
  'UserGroup.members': ['Direct members, by user id; active accounts only.', [OWNER]],
  direct_subgroup_ids: ['Groups whose members belong to this one too, by id.', []],
  'UserGroup.deactivated':
    'Whether the group is deactivated: it cannot be mentioned or given rights.',
  'user_group.group': 'The new group.',
  'user_group.data': 'The one property that changed, with its new value.',
  'data.deactivated': 'Whether it is deactivated now.',
  'user_group.user_ids': ['Users who joined or left, by id.', [OPHELIA]],
  'user_group.direct_subgroup_ids': ['Groups that were added or removed as subgroups, by id.', [4]],
});
