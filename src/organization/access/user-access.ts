import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { Audience } from '../../journal/entry.js';
import type { Organization } from '../state/organization.js';
import { RANGE_SIZE } from '../state/user-collections.js';
import { without } from './permissions.js';

/**
 * Whom a viewer may see: ACCESS(u) of event-queues.md#notation. Nothing else decides it.
 *
 * Everybody sees everybody, except guests whom `can_access_all_users_group` leaves out: they see themselves, bots, the
 * active subscribers of channels that they subscribe to, and whom they have written with. This follows from accounts,
 * subscriptions and conversations each time it is asked, so it is the same on every node and nothing has to be kept in
 * step. Where nobody is hidden, and for members, it costs one comparison.
 */
export function canSeeUser(org: Organization, viewer: UserDocument, user: UserDocument): boolean {
  return !isLimited(org, viewer) || user.is_bot || isAcquainted(org, viewer.user_id, user.user_id);
}

/** Whether guests see only some of the users. */
export function hidesUsers(org: Organization): boolean {
  return org.realm.current.can_access_all_users_group !== org.groups.system('role:everyone').id;
}

/** Whether the viewer sees only some of the users. */
export function isLimited(org: Organization, viewer: UserDocument): boolean {
  return viewer.role === ROLE.guest && hidesUsers(org);
}

/**
 * Whether two users are the same, share a channel, or have written with each other. Costs a look-up for each channel
 * and conversation of the one who has fewer.
 */
function isAcquainted(org: Organization, viewerId: number, userId: number): boolean {
  if (viewerId === userId) return true;
  const { subscriptions, conversations } = org;
  if (org.users.active.has(userId)) {
    const [fewer, more] = bySize(subscriptions.ofUser(viewerId), subscriptions.ofUser(userId));
    for (const [streamId, { active }] of fewer) {
      if (active && more.get(streamId)?.active) return true;
    }
  }
  const [fewer, more] = bySize(conversations.ofUser(viewerId), conversations.ofUser(userId));
  for (const id of fewer) if (more.has(id)) return true;
  return false;
}

function bySize<T extends { readonly size: number }>(a: T, b: T): [fewer: T, more: T] {
  return a.size <= b.size ? [a, b] : [b, a];
}

/** Whom a viewer sees at one moment, for lists of users. */
export interface SeenUsers {
  has(userId: number): boolean;
  /** Changes with the users of a range of ids whom the viewer sees. */
  stamp(range: number): number;
}

/** As {@link canSeeUser}, at {@link seenCost}; null: the viewer sees everybody. */
export function seenBy(org: Organization, viewer: UserDocument): SeenUsers | null {
  return isLimited(org, viewer) ? new SeenByGuest(org, viewer.user_id) : null;
}

/** Users that {@link seenBy} looks at; a million take about 3 ms. */
export function seenCost(org: Organization, viewerId: number): number {
  let cost = 0;
  for (const { stream_id, active } of org.subscriptions.ofUser(viewerId).values()) {
    if (active) cost += org.subscriptions.subscriberCount(stream_id);
  }
  return cost;
}

class SeenByGuest implements SeenUsers {
  /** 1 for each user seen, by id. */
  private readonly marks: Uint8Array;

  constructor(org: Organization, viewerId: number) {
    const { subscriptions, conversations, users } = org;
    const marks = new Uint8Array(users.ranges * RANGE_SIZE);
    for (const { stream_id, active } of subscriptions.ofUser(viewerId).values()) {
      if (active) for (const id of subscriptions.subscribers(stream_id)) marks[id] = 1;
    }
    for (const id of users.inactive) marks[id] = 0;
    for (const recipientId of conversations.ofUser(viewerId)) {
      for (const id of conversations.get(recipientId)!.user_ids) marks[id] = 1;
    }
    for (const id of users.bots) marks[id] = 1;
    for (const id of users.systemBots) marks[id] = 1;
    marks[viewerId] = 1;
    this.marks = marks;
  }

  has(userId: number): boolean {
    return this.marks[userId] === 1;
  }

  stamp(range: number): number {
    let hash = 0;
    const end = (range + 1) * RANGE_SIZE;
    // A prime above the square root of the modulus, which keeps products below 2^53.
    for (let id = range * RANGE_SIZE; id < end; id++) {
      hash = (hash * 65_599 + this.marks[id]! + 1) % 68_719_476_731;
    }
    return hash;
  }
}

const NOBODY: readonly number[] = [];

/**
 * Active guests who do not see the user, ascending. Costs one comparison where nobody is hidden, else {@link
 * canSeeUser} per guest.
 */
export function guestsWithoutAccess(org: Organization, user: UserDocument): readonly number[] {
  const { activeGuests } = org.users;
  if (user.is_bot || activeGuests.size === 0 || !hidesUsers(org)) return NOBODY;
  const blind = [...activeGuests].filter((id) => !isAcquainted(org, id, user.user_id));
  return blind.sort((a, b) => a - b);
}

/** An audience of events about a user, without those who do not see them: ACCESS(u), where it is everybody. */
export function withAccessTo(
  org: Organization,
  user: UserDocument,
  audience: Audience = { to: 'all' },
): Audience {
  return without(audience, guestsWithoutAccess(org, user));
}
