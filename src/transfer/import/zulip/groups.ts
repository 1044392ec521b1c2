/** User groups of a Zulip export. */
import {
  GROUP_PERMISSION_SETTINGS,
  SYSTEM_GROUPS,
  type SystemGroupName,
} from '../../../../schemas/groups/permissions.js';
import { GROUP_PERMISSIONS, groupPermissions } from '../../../../schemas/groups/user-group.js';
import { MAX_GROUP_DESCRIPTION_LENGTH, MAX_GROUP_NAME_LENGTH } from '../../../../schemas/limits.js';
import { checkedGroupName } from '../../../organization/groups/group-changes.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import { withoutInvalidCharacters } from '../../../services/text/stored-text.js';
import { type Omissions, refusalOf } from '../import-job.js';
import { GroupValues } from './group-values.js';
import {
  integer,
  integerOrNull,
  rowsIn,
  secondsIn,
  textIn,
  type LeftOut,
  type RealmFile,
} from './realm-file.js';

/** Ids of system groups in an export, which they keep. */
export function systemGroupIds(file: RealmFile): Map<SystemGroupName, number> {
  const ids = new Map<SystemGroupName, number>();
  for (const row of file.namedGroups) {
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
  for (const row of file.namedGroups) {
    const why = addOne(row);
    if (why !== null) omissions.add(`${rowsIn('zerver_namedusergroup')} ${why}`, String(row['id']));
  }
  file.settle('zerver_namedusergroup', omissions);
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

  function addOne(row: JsonRow): LeftOut {
    const id = groupId(row);
    const system = systemGroupOf(row);
    if (system) values.here.set(id, groups.system(system).id);
    if (system) return null;
    if (row['is_system_group'] === true) return 'that are system groups of no such name here';
    values.here.set(id, id);
    own.push(row);
    const creator = integerOrNull(row, 'creator');
    groups.insert({
      ...groupPermissions(groups.system('role:nobody').id),
      can_mention_group: groups.system('role:everyone').id,
      can_manage_group: groups.system('role:administrators').id,
      id,
      name: nameOf(tx.org, textIn(row, 'name'), id, omissions),
      description: descriptionOf(textIn(row, 'description'), omissions),
      creator_id: creator !== null && users.has(creator) ? creator : null,
      date_created: secondsIn(row, 'date_created') || null,
      is_system_group: false,
      // Whoever comes back is in their groups.
      members: values.membersOf(id, 'all'),
      direct_subgroup_ids: [],
      deactivated: row['deactivated'] === true,
    });
    return null;
  }
}

/** A name that a group may have here. */
function nameOf(org: Organization, given: string, id: number, omissions: Omissions): string {
  const cut = [...withoutInvalidCharacters(given.toWellFormed()).trim()];
  const mended = cut.slice(0, MAX_GROUP_NAME_LENGTH - ` (${id})`.length).join('');
  for (const name of [given, mended, `${mended} (${id})`]) {
    if (refusalOf(() => void checkedGroupName(org, name)) !== null) continue;
    if (name !== given) omissions.add(OTHER_NAME, name);
    return name.trim();
  }
  omissions.add(OTHER_NAME, `group ${id}`);
  return `group ${id}`;
}

const OTHER_NAME =
  'groups with another name here: theirs was empty, too long, taken or not allowed';

function descriptionOf(given: string, omissions: Omissions): string {
  const whole = given.toWellFormed().replaceAll('\0', '');
  const letters = [...whole];
  if (letters.length <= MAX_GROUP_DESCRIPTION_LENGTH) return whole;
  const what = `descriptions of groups above ${MAX_GROUP_DESCRIPTION_LENGTH} characters, which were cut`;
  omissions.add(what, given.slice(0, 40));
  return letters.slice(0, MAX_GROUP_DESCRIPTION_LENGTH).join('');
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
