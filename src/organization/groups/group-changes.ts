import { CHANNEL_PERMISSIONS } from '../../../schemas/channels/channel.js';
import {
  GROUP_PERMISSIONS,
  type GroupDocument,
  type GroupPermission,
  type GroupSettingValue,
} from '../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_GROUP_NAME_LENGTH } from '../../../schemas/limits.js';
import {
  GROUP_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
  type SystemGroupName,
} from '../../../schemas/groups/permissions.js';
import {
  badRequest,
  deactivatedGroupInUse,
  groupInUse,
  type GroupObjection,
} from '../../errors/index.js';
import { lookKeys } from '../../services/text/look-alikes.js';
import { invalidCharacterAt, nameKey } from '../../services/text/stored-text.js';
import {
  naming,
  namingDeactivated,
  changedGroupSetting,
  groupSetting,
  onlyUser,
  requireMember,
  type SettingChange,
  forgetPlaces,
} from '../access/group-setting.js';
import {
  channelsNaming,
  captureVisibility,
  emitVisibilityDiff,
} from '../channels/channel-visibility.js';
import { requireFewPairs } from '../channels/channel-viewers.js';
import { emitGroupActivation, emitGroupCreated, emitGroupProperty } from '../views/group-events.js';
import { membersOf } from '../access/group-members.js';
import { ascending, usableSubgroup } from './group-membership.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** What mentions everybody, and what a group of that name would be taken for. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  ['all', 'everyone', 'channel', 'stream', 'topic', 'here'].flatMap(lookKeys),
);
/** Reserved for mentions and system groups. */
const RESERVED_PREFIXES = ['@', 'role:', 'user:', 'stream:', 'channel:'] as const;

/**
 * Trims and checks a group's name (errors-by-endpoint.md#by-endpoint).
 * @param groupId the group that gets the name; null for a new group
 * @throws ApiError
 */
export function checkedGroupName(
  org: Organization,
  raw: string,
  groupId: number | null = null,
): string {
  const name = raw.trim();
  if (name === '') throw badRequest("User group name can't be empty!");
  if ([...name].length > MAX_GROUP_NAME_LENGTH) {
    throw badRequest(`User group name cannot exceed ${MAX_GROUP_NAME_LENGTH} characters.`);
  }
  for (const prefix of RESERVED_PREFIXES) {
    if (nameKey(name).startsWith(prefix)) {
      throw badRequest(`User group name cannot start with '${prefix}'.`);
    }
  }
  if (lookKeys(name).some((key) => RESERVED_NAMES.has(key))) {
    throw badRequest(`User group name '${name}' is reserved.`);
  }
  const position = invalidCharacterAt(name);
  if (position !== null) {
    throw badRequest(`Invalid character in user group name, at position ${position}!`);
  }
  const holder = org.groups.byName(name);
  if (holder && holder.id !== groupId) throw badRequest(`User group '${name}' already exists.`);
  return name;
}

/** A new group, as in requests; absent permissions get their defaults. */
type GroupRequest = {
  readonly name: string;
  readonly description: string;
  readonly members: readonly number[];
  readonly subgroups?: readonly number[];
} & { readonly [K in GroupPermission]?: GroupSettingValue };

/**
 * Creates a group. The caller has checked the creator's right.
 * @throws ApiError when the request names a user or group that does not exist or may not be used
 */
export function createGroup(
  tx: Transaction,
  creator: UserDocument,
  request: GroupRequest,
): GroupDocument {
  const { org } = tx;
  const name = checkedGroupName(org, request.name);
  const members = ascending(request.members);
  for (const id of members) requireMember(org, id);
  const direct_subgroup_ids = ascending(request.subgroups);
  for (const id of direct_subgroup_ids) usableSubgroup(org, id);
  const permissions = newPermissions(org, creator, request);
  const group = org.groups.insert({
    id: org.counters.next('user_group'),
    name,
    description: request.description,
    creator_id: creator.user_id,
    date_created: tx.seconds,
    is_system_group: false,
    members,
    direct_subgroup_ids,
    deactivated: false,
    ...permissions,
  });
  emitGroupCreated(tx, group);
  return group;
}

function newPermissions(
  org: Organization,
  creator: UserDocument,
  request: GroupRequest,
): Record<GroupPermission, GroupSettingValue> {
  const value = (name: GroupPermission): GroupSettingValue => {
    const rules = GROUP_PERMISSION_SETTINGS[name];
    const given = request[name];
    if (given !== undefined) return groupSetting(org, name, rules, given);
    const byDefault = rules.default_group_name;
    return byDefault === 'group_creator'
      ? onlyUser(org, creator.user_id)
      : org.groups.system(byDefault as SystemGroupName).id;
  };
  const entries = GROUP_PERMISSIONS.map((name) => [name, value(name)] as const);
  return Object.fromEntries(entries) as Record<GroupPermission, GroupSettingValue>;
}

/** New values of a group's own fields (specification-endpoints.md#update-user-group). */
type GroupChange = {
  readonly name?: string;
  readonly description?: string;
  /** `false` reactivates, `true` does nothing. */
  readonly deactivated?: boolean;
} & { readonly [K in GroupPermission]?: SettingChange };

/**
 * Changes a group and emits one event per changed property. Checks everything before the first write:
 * a request applies whole or not at all.
 * @throws ApiError
 */
export function changeGroup(tx: Transaction, group: GroupDocument, change: GroupChange): void {
  const { org } = tx;
  const fields = changedFields(org, group, change);
  const returns = change.deactivated === false && group.deactivated;
  if (returns) requireUsableGroups(org, { ...group, ...fields });
  // First: clients that hide deactivated groups must have it before they get its changes.
  if (returns) setDeactivated(tx, group, false);
  forgetPlaces(
    tx,
    `group ${group.id}`,
    GROUP_PERMISSIONS.filter((name) => name in fields),
  );
  for (const [name, value] of Object.entries(fields)) {
    emitGroupProperty(tx, org.groups.update(group.id, { [name]: value }), { [name]: value });
  }
}

function changedFields(
  org: Organization,
  group: GroupDocument,
  change: GroupChange,
): Partial<GroupDocument> {
  const fields: Partial<GroupDocument> = {};
  if (change.name !== undefined && change.name.trim() !== group.name) {
    fields.name = checkedGroupName(org, change.name, group.id);
  }
  const { description } = change;
  if (description !== undefined && description !== group.description) {
    fields.description = description;
  }
  for (const name of GROUP_PERMISSIONS) {
    const asked = change[name];
    if (!asked) continue;
    const rules = GROUP_PERMISSION_SETTINGS[name];
    const value = changedGroupSetting(org, name, rules, group[name], asked);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/**
 * Deactivates an active group.
 * @throws ApiError `CANNOT_DEACTIVATE_GROUP_IN_USE` with everything that uses it
 */
export function deactivateGroup(tx: Transaction, group: GroupDocument): void {
  const objections = objectionsTo(tx.org, group.id);
  if (objections.length > 0) throw groupInUse(objections);
  setDeactivated(tx, group, true);
}

/**
 * Refuses to reactivate a group that names deactivated ones.
 * @throws ApiError with the `objections` that their deactivation would have had
 */
function requireUsableGroups(org: Organization, group: GroupDocument): void {
  const objections: GroupObjection[] = [];
  if (group.direct_subgroup_ids.some((id) => org.groups.get(id)?.deactivated)) {
    objections.push({ type: 'subgroup', supergroup_ids: [group.id] });
  }
  const settings = namingDeactivated(org, group, GROUP_PERMISSIONS, group.id);
  if (settings.length > 0) objections.push({ type: 'user_group', group_id: group.id, settings });
  if (objections.length > 0) throw deactivatedGroupInUse(objections);
}

function setDeactivated(tx: Transaction, group: GroupDocument, deactivated: boolean): void {
  const { org } = tx;
  // Members lose access to archived channels that name the group.
  const members = membersOf(org, group);
  const channels = channelsNaming(org, [group.id]);
  requireFewPairs(members, channels, !deactivated);
  const former = captureVisibility(org, members, channels);
  emitGroupActivation(tx, org.groups.update(group.id, { deactivated }));
  emitVisibilityDiff(tx, former);
}

/** Uses of a group (errors.md#codes, in that order); archived channels and deactivated groups do not count. */
function objectionsTo(org: Organization, groupId: number): GroupObjection[] {
  const objections: GroupObjection[] = [];
  const supergroup_ids: number[] = [];
  const groups: GroupObjection[] = [];
  for (const group of org.groups.values()) {
    if (group.deactivated) continue;
    if (group.direct_subgroup_ids.includes(groupId)) supergroup_ids.push(group.id);
    const settings = naming(group, GROUP_PERMISSIONS, groupId);
    // A group's permissions on itself end with it.
    if (settings.length > 0 && group.id !== groupId) {
      groups.push({ type: 'user_group', group_id: group.id, settings });
    }
  }
  if (supergroup_ids.length > 0) objections.push({ type: 'subgroup', supergroup_ids });
  for (const channel of org.channels.values()) {
    const settings = naming(channel, CHANNEL_PERMISSIONS, groupId);
    if (channel.is_archived || settings.length === 0) continue;
    objections.push({ type: 'channel', channel_id: channel.stream_id, settings });
  }
  objections.push(...groups);
  const settings = naming(org.realm.current, REALM_PERMISSIONS, groupId);
  if (settings.length > 0) objections.push({ type: 'realm', settings });
  return objections;
}
