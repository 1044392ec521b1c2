import type { GroupProperties } from '../../../schemas/groups/user-group-events.js';
import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import type { GroupActivation, GroupChanged } from '../../journal/renderers/user-group.js';
import { groupView } from '../access/group-members.js';
import type { Transaction } from '../state/transaction.js';

/** Marks an event about a deactivated group for queues that hide such groups. */
function hiddenMark(group: GroupDocument): { hidden?: true } {
  return group.deactivated ? { hidden: true } : {};
}

/** Emits `user_group` add to everybody. */
export function emitGroupCreated(tx: Transaction, group: GroupDocument): void {
  tx.emit('user_group', { to: 'all' }, { op: 'add', group: groupView(tx.org, group) });
}

/** Emits added or removed direct members; nothing when there are none. */
export function emitGroupMembers(
  tx: Transaction,
  op: 'add_members' | 'remove_members',
  group: GroupDocument,
  user_ids: readonly number[],
): void {
  if (user_ids.length === 0) return;
  const data: GroupChanged = { op, group_id: group.id, user_ids, ...hiddenMark(group) };
  tx.emit('user_group', { to: 'all' }, data);
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
  const data: GroupActivation = {
    op: 'update',
    group_id: group.id,
    data: { deactivated: group.deactivated },
    group: groupView(tx.org, group),
  };
  tx.emit('user_group', { to: 'all' }, data);
}
