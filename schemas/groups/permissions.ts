import Type from 'typebox';
import type { ChannelPermission } from '../channels/channel.js';
import { Id, IdList } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { ROLE, type Role } from '../users/user-document.js';
import type { GroupPermission } from './user-group.js';

export { GroupSettingValue } from './user-group.js';

/** A permission value as a request carries it: the stored form, bounded. */
export const GroupSettingInput = Type.Union(
  [Id, Type.Object({ direct_members: IdList, direct_subgroups: IdList })],
  { title: 'GroupSettingInput' },
);

/**
 * A change of a permission value (specification-resources.md#group-setting-value): `old` is what the client believes.
 */
export const GroupSettingChange = Type.Object(
  {
    new: GroupSettingInput,
    old: Type.Optional(GroupSettingInput),
  },
  { title: 'GroupSettingChange' },
);

/** Names of the system groups; clients find them by name, never by id (endpoints-groups.md#system-groups). */
export type SystemGroupName =
  | 'role:nobody'
  | 'role:owners'
  | 'role:administrators'
  | 'role:moderators'
  | 'role:fullmembers'
  | 'role:members'
  | 'role:everyone'
  | 'role:internet';

/** One system group as it is created with the organization. */
export interface SystemGroup {
  readonly name: SystemGroupName;
  readonly description: string;
  /** Its one direct subgroup. */
  readonly subgroup: SystemGroupName | null;
  /** Users of exactly this role are direct members; of `role:fullmembers` only once past the waiting period. */
  readonly role: Role | null;
}

/**
 * The system groups in the order of their creation, subgroups first. Subgroups follow
 * register-structures.md#groups, which has `role:members` and `role:fullmembers` both above `role:moderators`
 * (endpoints-groups.md#system-groups chains them): full members are direct members of both, so either way
 * the same people belong.
 */
export const SYSTEM_GROUPS: readonly SystemGroup[] = [
  { name: 'role:nobody', description: 'Nobody', subgroup: null, role: null },
  {
    name: 'role:owners',
    description: 'Owners of this organization',
    subgroup: null,
    role: ROLE.owner,
  },
  {
    name: 'role:administrators',
    description: 'Administrators of this organization, including owners',
    subgroup: 'role:owners',
    role: ROLE.administrator,
  },
  {
    name: 'role:moderators',
    description: 'Moderators of this organization, including administrators',
    subgroup: 'role:administrators',
    role: ROLE.moderator,
  },
  {
    name: 'role:fullmembers',
    description: 'Members of this organization, not including new accounts and guests',
    subgroup: 'role:moderators',
    role: ROLE.member,
  },
  {
    name: 'role:members',
    description: 'Members of this organization, not including guests',
    subgroup: 'role:moderators',
    role: ROLE.member,
  },
  {
    name: 'role:everyone',
    description: 'Everyone in this organization, including guests',
    subgroup: 'role:members',
    role: ROLE.guest,
  },
  {
    name: 'role:internet',
    description: 'Everyone on the Internet',
    subgroup: 'role:everyone',
    role: null,
  },
];

/** The system group that holds the users of a role. */
export const ROLE_GROUP: Readonly<Record<Role, SystemGroupName>> = {
  [ROLE.owner]: 'role:owners',
  [ROLE.administrator]: 'role:administrators',
  [ROLE.moderator]: 'role:moderators',
  [ROLE.member]: 'role:members',
  [ROLE.guest]: 'role:everyone',
};

/** Defaults that depend on who creates the thing (register-realm.md#permission-settings). */
export type CreatorDefault = 'group_creator' | 'channel_creator';

/** What a permission setting may be set to (register-realm.md#permission-settings), as the wire shows it. */
export interface PermissionSetting<D extends string = SystemGroupName | CreatorDefault> {
  readonly require_system_group: boolean;
  readonly allow_internet_group: boolean;
  readonly allow_nobody_group: boolean;
  readonly allow_everyone_group: boolean;
  readonly default_group_name: D;
  readonly default_for_system_groups: SystemGroupName | null;
  /** System groups that may be chosen; empty means all that the flags allow. */
  readonly allowed_system_groups: readonly SystemGroupName[];
}

function permission<D extends string>(
  byDefault: D,
  options: Partial<PermissionSetting<D>> = {},
): PermissionSetting<D> {
  return {
    require_system_group: false,
    allow_internet_group: false,
    allow_nobody_group: true,
    allow_everyone_group: true,
    default_group_name: byDefault,
    default_for_system_groups: null,
    allowed_system_groups: [],
    ...options,
  };
}

const NOT_EVERYONE = { allow_everyone_group: false } as const;
const SOMEBODY = { allow_nobody_group: false, allow_everyone_group: false } as const;

const members = permission('role:members', NOT_EVERYONE);
const everyone = permission('role:everyone');

/** The organization's permission settings, each default by system-group name. */
export const REALM_PERMISSION_SETTINGS = {
  create_multiuse_invite_group: permission('role:administrators', NOT_EVERYONE),
  can_access_all_users_group: permission('role:everyone', {
    require_system_group: true,
    allow_nobody_group: false,
    allowed_system_groups: ['role:everyone', 'role:members'],
  }),
  can_add_subscribers_group: members,
  can_add_custom_emoji_group: members,
  can_create_bots_group: members,
  can_create_write_only_bots_group: members,
  can_create_groups: members,
  can_create_public_channel_group: members,
  can_create_private_channel_group: members,
  can_create_web_public_channel_group: permission('role:owners', {
    ...NOT_EVERYONE,
    require_system_group: true,
    allowed_system_groups: ['role:moderators', 'role:administrators', 'role:owners', 'role:nobody'],
  }),
  can_delete_any_message_group: permission('role:administrators', NOT_EVERYONE),
  can_delete_own_message_group: everyone,
  can_invite_users_group: members,
  can_manage_all_groups: permission('role:owners', SOMEBODY),
  can_manage_billing_group: permission('role:administrators', SOMEBODY),
  // `realm_wildcard_mention_policy` has a value for everyone (register-realm.md#messages).
  can_mention_many_users_group: permission('role:administrators'),
  can_move_messages_between_channels_group: members,
  can_move_messages_between_topics_group: everyone,
  can_resolve_topics_group: everyone,
  can_set_delete_message_policy_group: permission('role:moderators', NOT_EVERYONE),
  can_set_topics_policy_group: permission('role:members'),
  can_summarize_topics_group: everyone,
  direct_message_initiator_group: everyone,
  direct_message_permission_group: everyone,
  workplace_users_group: everyone,
} as const satisfies Record<string, PermissionSetting<SystemGroupName>>;

/** Name of a permission setting of the organization. */
export type RealmPermission = keyof typeof REALM_PERMISSION_SETTINGS;
/** All of them, in table order. */
export const REALM_PERMISSIONS = Object.keys(
  REALM_PERMISSION_SETTINGS,
) as readonly RealmPermission[];

const nobody = permission('role:nobody');

/** A channel's permission settings (also endpoints-channels.md#channel-object). */
export const CHANNEL_PERMISSION_SETTINGS: Readonly<Record<ChannelPermission, PermissionSetting>> = {
  can_add_subscribers_group: permission('role:nobody', NOT_EVERYONE),
  can_administer_channel_group: permission('channel_creator', NOT_EVERYONE),
  can_create_topic_group: everyone,
  can_delete_any_message_group: nobody,
  can_delete_own_message_group: nobody,
  can_move_messages_out_of_channel_group: nobody,
  can_move_messages_within_channel_group: nobody,
  can_remove_subscribers_group: permission('role:administrators'),
  can_resolve_topics_group: nobody,
  can_send_message_group: everyone,
  can_subscribe_group: permission('role:nobody', NOT_EVERYONE),
};

const OF_GROUP = { default_for_system_groups: 'role:nobody' } as const;

/** A user group's permission settings (also endpoints-groups.md#group-setting-values). */
export const GROUP_PERMISSION_SETTINGS: Readonly<Record<GroupPermission, PermissionSetting>> = {
  can_add_members_group: permission('group_creator', { ...OF_GROUP, ...NOT_EVERYONE }),
  can_join_group: permission('role:nobody', { ...OF_GROUP, ...NOT_EVERYONE }),
  can_leave_group: permission('role:everyone', OF_GROUP),
  can_manage_group: permission('group_creator', { ...OF_GROUP, ...NOT_EVERYONE }),
  can_mention_group: permission('role:everyone', {
    ...OF_GROUP,
    // The contract forbids `role:internet` and `role:owners`; a list is how the wire can say the latter.
    allowed_system_groups: SYSTEM_GROUPS.map((group) => group.name).filter(
      (name) => name !== 'role:internet' && name !== 'role:owners',
    ),
  }),
  can_remove_members_group: permission('role:nobody', { ...OF_GROUP, ...NOT_EVERYONE }),
};

/** `server_supported_permission_settings` of the register reply. */
export const SUPPORTED_PERMISSION_SETTINGS = {
  realm: REALM_PERMISSION_SETTINGS,
  stream: CHANNEL_PERMISSION_SETTINGS,
  group: GROUP_PERMISSION_SETTINGS,
} as const;

/** Whether a system group may be the value of a setting (endpoints-groups.md#refused-values). */
export function allowsSystemGroup(setting: PermissionSetting, name: SystemGroupName): boolean {
  if (name === 'role:internet' && !setting.allow_internet_group) return false;
  if (name === 'role:nobody' && !setting.allow_nobody_group) return false;
  if (name === 'role:everyone' && !setting.allow_everyone_group) return false;
  const list = setting.allowed_system_groups;
  return list.length === 0 || list.includes(name);
}

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'GroupSettingChange.new': 'The value from now on.',
  'GroupSettingChange.old':
    'The value the client believes to be there; another one refuses the change with `EXPECTATION_MISMATCH`. Left out: no matter.',
});
