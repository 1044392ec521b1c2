import type { PushContent } from '../../../schemas/notifications/push-notice-document.js';
import { MAX_WAITING_PUSHES } from '../../../schemas/limits.js';
import type { Organization } from '../state/organization.js';

/**
 * Adds a push for devices of a user to the outbox, in the open transaction: it is sent once that is durable, and
 * survives a crash.
 * @returns false where too many wait
 */
export function queuePush(
  org: Organization,
  userId: number,
  content: PushContent,
  { tokens, devices }: PushTargets,
): boolean {
  const { outgoingPushes, counters } = org;
  if (outgoingPushes.size >= MAX_WAITING_PUSHES) return false;
  const now = org.now();
  outgoingPushes.insert({
    id: counters.next('push'),
    user_id: userId,
    content,
    tokens: [...tokens],
    ...(devices.length > 0 ? { devices: [...devices] } : {}),
    created_at: now,
    attempts: 0,
    next_attempt_at: now,
  });
  return true;
}

/** Where a push goes. */
interface PushTargets {
  /** Ids of registrations by token. */
  readonly tokens: readonly number[];
  /** Ids of devices with encrypted registrations. */
  readonly devices: readonly number[];
}

/** For what concerns no device, or none any more. */
export const NO_TARGETS: PushTargets = { tokens: [], devices: [] };

/** Everything that a user has registered for pushes. */
export function pushTargetsOf(org: Organization, userId: number): PushTargets {
  return {
    tokens: org.pushTokens.of(userId).map(({ id }) => id),
    devices: encryptedDevicesOf(org, userId),
  };
}

/** The devices of a user to which encrypted pushes go. */
export function encryptedDevicesOf(org: Organization, userId: number): number[] {
  if (!org.site.encryptedPushes || org.devices.countOf(userId) === 0) return [];
  return org.devices
    .of(userId)
    .filter(({ push_key, push_token_id }) => push_key !== null && push_token_id !== null)
    .map(({ id }) => id);
}

/** Whether a user has registered anything for pushes. */
export function hasPushTargets(org: Organization, userId: number): boolean {
  return org.pushTokens.countOf(userId) > 0 || encryptedDevicesOf(org, userId).length > 0;
}
