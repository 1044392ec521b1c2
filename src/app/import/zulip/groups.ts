/** User groups of a Zulip export. */
import { groupPermissions } from '../../../../schemas/groups/user-group.js';
import { SYSTEM_GROUPS } from '../../../../schemas/groups/permissions.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import { integer, integerOrNull, secondsIn, textIn, type RealmFile } from './realm-file.js';

/** Adds user groups, once people are there. @returns groups here, by their ids there */
export function addGroups(tx: Transaction, file: RealmFile): Map<number, number> {
  const { groups, users } = tx.org;
  const here = new Map<number, number>();
  const members = new Map<number, number[]>();
  for (const row of file.rows('zerver_usergroupmembership')) {
    const group = integer(row, 'user_group');
    const list = members.get(group) ?? [];
    if (list.length === 0) members.set(group, list);
    list.push(integer(row, 'user_profile'));
  }
  for (const row of file.rows('zerver_namedusergroup')) {
    const id = groupId(row);
    const name = textIn(row, 'name');
    if (row['is_system_group'] === true) {
      const system = SYSTEM_GROUPS.find((one) => one.name === name);
      if (system) here.set(id, groups.system(system.name).id);
      continue;
    }
    here.set(id, id);
    const active = (members.get(id) ?? []).filter((userId) => users.get(userId)?.is_active);
    groups.insert({
      ...groupPermissions(groups.system('role:nobody').id),
      can_mention_group: groups.system('role:everyone').id,
      can_manage_group: groups.system('role:administrators').id,
      id,
      name,
      description: textIn(row, 'description'),
      creator_id: integerOrNull(row, 'creator'),
      date_created: secondsIn(row, 'date_created') || null,
      is_system_group: false,
      members: [...new Set(active)].sort((a, b) => a - b),
      direct_subgroup_ids: [],
      deactivated: row['deactivated'] === true,
    });
  }
  return here;
}

/** A named group is a row that refers to its group, or, in some exports, has the id itself. */
export function groupId(row: JsonRow): number {
  return integerOrNull(row, 'usergroup_ptr') ?? integer(row, 'id');
}
