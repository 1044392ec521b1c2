import type { GroupDocument } from '../../../schemas/groups/group-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { GroupChanged } from '../../journal/renderers/user-group.js';
import { directGroups } from '../access/group-members.js';
import { canSeeUser, hidesUsers, isLimited, seenBy, seenCost } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { limitsPresence, presenceData } from './presence-view.js';
import { emitUserAddTo, emitUserRemove } from './user-events.js';
import { statusObject } from './user-view.js';

/**
 * How long one transaction may look at users, before and after the change together, by the estimates of `lookingCost`; microseconds.
 * Viewers beyond it have their queues ended and register again.
 */
const MAX_LOOKING = 10_000;
/** Users whom one transaction introduces or takes away, each by an event of about 1 kB: some 5 ms. Viewers beyond it as above. */
const MAX_INTRODUCED = 500;

/** Which of some users each of some viewers saw. */
interface Sight {
  readonly viewerId: number;
  readonly userIds: readonly number[];
  /** Null: not looked at, because it would take too long. */
  readonly seen: ReadonlySet<number> | null;
}

/** Who saw whom before a change of subscriptions, conversations, roles or the organization's setting. */
export type FormerAccess = readonly Sight[];

/** Viewers, and the users whom they may gain or lose sight of. */
interface AccessQuestion {
  readonly viewerIds: Iterable<number>;
  readonly userIds: readonly number[];
}

/** Viewers who gained and who lost sight of a user. */
interface Difference {
  readonly user: UserDocument;
  /** Viewers, ascending. */
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

const NOTHING: FormerAccess = [];

/**
 * Captures who sees whom, before a change that {@link emitAccessChange} tells of. Costs nothing where nobody is hidden.
 * @param isSetting the setting itself changes, so that all is captured even where nobody is hidden yet
 */
export function captureAccess(
  org: Organization,
  questions: readonly AccessQuestion[],
  isSetting = false,
): FormerAccess {
  if (!isSetting && !hidesUsers(org)) return NOTHING;
  const former: Sight[] = [];
  let spent = 0;
  for (const { viewerIds, userIds } of questions) {
    for (const viewerId of viewerIds) {
      spent += 2 * lookingCost(org, viewerId, userIds).cost;
      const seen = spent > MAX_LOOKING ? null : seenAmong(org, viewerId, userIds);
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

function seenAmong(
  org: Organization,
  viewerId: number,
  userIds: readonly number[],
): ReadonlySet<number> {
  const viewer = org.users.get(viewerId)!;
  if (!isLimited(org, viewer)) return new Set(userIds);
  if (lookingCost(org, viewerId, userIds).asList) {
    const seen = seenBy(org, viewer)!;
    return new Set(userIds.filter((id) => seen.has(id)));
  }
  return new Set(userIds.filter((id) => canSeeUser(org, viewer, org.users.get(id)!)));
}

/**
 * Emits `realm_user` add to viewers who gained sight of users, with the status and presence that a snapshot would have of them, and
 * `realm_user` remove to those who lost it, and the memberships of groups. Viewers for whom it is too much have their queues ended, so that their clients
 * register again.
 * @param options `tellsGroups`: false where the caller emits the memberships of those who are gained sight of
 */
export function emitAccessChange(
  tx: Transaction,
  former: FormerAccess,
  { tellsGroups = true }: { readonly tellsGroups?: boolean } = {},
): void {
  if (former.length === 0) return;
  const changes = [...differences(tx, former)];
  emitMemberships(tx, changes, 'lost');
  for (const { user, gained, lost } of changes) {
    introduce(tx, user, gained);
    emitUserRemove(tx, user, lost);
  }
  if (tellsGroups) emitMemberships(tx, changes, 'gained');
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
    // Of an account that was just deactivated too: who ceases to see it is not told of its groups in another way.
    for (const group of directGroups(tx.org, { ...user, is_active: true })) {
      const key = `${group.id} ${users.join()}`;
      const event = events.get(key);
      if (event) event.ids.push(user.user_id);
      else events.set(key, { group, users, ids: [user.user_id] });
    }
  }
  for (const { group, users, ids } of events.values()) {
    const hidden = group.deactivated ? { hidden: true as const } : {};
    const data: GroupChanged = { op, group_id: group.id, user_ids: ids.sort(ascending), ...hidden };
    tx.emit('user_group', { to: 'users', users }, data);
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
  const audience = { to: 'users', users: viewerIds } as const;
  const { user_id } = user;
  if (!org.users.active.has(user_id)) return;
  const status = statusObject(org, user);
  if (Object.keys(status).length > 0) tx.emit('user_status', audience, { user_id, ...status });
  const stored = org.presences.get(user_id);
  if (!stored || !limitsPresence(org) || org.realm.current.presence_disabled) return;
  tx.emit('presence', audience, presenceData(tx, user, stored));
}

/** Guests who see the same ones of some users. */
interface Share {
  readonly viewerIds: readonly number[];
  /** Those whom they see; may be empty. */
  readonly userIds: readonly number[];
}

/**
 * Splits an event that names users and goes to all: guests who do not see all of them get one of their own, with those whom they
 * see. Costs nothing where nobody is hidden. Guests beyond the bound have their queues ended.
 */
export function sharesOf(tx: Transaction, userIds: readonly number[]): readonly Share[] {
  const { org } = tx;
  if (userIds.length === 0 || !hidesUsers(org)) return [];
  const shares = new Map<string, { viewerIds: number[]; userIds: readonly number[] }>();
  let spent = 0;
  for (const viewerId of [...org.users.activeGuests].sort(ascending)) {
    spent += lookingCost(org, viewerId, userIds).cost;
    const seen = spent > MAX_LOOKING ? null : seenAmong(org, viewerId, userIds);
    if (seen?.size === userIds.length) continue;
    if (!seen) tx.endQueuesOf(viewerId);
    const some = userIds.filter((id) => seen?.has(id));
    const key = some.join();
    const share = shares.get(key);
    if (share) share.viewerIds.push(viewerId);
    else shares.set(key, { viewerIds: [viewerId], userIds: some });
  }
  return [...shares.values()];
}

/**
 * What it costs to find out which of some users a viewer sees, microseconds, and whether it costs less to list all whom they see
 * than to ask for each: 0.07 µs per channel of the viewer against 3 ns per subscriber of these channels, 0.1 µs per 256 accounts.
 */
function lookingCost(
  org: Organization,
  viewerId: number,
  userIds: readonly number[],
): { readonly cost: number; readonly asList: boolean } {
  const one = 0.1 + 0.07 * org.subscriptions.ofUser(viewerId).size;
  const each = userIds.length * one;
  const list = userIds.length * 0.02 + seenCost(org, viewerId) * 0.003 + org.users.ranges * 0.1;
  return { cost: Math.min(each, list), asList: list < each };
}

function ascending(a: number, b: number): number {
  return a - b;
}
