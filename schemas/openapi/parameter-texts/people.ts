import type { ParameterTexts } from './types.js';

const GSV = 'A group’s id, or an object with `direct_members` and `direct_subgroups`.';
const NEW_GSV = `${GSV} Where it changes, \`{"new", "old"}\` with the value the caller believes to be there.`;

/** Users, bots, groups, profiles, invitations, logins, presence. */
export const PEOPLE_TEXTS: ParameterTexts = {
  user_id: 'Id of an account; system bots included where one reads.',
  'update-user.user_id': 'Id of the account to be changed, for administrators.',
  'get-user-by-email.email':
    'E-mail address of an account: the real one where the caller may see it, or the API address.',
  'create-user.email':
    'Address of the new account; it must be allowed by the organization’s domains and unused.',
  'update-user-by-email.email': 'E-mail address of the account to be changed, real or API address.',
  'get-user-presence.user_id_or_email':
    'Whose presence: the id of an account, or its API e-mail address.',
  user_id_or_email: 'An account, by its id or its API e-mail address.',
  user_ids: 'Only these accounts; without it all that the caller may see.',
  full_name: 'Name that others see, 2 to 100 characters, without control characters.',
  role: 'Role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. Nobody gives a role above their own.',
  password: 'Password: 8 to 100 characters, and not easily guessed.',
  'fetch-api-key.password': 'Password of the account, or the one in the directory.',
  username:
    'E-mail address of the account, or its name in the directory (see `require_email_format_usernames` in the server’s settings).',
  include_profile: 'Whether the reply holds the user’s profile as `user`.',
  include_custom_profile_fields:
    'Whether the values of custom profile fields come along as `profile_data`.',
  profile_data:
    'Values of custom profile fields, as objects `{"id", "value"}`; null or an empty text removes one.',
  new_email: 'New address of the account, without confirmation. For administrators who may.',
  data: 'Values of own profile fields, as objects `{"id", "value"}`.',
  'remove-own-profile-data.data': 'Ids of the profile fields whose own values are removed.',

  bot_id: 'Id of a bot that the caller owns, or any for administrators.',
  bot_type:
    'Kind of bot: 1 generic, 2 incoming webhook; 3 (outgoing webhook) and 4 (embedded) are refused.',
  short_name:
    'First part of the bot’s address: it becomes `{short_name}-bot@` the organization’s host.',
  bot_owner_id: 'Id of the person the bot belongs to from now on.',
  payload_url:
    'Address that an outgoing webhook posts to; refused where it asks for something, because this server has no outgoing webhooks.',
  interface_type:
    'Form of what an outgoing webhook posts (1 generic, 2 compatible with Slack); refused where it asks for something, because this server has no outgoing webhooks.',
  service_payload_url:
    'New address that an outgoing webhook posts to; refused where it asks for something, because this server has no outgoing webhooks.',
  service_interface:
    'New form of what an outgoing webhook posts (1 generic, 2 compatible with Slack); refused where it asks for something, because this server has no outgoing webhooks.',
  service_name:
    'Program of an embedded bot; refused where it asks for something, because this server has none.',
  config_data:
    'Settings of an embedded bot; refused where it asks for something, because this server has none.',
  default_all_public_streams:
    'Whether the bot’s queues get messages of all public channels where the registration does not say.',
  storage: 'What the bot stores, as an object of texts; keys that are there are replaced.',
  keys: 'Which of the stored keys; without it all.',

  user_group_id:
    'Which user group, by its number from `GET /user_groups`; groups of the system can be read, not changed.',
  'create-user-group.name':
    'Name of the new group, at most 100 characters, not beginning with `role:`, `@`, `user:`, `stream:` or `channel:`.',
  'update-user-group.name': 'New name of the group, at most 100 characters.',
  'create-user-group.description': 'What the group is for, at most 1024 characters.',
  'update-user-group.description': 'What the group is for, at most 1024 characters.',
  members: 'Ids of those who belong to the group from the beginning; may be empty.',
  subgroups: 'Ids of groups whose members belong to this one too.',
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
  'update-user-group-members.delete': 'Ids of users to be removed.',
  'update-user-group-subgroups.add': 'Ids of groups to become subgroups; a circle is refused.',
  'update-user-group-subgroups.delete': 'Ids of groups that are subgroups no more.',
  add_subgroups: 'Ids of groups to become subgroups; a circle is refused.',
  delete_subgroups: 'Ids of groups that are subgroups no more.',

  invite_id: 'Id of an invitation; those by mail and reusable links are numbered apart.',
  invitee_emails:
    'Addresses to invite, joined by commas or line ends; `Name <address>` is understood.',
  invite_expires_in_minutes:
    'Minutes until the invitation ends; null for never. Without it the server’s default, 14400 (10 days). Since level 126, null since 117.',
  invite_as:
    'Role of the new account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. Nobody invites above their own role.',
  stream_ids: 'Channels the new account is subscribed to; each must be one the caller can see.',
  group_ids: 'User groups the new account becomes a member of. Since level 322.',
  include_realm_default_subscriptions:
    'Whether the organization’s default channels are added to `stream_ids`. Since level 261.',
  notify_referrer_on_join:
    'Whether the inviter is told by a direct message when the invitation is used. Since level 267.',
  welcome_message_custom_text:
    'Second greeting of the Welcome Bot, in Markdown, at most 8000 code points: null for the organization’s, empty for none. Honored for administrators. Since level 416.',
  'update-realm.welcome_message_custom_text':
    'Second greeting that the Welcome Bot sends to new accounts, in Markdown, at most 8000 code points; empty for none.',

  status: 'What the client sees of its person: `active` or `idle`.',
  last_update_id:
    'The `presence_last_update_id` of the reply before, or -1: only what changed since comes back, in the modern form. Since level 263.',
  history_limit_days:
    'Days without activity after which people are left out of the reply; 0 for nobody. Since level 288.',
  ping_only: 'Whether the reply leaves out the presence of others.',
  new_user_input:
    'Whether the person used the client since the last call; presence itself goes by `status`.',
  slim_presence:
    'Whether presences come by user id in the modern form instead of by e-mail address. Deprecated since level 263.',
  status_text: 'Words beside the name, at most 60 characters; empty for none.',
  'update-own-status.emoji_name': 'Name of the emoji beside the name; empty for none.',
  'update-user-status.emoji_name': 'Name of the emoji beside the name; empty for none.',
  muted_user_id: 'Id of the person whose messages are hidden.',
};
