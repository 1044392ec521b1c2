import type { GroupDocument, GroupSettingValue } from '../../../schemas/groups/user-group.js';
import {
  allowsSystemGroup,
  type PermissionSetting,
  type SystemGroupName,
} from '../../../schemas/groups/permissions.js';
import {
  badRequest,
  expectationMismatch,
  systemGroupRequired,
  type ApiError,
} from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** The values that a setting permits; its default is not used here. */
type SettingRules = PermissionSetting<string>;

/**
 * Checks a permission value of a client and normalizes it (endpoints-groups.md#group-setting-values): ids
 * ascend without duplicates, and a value that equals one group is its id.
 *
 * @param name the setting, for error messages
 * @throws ApiError for an unknown or unusable user or group
 */
export function groupSetting(
  org: Organization,
  name: string,
  rules: SettingRules,
  input: GroupSettingValue,
): GroupSettingValue {
  const value = normalized(org, input);
  if (typeof value === 'number') {
    // One group in an object equals that group, but is refused with the error of a list.
    const text = typeof input === 'number' ? 'Invalid user group' : unknownSubgroup(value);
    requireAllowed(
      name,
      rules,
      usableGroup(org, value, () => badRequest(text)),
    );
    return value;
  }
  if (rules.require_system_group) throw systemGroupRequired(name);
  for (const id of value.direct_subgroups) {
    const unknown = () => badRequest(unknownSubgroup(id));
    requireAllowed(name, rules, usableGroup(org, id, unknown));
  }
  for (const id of value.direct_members) requireMember(org, id);
  return value;
}

/** A change of a permission value as a client sent it (specification-resources.md#group-setting-value). */
export interface SettingChange {
  readonly new: GroupSettingValue;
  readonly old?: GroupSettingValue;
}

/**
 * Checks a change of a permission value (endpoints-groups.md#group-setting-values).
 *
 * @returns the new value in stored form; undefined where it equals the current one
 * @throws ApiError `EXPECTATION_MISMATCH` when `old` is not the current value; else as `groupSetting`
 */
export function changedGroupSetting(
  org: Organization,
  name: string,
  rules: SettingRules,
  current: GroupSettingValue,
  change: SettingChange,
): GroupSettingValue | undefined {
  const { old } = change;
  if (old !== undefined && !sameGroupSetting(normalized(org, old), current)) {
    throw expectationMismatch('old');
  }
  if (sameGroupSetting(normalized(org, change.new), current)) return undefined;
  return groupSetting(org, name, rules, change.new);
}

/**
 * The value without a user, in stored form; undefined where it did not name them. Where nobody is left and
 * the setting does not permit `role:nobody`, it becomes its default.
 */
export function withoutMember(
  org: Organization,
  rules: SettingRules,
  value: GroupSettingValue,
  userId: number,
): GroupSettingValue | undefined {
  if (typeof value === 'number' || !value.direct_members.includes(userId)) return undefined;
  const direct_members = value.direct_members.filter((id) => id !== userId);
  const rest = normalized(org, { ...value, direct_members });
  if (rules.allow_nobody_group || rest !== org.groups.system('role:nobody').id) return rest;
  return org.groups.system(rules.default_group_name as SystemGroupName).id;
}

/** The value with a user, in stored form; undefined where it names them already. */
export function withMember(
  org: Organization,
  value: GroupSettingValue,
  userId: number,
): GroupSettingValue | undefined {
  if (typeof value === 'number') {
    const isNobody = value === org.groups.system('role:nobody').id;
    return { direct_members: [userId], direct_subgroups: isNobody ? [] : [value] };
  }
  if (value.direct_members.includes(userId)) return undefined;
  const at = value.direct_members.findIndex((id) => id > userId);
  const direct_members = [...value.direct_members];
  direct_members.splice(at < 0 ? direct_members.length : at, 0, userId);
  return normalized(org, { ...value, direct_members });
}

/** Whether two values in stored form are equal. */
export function sameGroupSetting(a: GroupSettingValue, b: GroupSettingValue): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b;
  return (
    sameIds(a.direct_members, b.direct_members) && sameIds(a.direct_subgroups, b.direct_subgroups)
  );
}

/** The value that means one user only, or nobody. */
export function onlyUser(org: Organization, userId: number | null): GroupSettingValue {
  if (userId === null) return org.groups.system('role:nobody').id;
  return { direct_members: [userId], direct_subgroups: [] };
}

/** Normalizes a value without checking it. */
export function normalized(org: Organization, input: GroupSettingValue): GroupSettingValue {
  if (typeof input === 'number') return input;
  const direct_members = ascending(input.direct_members);
  const direct_subgroups = ascending(input.direct_subgroups);
  if (direct_members.length > 0 || direct_subgroups.length > 1) {
    return { direct_members, direct_subgroups };
  }
  return direct_subgroups[0] ?? org.groups.system('role:nobody').id;
}

function unknownSubgroup(id: number): string {
  return `Invalid user group ID: ${id}`;
}

function usableGroup(org: Organization, id: number, unknown: () => ApiError): GroupDocument {
  const group = org.groups.get(id);
  if (!group) throw unknown();
  if (group.deactivated) throw badRequest('User group is deactivated.');
  return group;
}

function requireAllowed(name: string, rules: SettingRules, group: GroupDocument): void {
  if (!group.is_system_group) {
    if (rules.require_system_group) throw systemGroupRequired(name);
    return;
  }
  if (!allowsSystemGroup(rules as PermissionSetting, group.name as SystemGroupName)) {
    throw badRequest(`'${name}' setting cannot be set to '${group.name}' group.`);
  }
}

/** @throws ApiError for an unknown or deactivated user */
export function requireMember(org: Organization, id: number): void {
  const user = org.users.get(id);
  if (!user || user.is_system_bot) throw badRequest(`Invalid user ID: ${id}`);
  if (!user.is_active) throw badRequest(`User with ID ${id} is deactivated`);
}

function ascending(ids: readonly number[]): number[] {
  // Values of a store are: sorting thousands of ids again would take longer than the rest.
  if (ids.every((id, i) => i === 0 || id > ids[i - 1]!)) return [...ids];
  return [...new Set(ids)].sort((a, b) => a - b);
}

function sameIds(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

type Holder<K extends string> = Readonly<Record<K, GroupSettingValue>>;

/** Names of the settings that refer to the group. */
export function naming<K extends string>(
  holder: Holder<K>,
  settings: readonly K[],
  groupId: number,
): K[] {
  return settings.filter((name) => groupsIn(holder[name]).includes(groupId));
}

/** Names of the settings that refer to deactivated groups. @param own a group that does not count */
export function namingDeactivated<K extends string>(
  org: Organization,
  holder: Holder<K>,
  settings: readonly K[],
  own?: number,
): K[] {
  return settings.filter((name) =>
    groupsIn(holder[name]).some((id) => id !== own && org.groups.get(id)?.deactivated === true),
  );
}

function groupsIn(value: GroupSettingValue): readonly number[] {
  return typeof value === 'number' ? [value] : value.direct_subgroups;
}

/** Name of a place in permission values. @param of `realm`, `group {id}` or `channel {id}` */
export function placeOf(of: string, permission: string): string {
  return `${of} ${permission}`;
}

/**
 * Forgets who stood in permission values before they were deactivated, because somebody sets these values now
 * (endpoints-groups.md#deactivated-members).
 */
export function forgetPlaces(tx: Transaction, of: string, permissions: readonly string[]): void {
  if (permissions.length === 0) return;
  const { users } = tx.org;
  const gone = new Set(permissions.map((permission) => placeOf(of, permission)));
  for (const { user_id, vacated = [] } of [...users.values()]) {
    const kept = vacated.filter((place) => !gone.has(place));
    if (kept.length < vacated.length) users.update(user_id, { vacated: kept });
  }
}
