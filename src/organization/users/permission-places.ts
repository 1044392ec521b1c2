import {
  CHANNEL_PERMISSIONS,
  type ChannelDocument,
  type ChannelPermission,
} from '../../../schemas/channels/channel.js';
import {
  GROUP_PERMISSIONS,
  type GroupDocument,
  type GroupPermission,
  type GroupSettingValue,
} from '../../../schemas/groups/user-group.js';
import {
  CHANNEL_PERMISSION_SETTINGS,
  GROUP_PERMISSION_SETTINGS,
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
  type RealmPermission,
} from '../../../schemas/groups/permissions.js';
import { withMember, withoutMember, placeOf } from '../access/group-setting.js';
import { ChannelAudiences } from '../channels/channel-viewers.js';
import { emitChannelUpdate } from '../views/channel-events.js';
import { emitRealmUpdateDict, sharedSettings } from '../views/realm-events.js';
import { emitGroupProperty } from '../views/group-events.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Values of the organization, of a group or of a channel that a user's leaving or return changes; `fresh` makes one of
 * the present value, and undefined where it stays.
 */
type Fresh<K extends string> = (name: K, value: GroupSettingValue) => GroupSettingValue | undefined;

/**
 * Takes a deactivated user out of every permission value of the organization, of groups and of channels, and keeps in
 * mind where they stood (endpoints-groups.md#deactivated-members).
 */
export function vacatePlaces(tx: Transaction, userId: number): void {
  const { org } = tx;
  const vacated: string[] = [];
  const leave =
    <K extends string>(
      rules: Readonly<Record<K, Parameters<typeof withoutMember>[1]>>,
      of: string,
    ) =>
    (name: K, value: GroupSettingValue): GroupSettingValue | undefined => {
      const rest = withoutMember(org, rules[name], value, userId);
      if (rest !== undefined) vacated.push(placeOf(of, name));
      return rest;
    };
  changeRealm(tx, leave(REALM_PERMISSION_SETTINGS, 'realm'));
  for (const group of [...org.groups.values()]) {
    changeGroup(tx, group, leave(GROUP_PERMISSION_SETTINGS, `group ${group.id}`));
  }
  const audiences = new ChannelAudiences(org);
  for (const channel of [...org.channels.values()]) {
    changeChannel(
      tx,
      channel,
      audiences,
      leave(CHANNEL_PERMISSION_SETTINGS, `channel ${channel.stream_id}`),
    );
  }
  if (vacated.length > 0) org.users.update(userId, { vacated });
}

/** Puts a user who is active again where they stood, but for values that somebody has set since. */
export function takePlaces(tx: Transaction, userId: number): void {
  const { org } = tx;
  const vacated = new Set(org.users.get(userId)?.vacated);
  if (vacated.size === 0) return;
  const back =
    <K extends string>(of: string) =>
    (name: K, value: GroupSettingValue): GroupSettingValue | undefined =>
      vacated.has(placeOf(of, name)) ? withMember(org, value, userId) : undefined;
  changeRealm(tx, back('realm'));
  for (const group of [...org.groups.values()]) changeGroup(tx, group, back(`group ${group.id}`));
  const audiences = new ChannelAudiences(org);
  for (const channel of [...org.channels.values()]) {
    changeChannel(tx, channel, audiences, back(`channel ${channel.stream_id}`));
  }
  org.users.update(userId, { vacated: [] });
}

function changeRealm(tx: Transaction, fresh: Fresh<RealmPermission>): void {
  const { org } = tx;
  const data: Partial<Record<RealmPermission, GroupSettingValue>> = {};
  for (const name of REALM_PERMISSIONS) {
    const value = fresh(name, org.realm.current[name]);
    if (value !== undefined) data[name] = value;
  }
  if (Object.keys(data).length === 0) return;
  org.realm.update('realm', data);
  emitRealmUpdateDict(tx, sharedSettings(data));
}

function changeGroup(tx: Transaction, group: GroupDocument, fresh: Fresh<GroupPermission>): void {
  for (const name of GROUP_PERMISSIONS) {
    const value = fresh(name, group[name]);
    if (value === undefined) continue;
    tx.org.groups.update(group.id, { [name]: value });
    emitGroupProperty(tx, group, { [name]: value });
  }
}

function changeChannel(
  tx: Transaction,
  channel: ChannelDocument,
  audiences: ChannelAudiences,
  fresh: Fresh<ChannelPermission>,
): void {
  const { org } = tx;
  const { stream_id } = channel;
  for (const property of CHANNEL_PERMISSIONS) {
    const value = fresh(property, channel[property]);
    if (value === undefined) continue;
    const changed = org.channels.update(stream_id, { [property]: value });
    emitChannelUpdate(tx, channel, { property, value }, audiences.of(changed));
  }
}
