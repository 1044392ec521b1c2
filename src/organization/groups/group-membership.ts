import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import {
  channelsNaming,
  channelsNamingEach,
  captureVisibility,
  emitVisibilityDiff,
} from '../channels/channel-visibility.js';
import { emitGroupMembers, emitGroupSubgroups } from '../views/group-events.js';
import { usersInGroups } from '../access/group-members.js';
import { canAddToGroup, canRemoveFromGroup, insufficient } from '../access/group-rights.js';
import { requireMember } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { allows } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { noticesTo } from '../views/languages.js';
import { MAX_BULK_NEW_SUBSCRIPTION_MESSAGES } from '../../../schemas/limits.js';
import { distinctPermissions, requireFewPairs } from '../channels/channel-viewers.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { mentionFor } from '../messages/message-markup.js';
import { sendNotice } from '../messages/sending/notification-bot.js';

export { canAddToGroup } from '../access/group-rights.js';

/** Changes of a group's direct members and subgroups, as in requests. */
export interface MembershipChange {
  readonly add?: readonly number[];
  readonly delete?: readonly number[];
  readonly add_subgroups?: readonly number[];
  readonly delete_subgroups?: readonly number[];
}

/** A checked {@link MembershipChange}: each id once, ascending. */
interface CheckedChange {
  readonly add: readonly number[];
  readonly delete: readonly number[];
  readonly add_subgroups: readonly number[];
  readonly delete_subgroups: readonly number[];
}

/**
 * Checks a change of a group's members and subgroups (endpoints-groups.md#group-endpoints): first the actor's
 * rights, then the ids. A deactivated group may change too.
 * @throws ApiError before anything is written: a request applies whole or not at all
 */
export function checkedChange(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
  change: MembershipChange,
): CheckedChange {
  const checked = {
    add: ascending(change.add),
    delete: ascending(change.delete),
    add_subgroups: ascending(change.add_subgroups),
    delete_subgroups: ascending(change.delete_subgroups),
  };
  requireRights(org, actor, group, checked);
  const members = new Set(group.members);
  for (const id of checked.add) {
    requireMember(org, id);
    if (members.has(id)) throw badRequest(`User ${id} is already a member of this group`);
  }
  for (const id of checked.delete) {
    if (members.has(id) && org.users.active.has(id)) continue;
    throw badRequest(`There is no member '${id}' in this user group`);
  }
  for (const id of checked.add_subgroups) requireAddableSubgroup(org, group, id);
  for (const id of checked.delete_subgroups) requireSubgroup(org, group, id);
  return checked;
}

/** Whether the actor may add or remove anybody or any group, or some of it. */
export function mayChangeSubgroups(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
): boolean {
  if (group.is_system_group) return false;
  return canAddToGroup(org, actor, group) || canRemoveFromGroup(org, actor, group);
}

/** Whether the actor may add or remove anybody, if only themselves. */
export function mayChangeMembers(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
): boolean {
  if (mayChangeSubgroups(org, actor, group)) return true;
  const { is_system_group, can_join_group, can_leave_group } = group;
  if (is_system_group) return false;
  return allows(org, can_join_group, actor) || allows(org, can_leave_group, actor);
}

/** Users who add or remove only themselves may also use the rights to join and to leave. */
function requireRights(
  org: Organization,
  actor: UserDocument,
  group: GroupDocument,
  change: CheckedChange,
): void {
  if (group.is_system_group) throw insufficient();
  const only = (ids: readonly number[]) => ids.every((id) => id === actor.user_id);
  const adds = change.add.length + change.add_subgroups.length > 0;
  const removes = change.delete.length + change.delete_subgroups.length > 0;
  const joins = change.add_subgroups.length === 0 && only(change.add);
  const leaves = change.delete_subgroups.length === 0 && only(change.delete);
  const mayAdd = () =>
    canAddToGroup(org, actor, group) || (joins && allows(org, group.can_join_group, actor));
  const mayRemove = () =>
    canRemoveFromGroup(org, actor, group) || (leaves && allows(org, group.can_leave_group, actor));
  if ((adds && !mayAdd()) || (removes && !mayRemove())) throw insufficient();
}

/** A group as a subgroup of another. @throws ApiError when there is none, or it is deactivated */
export function usableSubgroup(org: Organization, id: number): GroupDocument {
  const group = org.groups.get(id);
  if (!group) throw badRequest(`Invalid user group ID: ${id}`);
  if (group.deactivated) throw badRequest('User group is deactivated.');
  return group;
}

function requireAddableSubgroup(org: Organization, group: GroupDocument, id: number): void {
  usableSubgroup(org, id);
  if (group.direct_subgroup_ids.includes(id)) {
    throw badRequest(`User group ${id} is already a subgroup of this group.`);
  }
  if (org.groups.contained(id).has(group.id)) {
    throw badRequest(
      `User group ${group.id} is already a subgroup of one of the passed subgroups.`,
    );
  }
}

function requireSubgroup(org: Organization, group: GroupDocument, id: number): void {
  if (!org.groups.has(id)) throw badRequest(`Invalid user group ID: ${id}`);
  if (group.direct_subgroup_ids.includes(id)) return;
  throw badRequest(`User group ${id} is not a subgroup of this group.`);
}

/** Visibility checks per part, made before and after the change: some milliseconds (`captureVisibility`). */
const VISIBILITY_CHECKS = 10_000;
/** Pairs of members and channels per part: each pair may be somebody who gains a channel. */
const PAIRS = 100_000;
/** Members added or removed per part. */
const MEMBERS = 1000;

/** As `changeMembership`, with members in parts, because each costs visibility checks and may gain channels. */
export function* changeMembershipInParts(
  change: PartedChange,
  group: GroupDocument,
  { add, delete: removed, ...subgroups }: CheckedChange,
): Parts<void> {
  const none: readonly number[] = [];
  const channels = channelsNaming(change.org, [group.id]);
  const checks = Math.floor(VISIBILITY_CHECKS / (distinctPermissions(channels) + 1));
  const pairs = Math.floor(PAIRS / (channels.length + 1));
  const size = Math.max(1, Math.min(MEMBERS, checks, pairs));
  const parts = Math.max(1, Math.ceil(Math.max(add.length, removed.length) / size));
  for (let i = 0; i < parts; i++) {
    if (i > 0) yield* change.nextPart();
    const current = change.org.groups.get(group.id);
    if (!current) return;
    const active = (id: number) => i === 0 || change.org.users.active.has(id);
    changeMembership(change.tx, current, {
      add: add.slice(i * size, (i + 1) * size).filter(active),
      delete: removed.slice(i * size, (i + 1) * size),
      ...(i === 0 ? subgroups : { add_subgroups: none, delete_subgroups: none }),
    });
  }
}

/** Applies a checked change; emits members, then subgroups, then gained and lost channels. */
function changeMembership(
  tx: Transaction,
  group: GroupDocument,
  change: CheckedChange,
  naming = channelsNaming(tx.org, [group.id]),
): GroupDocument {
  const { org } = tx;
  const moved = [...change.add_subgroups, ...change.delete_subgroups];
  const affected = new Set([...change.add, ...change.delete]);
  if (moved.length > 0) for (const id of usersInGroups(org, moved)) affected.add(id);
  // For private channels groups decide who sees them; for others, who may post there.
  const hidden = naming.filter((channel) => channel.invite_only);
  const userIds = ascending([...affected]);
  if (moved.length > 0) requireFewPairs(userIds, hidden, change.add_subgroups.length > 0);
  const open = naming.filter((channel) => !channel.invite_only);
  const formers = [captureVisibility(org, userIds, hidden), captureVisibility(org, [], open)];
  const changed = org.groups.update(group.id, {
    members: merged(group.members, change.add, change.delete),
    direct_subgroup_ids: merged(
      group.direct_subgroup_ids,
      change.add_subgroups,
      change.delete_subgroups,
    ),
  });
  emitGroupMembers(tx, 'add_members', changed, change.add);
  emitGroupMembers(tx, 'remove_members', changed, change.delete);
  emitGroupSubgroups(tx, 'add_subgroups', changed, change.add_subgroups);
  emitGroupSubgroups(tx, 'remove_subgroups', changed, change.delete_subgroups);
  for (const former of formers) emitVisibilityDiff(tx, former);
  return changed;
}

/**
 * Adds a user to groups, as the acceptance of an invitation does. Skips groups that were deleted or
 * deactivated, system groups, and groups the user is in already.
 */
export function addToGroups(tx: Transaction, userId: number, groupIds: readonly number[]): void {
  const naming = channelsNamingEach(tx.org);
  for (const id of ascending(groupIds)) {
    const group = tx.org.groups.get(id);
    if (!group || group.deactivated || group.is_system_group) continue;
    if (group.members.includes(userId)) continue;
    const none: readonly number[] = [];
    const change = { add: [userId], delete: none, add_subgroups: none, delete_subgroups: none };
    changeMembership(tx, group, change, naming(id));
  }
}

/** Takes a user out of groups; skips system groups, and groups the user is not in. */
export function removeFromGroups(
  tx: Transaction,
  userId: number,
  groupIds: readonly number[],
): void {
  const naming = channelsNamingEach(tx.org);
  for (const id of ascending(groupIds)) {
    const group = tx.org.groups.get(id);
    if (!group || group.is_system_group || !group.members.includes(userId)) continue;
    const none: readonly number[] = [];
    const change = { add: none, delete: [userId], add_subgroups: none, delete_subgroups: none };
    changeMembership(tx, group, change, naming(id));
  }
}

function merged(
  ids: readonly number[],
  added: readonly number[],
  removed: readonly number[],
): number[] {
  const gone = new Set(removed);
  return ascending([...ids, ...added]).filter((id) => !gone.has(id));
}

/** Ids ascending, each once. */
export function ascending(ids: readonly number[] = []): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

/**
 * Sends a direct message to each person whom somebody else added to a group or removed from it
 * (endpoints-groups.md#group-endpoints), but not to bots, and to nobody when they are too many, as with new
 * subscriptions.
 */
export function postMembersNotice(
  tx: Transaction,
  markdown: Markdown,
  actor: UserDocument,
  group: GroupDocument,
  change: { readonly added: readonly number[]; readonly removed: readonly number[] },
): void {
  const { added, removed } = change;
  if (added.length + removed.length > MAX_BULK_NEW_SUBSCRIPTION_MESSAGES) return;
  const post = (userIds: readonly number[], what: 'group.added' | 'group.removed') => {
    for (const userId of userIds) {
      const user = tx.org.users.get(userId)!;
      if (userId === actor.user_id || user.is_bot || !user.is_active) continue;
      const content = noticesTo(tx.org, userId)(what, {
        actor: mentionFor(tx.org, user, actor),
        group: `@_*${group.name}*`,
      });
      sendNotice(tx, markdown, { users: [user] }, content);
    }
  };
  post(added, 'group.added');
  post(removed, 'group.removed');
}
