import type { Audience } from '../entry.js';

/** What replay needs to know of channel membership; implemented by the organization. */
export interface Membership {
  /** Subscribers at this moment, as a list that does not change. */
  subscribers(channel: number): readonly number[];
  /** Whether the user was subscribed when the journal stood at `seq`. */
  wasSubscribed(userId: number, channel: number, seq: number): boolean;
}

/** Whether the audience excludes the user by name; such a user gets the event on no queue. */
export function excludes(audience: Audience, userId: number): boolean {
  return audience.to !== 'users' && (audience.except?.includes(userId) ?? false);
}

/** Whether a user belongs to an audience of the entry at `seq`; for replay. */
export function includes(
  audience: Audience,
  userId: number,
  seq: number,
  membership: Pick<Membership, 'wasSubscribed'>,
): boolean {
  if (audience.to === 'users') return audience.users.includes(userId);
  if (excludes(audience, userId)) return false;
  if (audience.to === 'all' || audience.also?.includes(userId)) return true;
  return membership.wasSubscribed(userId, audience.channel, seq);
}

/**
 * Position of an id in an ascending list, or -1; binary search, because lists may have ten thousand
 * entries.
 */
export function positionOf(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}
