import type { SubscriptionDocument } from '../../../schemas/channels/subscriptions.js';
import { PARTIAL_SUBSCRIBERS_THRESHOLD } from '../../../schemas/limits.js';
import {
  NOTIFICATION_FIELDS,
  type InheritedNotifications,
  type PersonalPart,
  type SubscriberLists,
} from '../../journal/renderers/subscription.js';
import { activeSubscribers } from './channel-view.js';
import type { Organization } from '../state/organization.js';
import { lastSeen } from '../state/collections/presences.js';

/** Users active within this time are in every partial list (specification.md#events), seconds. */
export const PARTIAL_ACTIVITY_SECONDS = 14 * 86_400;

/** The user's own part of a subscription object. */
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

/** A key of everything that `personalPart` shows, at a fraction of its cost: equal parts have equal keys. */
export function personalKey(sub: SubscriptionDocument): string {
  let key = `;${sub.color},${sub.is_muted},${sub.pin_to_top}`;
  for (const field of NOTIFICATION_FIELDS) key += `,${sub[field]}`;
  return key;
}

/** The settings that null notification fields inherit. */
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

/** The subscribers of a channel: all of them, and the `partial` list. */
export function subscriberLists(org: Organization, streamId: number): SubscriberLists {
  const subscribers = activeSubscribers(org, streamId).sort((a, b) => a - b);
  if (subscribers.length < PARTIAL_SUBSCRIBERS_THRESHOLD) return { subscribers, partial: null };
  const since = Math.floor(org.now() / 1000) - PARTIAL_ACTIVITY_SECONDS;
  return { subscribers, partial: subscribers.filter((id) => isListedAlways(org, id, since)) };
}

/** Whether the `partial` list includes a subscriber: bots, and recently active users. */
export function isListedAlways(org: Organization, userId: number, since: number): boolean {
  if (org.users.get(userId)!.is_bot) return true;
  return latestActivity(org, userId) >= since;
}

/**
 * The latest time at which a user may have been active, UNIX seconds; 0 for never. It is never too early
 * and up to a day too late, because activity is recorded once a day.
 */
export function latestActivity(org: Organization, userId: number): number {
  const latest = org.activities.latest(userId, Math.floor(org.now() / 1000));
  return Math.max(lastSeen(org.presences.get(userId)), latest);
}
