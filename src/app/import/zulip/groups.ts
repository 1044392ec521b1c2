/** User groups of a Zulip export. */
import {
  GROUP_PERMISSION_SETTINGS,
  SYSTEM_GROUPS,
  type SystemGroupName,
} from '../../../../schemas/groups/permissions.js';
import { GROUP_PERMISSIONS, groupPermissions } from '../../../../schemas/groups/user-group.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { GroupValues } from './group-values.js';
import { integer, integerOrNull, secondsIn, textIn, type RealmFile } from './realm-file.js';

/** Ids of system groups in an export, which they keep. */
export function systemGroupIds(file: RealmFile): Map<SystemGroupName, number> {
  const ids = new Map<SystemGroupName, number>();
  for (const row of file.rows('zerver_namedusergroup')) {
    const system = systemGroupOf(row);
    if (system) ids.set(system, groupId(row));
  }
  return ids;
}

function systemGroupOf(row: JsonRow): SystemGroupName | undefined {
  if (row['is_system_group'] !== true) return undefined;
  return SYSTEM_GROUPS.find((one) => one.name === textIn(row, 'name'))?.name;
}

/** Adds user groups, once people are there. */
export function addGroups(tx: Transaction, file: RealmFile, omissions: Omissions): GroupValues {
  const { groups, users } = tx.org;
  const values = new GroupValues(tx, file, omissions);
  const own: JsonRow[] = [];
  file.each('zerver_namedusergroup', omissions, (row) => {
    const id = groupId(row);
    const system = systemGroupOf(row);
    if (system) values.here.set(id, groups.system(system).id);
    else if (row['is_system_group'] === true) return 'that are system groups of no such name here';
    else if (groups.byName(textIn(row, 'name'))) return 'of the name of another group';
    else {
      values.here.set(id, id);
      own.push(row);
      const creator = integerOrNull(row, 'creator');
      groups.insert({
        ...groupPermissions(groups.system('role:nobody').id),
        can_mention_group: groups.system('role:everyone').id,
        can_manage_group: groups.system('role:administrators').id,
        id,
        name: textIn(row, 'name'),
        description: textIn(row, 'description'),
        creator_id: creator !== null && users.has(creator) ? creator : null,
        date_created: secondsIn(row, 'date_created') || null,
        is_system_group: false,
        members: values.membersOf(id),
        direct_subgroup_ids: [],
        deactivated: row['deactivated'] === true,
      });
    }
    return null;
  });
  // What names other groups comes when all are there.
  for (const row of own) {
    const id = groupId(row);
    const around = (sub: number): boolean => groups.contained(sub).has(id);
    const subgroups = values.subgroupsOf(id);
    for (const sub of subgroups.filter(around)) {
      omissions.miss('subgroups that contain the group that they are in', `${sub} of ${id}`);
    }
    groups.update(id, { direct_subgroup_ids: subgroups.filter((sub) => !around(sub)) });
  }
  for (const row of own) addPermissions(tx, row, values);
  return values;
}

function addPermissions(tx: Transaction, row: JsonRow, values: GroupValues): void {
  const { groups } = tx.org;
  for (const name of GROUP_PERMISSIONS) {
    const rules = GROUP_PERMISSION_SETTINGS[name];
    const value = values.permission(row, name, rules, textIn(row, 'name'));
    if (value !== undefined) groups.update(groupId(row), { [name]: value });
  }
}

/** A named group is a row that refers to its group, or, in some exports, has the id itself. */
export function groupId(row: JsonRow): number {
  return integerOrNull(row, 'usergroup_ptr') ?? integer(row, 'id');
}
