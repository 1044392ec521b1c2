/** The only place that emits `user_group` (events-people.md#people). */
import type { GroupDocument, GroupProperties } from '../../../schemas/groups/user-group.js';
import type { Audience } from '../../journal/entry.js';
import type { GroupChanged, GroupData } from '../../journal/renderers/user-group.js';
import { groupView } from '../access/group-members.js';
import { without } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { sharesOf } from './visible-users.js';

/** Marks an event about a deactivated group for queues that hide such groups. */
function hiddenMark(group: GroupDocument): { hidden?: true } {
  return group.deactivated ? { hidden: true } : {};
}

/** Emits `user_group` about some users to everybody: viewers get those whom they may see. */
function emitByAccess(
  tx: Transaction,
  userIds: readonly number[],
  dataOf: (userIds: readonly number[]) => GroupData | null,
): void {
  const shares = sharesOf(tx, userIds);
  const emit = (to: Audience, data: GroupData | null): void => {
    if (data) tx.emit('user_group', to, data);
  };
  const limited = shares.flatMap(({ viewerIds }) => viewerIds);
  emit(without({ to: 'all' }, limited), dataOf(userIds));
  for (const { viewerIds: users, userIds: seen } of shares) {
    emit({ to: 'users', users }, dataOf(seen));
  }
}

/** Emits `user_group` add to everybody, with the members whom they may see. */
export function emitGroupCreated(tx: Transaction, group: GroupDocument): void {
  const whole = groupView(tx.org, group);
  emitByAccess(tx, whole.members, (ids) => {
    return { op: 'add', group: { ...whole, members: [...ids] } };
  });
}

/** Emits added or removed direct members to everybody who may see them; nothing when there are none. */
export function emitGroupMembers(
  tx: Transaction,
  op: 'add_members' | 'remove_members',
  group: GroupDocument,
  user_ids: readonly number[],
): void {
  emitByAccess(tx, user_ids, (ids) => {
    if (ids.length === 0) return null;
    return { op, group_id: group.id, user_ids: ids, ...hiddenMark(group) };
  });
}

/** Emits direct members to viewers who gained or lost access to them. */
export function emitGroupMembersTo(
  tx: Transaction,
  op: 'add_members' | 'remove_members',
  group: GroupDocument,
  user_ids: readonly number[],
  viewerIds: readonly number[],
): void {
  const data: GroupChanged = { op, group_id: group.id, user_ids, ...hiddenMark(group) };
  tx.emit('user_group', { to: 'users', users: viewerIds }, data);
}

/** Emits added or removed direct subgroups; nothing when there are none. */
export function emitGroupSubgroups(
  tx: Transaction,
  op: 'add_subgroups' | 'remove_subgroups',
  group: GroupDocument,
  direct_subgroup_ids: readonly number[],
): void {
  if (direct_subgroup_ids.length === 0) return;
  const data: GroupChanged = { op, group_id: group.id, direct_subgroup_ids, ...hiddenMark(group) };
  tx.emit('user_group', { to: 'all' }, data);
}

/** Emits one changed property. */
export function emitGroupProperty(
  tx: Transaction,
  group: GroupDocument,
  data: GroupProperties,
): void {
  const changed: GroupChanged = { op: 'update', group_id: group.id, data, ...hiddenMark(group) };
  tx.emit('user_group', { to: 'all' }, changed);
}

/** Emits that a group was deactivated or reactivated. */
export function emitGroupActivation(tx: Transaction, group: GroupDocument): void {
  const whole = groupView(tx.org, group);
  emitByAccess(tx, whole.members, (ids) => ({
    op: 'update',
    group_id: group.id,
    data: { deactivated: group.deactivated },
    group: { ...whole, members: [...ids] },
  }));
}
