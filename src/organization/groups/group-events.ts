import type { GroupProperties } from '../../../schemas/groups/user-group-events.js';
import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import type { Audience } from '../../journal/entry.js';
import type { GroupActivation, GroupChanged } from '../../journal/renderers/user-group.js';
import { groupView } from '../access/group-members.js';
import { without } from '../access/permissions.js';
import { sharesOf } from '../views/access-change.js';
import type { Transaction } from '../state/transaction.js';

/** Marks an event about a deactivated group for queues that hide such groups. */
function hiddenMark(group: GroupDocument): { hidden?: true } {
  return group.deactivated ? { hidden: true } : {};
}

/** Emits `user_group` add to everybody, with the members whom they may see. */
export function emitGroupCreated(tx: Transaction, group: GroupDocument): void {
  const whole = groupView(tx.org, group);
  const shares = sharesOf(tx, whole.members);
  tx.emit('user_group', exceptOf(shares), { op: 'add', group: whole });
  for (const { viewerIds: users, userIds: members } of shares) {
    tx.emit(
      'user_group',
      { to: 'users', users },
      { op: 'add', group: { ...whole, members: [...members] } },
    );
  }
}

/** Emits added or removed direct members to everybody who may see them; nothing when there are none. */
export function emitGroupMembers(
  tx: Transaction,
  op: 'add_members' | 'remove_members',
  group: GroupDocument,
  user_ids: readonly number[],
): void {
  if (user_ids.length === 0) return;
  const data = (ids: readonly number[]): GroupChanged => ({
    op,
    group_id: group.id,
    user_ids: ids,
    ...hiddenMark(group),
  });
  const shares = sharesOf(tx, user_ids);
  tx.emit('user_group', exceptOf(shares), data(user_ids));
  for (const { viewerIds: users, userIds } of shares) {
    if (userIds.length > 0) tx.emit('user_group', { to: 'users', users }, data(userIds));
  }
}

/** Everybody but those who get an event of their own. */
function exceptOf(shares: ReturnType<typeof sharesOf>): Audience {
  return without(
    { to: 'all' },
    shares.flatMap(({ viewerIds }) => viewerIds),
  );
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
  const data = (members: readonly number[]): GroupActivation => ({
    op: 'update',
    group_id: group.id,
    data: { deactivated: group.deactivated },
    group: { ...whole, members: [...members] },
  });
  const shares = sharesOf(tx, whole.members);
  tx.emit('user_group', exceptOf(shares), data(whole.members));
  for (const { viewerIds: users, userIds } of shares) {
    tx.emit('user_group', { to: 'users', users }, data(userIds));
  }
}
