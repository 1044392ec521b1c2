/* Words that several things of this area share, or for which the file of the thing has no room. */
import { GROUP, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

/** Fields of user groups and of values of permissions. */
export const FIELD_TEXTS = fieldTexts({
  direct_members: ['Users who have the right, by id.', [OWNER]],
  direct_subgroups: ['Groups whose members have the right, by id.', [GROUP]],
  group_id: ['Id of the group.', GROUP],
});

const GSV = 'A group’s id, or an object with `direct_members` and `direct_subgroups`.';

const NEW_GSV = `${GSV} Where it changes, \`{"new", "old"}\` with the value the caller believes to be there.`;

/** Parameters about user groups. */
export const PARAMETER_TEXTS = parameterTexts({
  can_add_members_group: `Who may add members to the group. ${NEW_GSV}`,
  can_join_group: `Who may join the group by themselves. ${NEW_GSV}`,
  can_leave_group: `Who may leave the group by themselves. ${NEW_GSV}`,
  can_manage_group: `Who may change the group’s name, description and settings, and its members; not \`role:internet\` or \`role:everyone\`. ${NEW_GSV}`,
  can_mention_group: `Who may mention the group; not \`role:internet\` or \`role:owners\`. ${NEW_GSV}`,
  can_remove_members_group: `Who may remove members from the group. ${NEW_GSV}`,
});
