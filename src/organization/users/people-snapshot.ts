import type { GroupDocument, GroupSettingValue } from '../../../schemas/groups/user-group.js';
import type { UserObject } from '../../../schemas/users/users.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { DERIVED_USER_SETTINGS } from '../../../schemas/users/user-settings.js';
import { ROLE_GROUP } from '../../../schemas/groups/permissions.js';
import { groupView } from '../access/group-members.js';
import type { Organization } from '../state/organization.js';
import { allows } from '../access/permissions.js';
import { canSeeUser } from '../access/user-access.js';
import { recentPrivateConversations } from '../messages/reading/unread.js';
import { apiEmail, avatarUrl, userView, type UserViewOptions } from '../views/user-view.js';

type Fields = Record<string, unknown>;

/** The caller's own fields of the snapshot's `realm_user` section (register.md#sections). */
export function ownFields(org: Organization, user: UserDocument): Fields {
  const realm = org.realm.current;
  const can = (value: GroupSettingValue) => allows(org, value, user);
  const publicChannels = can(realm.can_create_public_channel_group);
  const privateChannels = can(realm.can_create_private_channel_group);
  return {
    user_id: user.user_id,
    email: apiEmail(org, user),
    delivery_email: user.email,
    full_name: user.full_name,
    is_owner: user.role === ROLE.owner,
    is_admin: user.role <= ROLE.administrator,
    is_moderator: user.role <= ROLE.moderator,
    is_guest: user.role === ROLE.guest,
    avatar_source: user.avatar_source,
    avatar_url: avatarUrl(org, user),
    avatar_url_medium: avatarUrl(org, user, 'medium'),
    can_create_public_streams: publicChannels,
    can_create_private_streams: privateChannels,
    can_create_web_public_streams:
      realm.enable_spectator_access && can(realm.can_create_web_public_channel_group),
    can_create_streams: publicChannels || privateChannels,
    can_invite_others_to_realm: can(realm.can_invite_users_group),
  };
}

/** People whom {@link nearUsers} has at most: more than a list of conversations shows at once. */
const MOST_NEAR = 100;

/**
 * The caller, those of their newest direct conversations, and the system bots (register.md#near-users): whom a client
 * names before it has read the list of all.
 */
export function nearUsers(org: Organization, user: UserDocument, options: UserViewOptions): Fields {
  const ids = new Set([user.user_id]);
  for (const { user_ids } of recentPrivateConversations(org, user)) {
    if (ids.size >= MOST_NEAR) break;
    for (const id of user_ids.slice(0, MOST_NEAR - ids.size)) ids.add(id);
  }
  const viewOf = (id: number): UserObject => userView(org, user, org.users.get(id)!, options);
  const isNear = (id: number): boolean => {
    const one = org.users.get(id);
    return one?.is_active === true && !one.is_system_bot && canSeeUser(org, user, one);
  };
  return {
    realm_users: [...ids].filter(isNear).map(viewOf),
    cross_realm_bots: [...org.users.systemBots].map(viewOf),
    ...ownFields(org, user),
  };
}

/** The `user_settings` object (settings.md#user-settings-object). */
export function userSettingsObject(org: Organization, user: UserDocument): Fields {
  return { ...org.settings.effective(user.user_id), ...DERIVED_USER_SETTINGS };
}

/** Stored documents of the listed groups, by id. */
export function shownGroups(org: Organization, includeDeactivated: boolean): GroupDocument[] {
  return [...org.groups.values()]
    .filter((group) => includeDeactivated || !group.deactivated)
    .sort((a, b) => a.id - b.id);
}

/** All groups by id; the members of system groups follow from roles (register-structures.md#groups). */
export function realmUserGroups(
  org: Organization,
  options: { readonly includeDeactivated: boolean },
): GroupDocument[] {
  const members = systemMembers(org);
  return shownGroups(org, options.includeDeactivated).map((group) =>
    group.is_system_group
      ? { ...group, members: members.get(group.name) ?? [] }
      : groupView(org, group),
  );
}

/** Direct members of the system groups, ascending, found in one pass over the users. */
function systemMembers(org: Organization): Map<string, number[]> {
  const members = new Map<string, number[]>();
  const add = (group: string, id: number) => {
    const list = members.get(group);
    if (list) list.push(id);
    else members.set(group, [id]);
  };
  for (const id of [...org.users.active].sort((a, b) => a - b)) {
    const user = org.users.get(id)!;
    add(ROLE_GROUP[user.role], id);
    if (user.role === ROLE.member && org.isFullMember(user)) add('role:fullmembers', id);
  }
  return members;
}
