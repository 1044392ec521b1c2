import { parameterTexts } from '../parameter-texts.js';

const GSV = 'A group’s id, or an object with `direct_members` and `direct_subgroups`.';
const NEW_GSV = `${GSV} Where it changes, \`{"new", "old"}\` with the value the caller believes to be there.`;

/** Parameters about user groups. */
export const groupTexts = parameterTexts({
  user_group_id:
    'Which user group, by its number from `GET /user_groups`; groups of the system can be read, not changed.',
  'create-user-group.name':
    'Name of the new group, at most 100 characters, not beginning with `role:`, `@`, `user:`, `stream:` or `channel:`.',
  'update-user-group.name': 'New name of the group, at most 100 characters.',
  'create-user-group.description': 'What the group is for, at most 1024 characters.',
  'update-user-group.description': 'What the group is for, at most 1024 characters.',
  members: 'Ids of those who belong to the group from the beginning; may be empty.',
  subgroups: ['Ids of groups whose members belong to this one too.', [3]],
  can_add_members_group: `Who may add members to the group. ${NEW_GSV}`,
  can_join_group: `Who may join the group by themselves. ${NEW_GSV}`,
  can_leave_group: `Who may leave the group by themselves. ${NEW_GSV}`,
  can_manage_group: `Who may change the group’s name, description and settings, and its members; not \`role:internet\` or \`role:everyone\`. ${NEW_GSV}`,
  can_mention_group: `Who may mention the group; not \`role:internet\` or \`role:owners\`. ${NEW_GSV}`,
  can_remove_members_group: `Who may remove members from the group. ${NEW_GSV}`,
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
