import type { Audience } from '../entry.js';

/** What the journal must know of channel membership; the organization answers. */
export interface Membership {
  /** Subscribers at this moment, as a list that does not change. */
  subscribers(channel: number): readonly number[];
  /** Whether the user was subscribed when the journal stood at `seq`. */
  wasSubscribed(userId: number, channel: number, seq: number): boolean;
}

/** Whether the audience leaves the user out by name; such a user gets the event on no queue. */
export function excludes(audience: Audience, userId: number): boolean {
  return audience.to !== 'users' && (audience.except?.includes(userId) ?? false);
}

/** Whether a user belongs to an audience of the entry at `seq`; for replay. */
export function includes(
  audience: Audience,
  userId: number,
  seq: number,
  membership: Membership,
): boolean {
  if (audience.to === 'users') return audience.users.includes(userId);
  if (excludes(audience, userId)) return false;
  if (audience.to === 'all' || audience.also?.includes(userId)) return true;
  return membership.wasSubscribed(userId, audience.channel, seq);
}
