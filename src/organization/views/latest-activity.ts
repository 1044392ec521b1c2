import { lastSeen } from '../state/collections/presences.js';
import { NOTED_EVERY_SECONDS } from '../state/collections/user-activity.js';
import type { Organization } from '../state/organization.js';

/**
 * The latest moment at which somebody may have been active, UNIX seconds; 0 for never. Within a day too
 * late, because activity is noted once a day, and never too early.
 */
export function latestActivity(org: Organization, userId: number): number {
  const noted = org.activities.get(userId)?.active_at;
  const latest = noted === undefined ? 0 : noted + NOTED_EVERY_SECONDS;
  return Math.max(lastSeen(org.presences.get(userId)), latest);
}
