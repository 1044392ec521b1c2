import type { PushContent } from '../../../schemas/notifications/push-notice-document.js';
import { MAX_WAITING_PUSHES } from '../../../schemas/limits.js';
import type { Organization } from '../state/organization.js';

/**
 * Adds a push for devices of a user to the outbox, in the open transaction: it is sent once that is durable, and survives
 * a crash.
 * @param tokens ids of registrations
 * @returns false where too many wait
 */
export function queuePush(
  org: Organization,
  userId: number,
  content: PushContent,
  tokens: readonly number[],
): boolean {
  const { outgoingPushes, counters } = org;
  if (outgoingPushes.size >= MAX_WAITING_PUSHES) return false;
  const now = org.now();
  outgoingPushes.insert({
    id: counters.next('push'),
    user_id: userId,
    content,
    tokens: [...tokens],
    created_at: now,
    attempts: 0,
    next_attempt_at: now,
  });
  return true;
}

/** Ids of the registrations of a user. */
export function tokensOf(org: Organization, userId: number): number[] {
  return org.pushTokens.of(userId).map(({ id }) => id);
}
