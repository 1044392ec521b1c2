import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { directGroups } from '../access/group-members.js';
import { hidesUsers } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { emitGroupMembersTo } from './group-events.js';
import { emitPresenceTo } from './presence-view.js';
import { emitStatusTo, emitUserAddTo, emitUserRemove } from './user-events.js';
import { lookupCost, MAX_LOOKUP, seenAmong } from './visible-users.js';

/**
 * Users whom one transaction introduces or takes away, each by an event of about 1 kB: some 5 ms. Viewers beyond it
 * have their queues ended and register again.
 */
const MAX_INTRODUCED = 500;

/** Which of some users each of some viewers saw. */
interface VisibleUsers {
  readonly viewerId: number;
  readonly userIds: readonly number[];
  /** Null: not determined, because it would take too long. */
  readonly seen: ReadonlySet<number> | null;
}

/** Who saw whom before a change of subscriptions, conversations, roles or the organization's setting. */
export type FormerAccess = readonly VisibleUsers[];

/** Viewers, and the users whom they may gain or lose access to. */
interface AccessQuestion {
  readonly viewerIds: Iterable<number>;
  readonly userIds: readonly number[];
}

/** Viewers who gained and who lost access to a user. */
interface Difference {
  readonly user: UserDocument;
  /** Viewers, ascending. */
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

const NOTHING: FormerAccess = [];

/**
 * Captures who sees whom, before a change that {@link emitAccessChange} emits. Costs nothing where nobody is hidden.
 * @param isSetting the setting itself changes, so that all is captured even where nobody is hidden yet
 */
export function captureAccess(
  org: Organization,
  questions: readonly AccessQuestion[],
  isSetting = false,
): FormerAccess {
  if (!isSetting && !hidesUsers(org)) return NOTHING;
  const former: VisibleUsers[] = [];
  let spent = 0;
  for (const { viewerIds, userIds } of questions) {
    for (const viewerId of viewerIds) {
      spent += 2 * lookupCost(org, viewerId, userIds).cost;
      const seen = spent > MAX_LOOKUP ? null : seenAmong(org, viewerId, userIds);
      former.push({ viewerId, userIds, seen });
    }
  }
  return former;
}

/** All users but those whom everybody sees. */
export function knownIds(org: Organization): number[] {
  const ids: number[] = [];
  for (const { user_id, is_bot } of org.users.values()) if (!is_bot) ids.push(user_id);
  return ids.sort((a, b) => a - b);
}

/** The guests among users, for {@link captureAccess}. */
export function guestsAmong(org: Organization, userIds: Iterable<number>): number[] {
  const { activeGuests } = org.users;
  if (activeGuests.size === 0) return [];
  return [...userIds].filter((id) => activeGuests.has(id));
}

/**
 * Emits `realm_user` add to viewers who gained access to users, with the status and presence that a snapshot would have
 * of them, and `realm_user` remove to those who lost it, and the memberships of groups. The queues of viewers with too
 * many changes are ended, so that their clients register again.
 * @param options `emitsGroups`: false where the caller emits the memberships of users who became visible
 */
export function emitAccessChange(
  tx: Transaction,
  former: FormerAccess,
  { emitsGroups = true }: { readonly emitsGroups?: boolean } = {},
): void {
  if (former.length === 0) return;
  const changes = [...differences(tx, former)];
  emitMemberships(tx, changes, 'lost');
  for (const { user, gained, lost } of changes) {
    introduce(tx, user, gained);
    emitUserRemove(tx, user, lost);
  }
  if (emitsGroups) emitMemberships(tx, changes, 'gained');
}

/** Emits the direct memberships of users to viewers from whom groups hid them until now, or hide them from now on. */
function emitMemberships(
  tx: Transaction,
  changes: readonly Difference[],
  kind: 'gained' | 'lost',
): void {
  const op = kind === 'gained' ? 'add_members' : 'remove_members';
  const events = new Map<
    string,
    { group: GroupDocument; users: readonly number[]; ids: number[] }
  >();
  for (const { user, [kind]: users } of changes) {
    if (users.length === 0) continue;
    // Of an account that was just deactivated too: no other event takes it out of the groups of those who no longer see
    // it.
    for (const group of directGroups(tx.org, { ...user, is_active: true })) {
      const key = `${group.id} ${users.join()}`;
      const event = events.get(key);
      if (event) event.ids.push(user.user_id);
      else events.set(key, { group, users, ids: [user.user_id] });
    }
  }
  for (const { group, users, ids } of events.values()) {
    emitGroupMembersTo(tx, op, group, ids.sort(ascending), users);
  }
}

function differences(tx: Transaction, former: FormerAccess): Iterable<Difference> {
  const { org } = tx;
  const found = new Map<number, Difference & { gained: number[]; lost: number[] }>();
  for (const { viewerId, userIds, seen } of former) {
    // Those who lost their account have no queues.
    if (!org.users.active.has(viewerId)) continue;
    const now = seen && seenAmong(org, viewerId, userIds);
    const changed = now ? userIds.filter((id) => seen.has(id) !== now.has(id)) : [];
    const added = changed.filter((id) => !found.has(id)).length;
    if (!now || found.size + added > MAX_INTRODUCED) {
      tx.endQueuesOf(viewerId);
      continue;
    }
    for (const id of changed) {
      let one = found.get(id);
      if (!one) found.set(id, (one = { user: org.users.get(id)!, gained: [], lost: [] }));
      (now.has(id) ? one.gained : one.lost).push(viewerId);
    }
  }
  for (const { gained, lost } of found.values()) {
    gained.sort(ascending);
    lost.sort(ascending);
  }
  return found.values();
}

/** Emits a user to viewers who see them from now on. */
function introduce(tx: Transaction, user: UserDocument, viewerIds: readonly number[]): void {
  const { org } = tx;
  emitUserAddTo(tx, user, viewerIds);
  if (!org.users.active.has(user.user_id)) return;
  emitStatusTo(tx, user, viewerIds);
  emitPresenceTo(tx, user, viewerIds);
}

function ascending(a: number, b: number): number {
  return a - b;
}
