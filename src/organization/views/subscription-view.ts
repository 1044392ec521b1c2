import type { SubscriptionDocument } from '../../../schemas/channels/subscription-document.js';
import { PARTIAL_SUBSCRIBERS_THRESHOLD } from '../../../schemas/limits.js';
import {
  NOTIFICATION_FIELDS,
  type InheritedNotifications,
  type PersonalPart,
  type SubscriberLists,
} from '../../journal/renderers/subscription.js';
import { activeSubscribers } from './channel-view.js';
import type { Organization } from '../state/organization.js';
import { NOTED_EVERY_SECONDS, lastSeen } from '../state/collections/presences.js';

/** specification.md#events: who was active in this time is in every partial list. */
export const PARTIAL_ACTIVITY_SECONDS = 14 * 86_400;

/** The part of a subscription object that is the user's own. */
export function personalPart(sub: SubscriptionDocument): PersonalPart {
  const { color, is_muted, pin_to_top } = sub;
  const notifications = NOTIFICATION_FIELDS.map((field) => [field, sub[field]] as const);
  return {
    color,
    is_muted,
    pin_to_top,
    ...(Object.fromEntries(notifications) as Pick<
      PersonalPart,
      (typeof NOTIFICATION_FIELDS)[number]
    >),
  };
}

/** What a null in a user's notification fields means. */
export function inheritedNotifications(org: Organization, userId: number): InheritedNotifications {
  const settings = org.settings.effective(userId);
  return {
    desktop_notifications: settings.enable_stream_desktop_notifications,
    audible_notifications: settings.enable_stream_audible_notifications,
    push_notifications: settings.enable_stream_push_notifications,
    email_notifications: settings.enable_stream_email_notifications,
    wildcard_mentions_notify: settings.wildcard_mentions_notify,
  };
}

/** The subscribers of a channel, all of them and as `partial` shows them. */
export function subscriberLists(org: Organization, streamId: number): SubscriberLists {
  const subscribers = activeSubscribers(org, streamId).sort((a, b) => a - b);
  if (subscribers.length < PARTIAL_SUBSCRIBERS_THRESHOLD) return { subscribers, partial: null };
  const since = Math.floor(org.now() / 1000) - PARTIAL_ACTIVITY_SECONDS;
  return { subscribers, partial: subscribers.filter((id) => isListedAlways(org, id, since)) };
}

/** Whether `partial` lists a subscriber: bots, and people who did anything recently. */
export function isListedAlways(org: Organization, userId: number, since: number): boolean {
  if (org.users.get(userId)!.is_bot) return true;
  return latestActivity(org, userId) >= since;
}

/**
 * The latest moment at which somebody may have been active, UNIX seconds; 0 for never. Within a day too
 * late, because activity is noted once a day, and never too early.
 */
export function latestActivity(org: Organization, userId: number): number {
  const noted = org.activities.get(userId)?.active_at;
  const latest = noted === undefined ? 0 : noted + NOTED_EVERY_SECONDS;
  return Math.max(lastSeen(org.presences.get(userId)), latest);
}
