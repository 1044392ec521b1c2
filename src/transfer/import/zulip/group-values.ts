/** Who may do what in a Zulip export: a group by its id, or people and groups one by one in a group without a name. */
import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import type { PermissionSetting, SystemGroupName } from '../../../../schemas/groups/permissions.js';
import { ApiError } from '../../../errors/index.js';
import { groupSetting, normalized } from '../../../organization/access/group-setting.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { integer, integerOrNull, type RealmFile } from './realm-file.js';

/** Whom a permission falls to that has no such form here: nobody gains a right. */
const RESTRICTED: SystemGroupName = 'role:administrators';

/** Groups of an export by their ids there: what they have in them, and which of them are here. */
export class GroupValues {
  private readonly members = new Map<number, number[]>();
  private readonly subgroups = new Map<number, number[]>();
  private readonly known: ReadonlySet<number>;
  /** Groups here, by their ids there. */
  readonly here = new Map<number, number>();

  constructor(
    private readonly tx: Transaction,
    file: RealmFile,
    private readonly omissions: Omissions,
  ) {
    const { users } = tx.org;
    // Exports of before groups without a name have no such table.
    this.known = new Set(file.rows('zerver_usergroup').map((row) => integer(row, 'id')));
    file.settle('zerver_usergroup', omissions);
    file.each('zerver_usergroupmembership', omissions, (row) => {
      const userId = integer(row, 'user_profile');
      if (!users.has(userId)) return 'of people who are missing';
      push(this.members, integer(row, 'user_group'), userId);
      return null;
    });
    file.each('zerver_groupgroupmembership', omissions, (row) => {
      push(this.subgroups, integer(row, 'supergroup'), integer(row, 'subgroup'));
      return null;
    });
  }

  /** Direct members, ascending: all of them, or those who are active. */
  membersOf(there: number, which: 'all' | 'active' = 'active'): number[] {
    const { users } = this.tx.org;
    const isMember = (id: number): boolean => which === 'all' || users.get(id)?.is_active === true;
    const found = (this.members.get(there) ?? []).filter(isMember);
    return [...new Set(found)].sort((a, b) => a - b);
  }

  /** Direct subgroups that are here, ascending. */
  subgroupsOf(there: number): number[] {
    const found = (this.subgroups.get(there) ?? []).flatMap((id) => this.here.get(id) ?? []);
    return [...new Set(found)].sort((a, b) => a - b);
  }

  /**
   * What a row says of a permission, if it is one that may be here; else administrators alone have it.
   * @param of whose permission it is, for the operator
   * @returns undefined where the row says nothing
   */
  permission(
    row: JsonRow,
    name: string,
    rules: PermissionSetting<string>,
    of: string,
  ): GroupSettingValue | undefined {
    const there = integerOrNull(row, name);
    if (there === null) return undefined;
    const { org } = this.tx;
    const named = this.here.get(there);
    const isKnown = named !== undefined || this.known.has(there);
    const value =
      named ??
      normalized(org, {
        direct_members: this.membersOf(there),
        direct_subgroups: this.subgroupsOf(there),
      });
    try {
      if (isKnown) return groupSetting(org, name, rules, value);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    this.omissions.add(
      'permissions that have no such form here, for administrators alone',
      `${name} of ${of}`,
    );
    return this.restricted(rules);
  }

  /** The narrowest that a permission without a form here may be. */
  restricted(rules: PermissionSetting<string>): number {
    const { groups } = this.tx.org;
    const allowed = rules.allowed_system_groups;
    const narrow =
      allowed.length === 0 || allowed.includes(RESTRICTED) ? RESTRICTED : 'role:members';
    return groups.system(narrow).id;
  }
}

function push(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
