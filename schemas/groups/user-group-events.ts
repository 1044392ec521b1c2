import Type, { type TSchema } from 'typebox';
import { GroupDocument, GroupSettingValue } from './group-document.js';
import { exact } from '../exact.js';
import { events } from '../event.js';

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
