import {
  CHANNEL_PERMISSIONS,
  type ChannelDocument,
} from '../../../schemas/channels/channel-document.js';
import {
  GROUP_PERMISSIONS,
  type GroupDocument,
  type GroupSettingValue,
} from '../../../schemas/groups/group-document.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  CHANNEL_PERMISSION_SETTINGS,
  GROUP_PERMISSION_SETTINGS,
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
  ROLE_GROUP,
  type RealmPermission,
} from '../../../schemas/groups/permissions.js';
import { archivedMark } from '../channels/channel-events.js';
import {
  captureVisibility,
  emitVisibilityDiff,
  type ChannelVisibility,
} from '../channels/channel-visibility.js';
import { emitGroupMembers, emitGroupProperty } from '../groups/group-events.js';
import { withoutMember } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import { channelAudience } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';

/** Groups and visible channels of an account at one moment. */
interface MembershipSnapshot {
  readonly user: UserDocument;
  /** Groups with the account as a direct member: the group of its role, full members, then others by id. */
  readonly groupIds: readonly number[];
  readonly visibility: ChannelVisibility;
}

/** Captures an account before its role or active state changes; see {@link emitMembershipDiff}. */
export function captureMembership(org: Organization, userId: number): MembershipSnapshot {
  const user = org.users.get(userId)!;
  const visibility = captureVisibility(org, [userId], [...org.channels.values()]);
  return { user, groupIds: directGroups(org, user), visibility };
}

/**
 * Emits the effects of a change of an account's role or active state (events.md#order, "change role",
 * "deactivate user", "reactivate user"): `user_group` remove_members and add_members of the groups that
 * lost and gained it; permission values without a deactivated account; then the channels it gained or
 * lost sight of.
 *
 * A deactivated account keeps its memberships of ordinary groups, but not its place in permission values
 * (endpoints-groups.md#deactivated-members).
 */
export function emitMembershipDiff(tx: Transaction, former: MembershipSnapshot): void {
  const { org } = tx;
  const user = org.users.get(former.user.user_id)!;
  const groupIds = directGroups(org, user);
  const emitMembers = (op: 'add_members' | 'remove_members', ids: readonly number[]) => {
    for (const id of ids) emitGroupMembers(tx, op, org.groups.get(id)!, [user.user_id]);
  };
  const lost = former.groupIds.filter((id) => !groupIds.includes(id));
  const gained = groupIds.filter((id) => !former.groupIds.includes(id));
  const full = org.groups.system('role:fullmembers').id;
  // The group of the role first, full membership second.
  for (const isFull of [false, true]) {
    const part = (ids: readonly number[]) => ids.filter((id) => (id === full) === isFull);
    emitMembers('remove_members', part(lost));
    emitMembers('add_members', part(gained));
  }
  if (!user.is_active && former.user.is_active) dropFromSettings(tx, user.user_id);
  emitVisibilityDiff(tx, former.visibility);
}

/** Ids of the groups of which an account is a direct member. */
function directGroups(org: Organization, user: UserDocument): number[] {
  if (!user.is_active || user.is_system_bot) return [];
  const { groups } = org;
  const ids = [groups.system(ROLE_GROUP[user.role]).id];
  if (user.role === ROLE.member && org.isFullMember(user)) {
    ids.push(groups.system('role:fullmembers').id);
  }
  return [...ids, ...groups.listing(user.user_id).map((group) => group.id)];
}

/** Removes a user from every permission value of the organization, of groups and of channels. */
function dropFromSettings(tx: Transaction, userId: number): void {
  dropFromRealm(tx, userId);
  for (const group of [...tx.org.groups.values()]) dropFromGroup(tx, group, userId);
  for (const channel of [...tx.org.channels.values()]) dropFromChannel(tx, channel, userId);
}

function dropFromRealm(tx: Transaction, userId: number): void {
  const { org } = tx;
  const data: Partial<Record<RealmPermission, GroupSettingValue>> = {};
  for (const name of REALM_PERMISSIONS) {
    const rules = REALM_PERMISSION_SETTINGS[name];
    const value = withoutMember(org, rules, org.realm.current[name], userId);
    if (value !== undefined) data[name] = value;
  }
  if (Object.keys(data).length === 0) return;
  org.realm.update('realm', data);
  tx.emit('realm', { to: 'all' }, { op: 'update_dict', property: 'default', data });
}

function dropFromGroup(tx: Transaction, group: GroupDocument, userId: number): void {
  const { org } = tx;
  for (const name of GROUP_PERMISSIONS) {
    const value = withoutMember(org, GROUP_PERMISSION_SETTINGS[name], group[name], userId);
    if (value === undefined) continue;
    org.groups.update(group.id, { [name]: value });
    emitGroupProperty(tx, group, { [name]: value });
  }
}

function dropFromChannel(tx: Transaction, channel: ChannelDocument, userId: number): void {
  const { org } = tx;
  const { stream_id, name } = channel;
  for (const property of CHANNEL_PERMISSIONS) {
    const rules = CHANNEL_PERMISSION_SETTINGS[property];
    const value = withoutMember(org, rules, channel[property], userId);
    if (value === undefined) continue;
    org.channels.update(stream_id, { [property]: value });
    const audience = channelAudience(org, channel);
    const mark = archivedMark([channel]);
    tx.emit('stream', audience, { op: 'update', stream_id, name, property, value, ...mark });
  }
}
