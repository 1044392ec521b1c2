import { fieldTexts } from '../field-texts.js';
import { GROUP, OPHELIA, OWNER } from '../example-values.js';

/** Fields of user groups and of values of permissions. */
export const groupFields = fieldTexts({
  direct_members: ['Users who have the right, by id.', [OWNER]],
  direct_subgroups: ['Groups whose members have the right, by id.', [GROUP]],
  'GroupSettingChange.new': 'The value from now on.',
  'GroupSettingChange.old':
    'The value the client believes to be there; another one refuses the change with `EXPECTATION_MISMATCH`. Left out: no matter.',
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
  'get-user-groups.user_groups': 'Groups by id, those of the system first.',
  group_id: ['Id of the group.', GROUP],
  'get-user-group-members.members': ['Members, by user id.', [OWNER]],
  'get-user-group-subgroups.subgroups': ['Subgroups, by id.', []],
  is_user_group_member: 'Whether the user belongs to the group.',
  'user_group.group': 'The new group.',
  'user_group.data': 'The one property that changed, with its new value.',
  'data.deactivated': 'Whether it is deactivated now.',
  'user_group.user_ids': ['Users who joined or left, by id.', [OPHELIA]],
  'user_group.direct_subgroup_ids': ['Groups that were added or removed as subgroups, by id.', [4]],
});
