/** What clients are shown of a channel that follows from its messages. */
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { Organization } from '../state/organization.js';

const DAY_SECONDS = 86_400;
/** A channel without messages for longer than this is not recently active. */
const RECENTLY_ACTIVE_SECONDS = 180 * DAY_SECONDS;
/** Younger channels have no traffic figure. */
const MIN_TRAFFIC_DAYS = 7;
/** Traffic is the average over this time, or over the channel's life if that is shorter. */
const TRAFFIC_DAYS = 28;

/** Oldest message of a channel, or null. */
export function firstMessageId(org: Organization, channel: ChannelDocument): number | null {
  return org.messages.index.conversation(channel.recipient_id).first ?? null;
}

/** Whether a message was sent within 180 days, or the channel is younger than that. */
export function isRecentlyActive(org: Organization, channel: ChannelDocument): boolean {
  const since = Math.floor(org.now() / 1000) - RECENTLY_ACTIVE_SECONDS;
  if (channel.date_created > since) return true;
  const newest = org.messages.index.conversation(channel.recipient_id).last;
  return newest !== undefined && org.messages.peek(newest)!.timestamp > since;
}

/** Messages per week to two significant digits, or null for channels younger than a week. */
export function weeklyTraffic(org: Organization, channel: ChannelDocument): number | null {
  const now = Math.floor(org.now() / 1000);
  const age = Math.floor((now - channel.date_created) / DAY_SECONDS);
  if (age < MIN_TRAFFIC_DAYS) return null;
  const days = Math.min(age, TRAFFIC_DAYS);
  const { index } = org.messages;
  const list = index.conversation(channel.recipient_id);
  const sent = list.length - list.lowerBound(index.columns.firstIdAtTime(now - days * DAY_SECONDS));
  return Number(((sent * 7) / days).toPrecision(2));
}

/** The fields of a channel that a message can change, as they were before it. */
interface ChannelActivity {
  readonly channel: ChannelDocument;
  readonly first_message_id: number | null;
  readonly is_recently_active: boolean;
}

/** A field that changed, with its new value. */
interface ActivityChange {
  readonly property: 'is_recently_active' | 'first_message_id';
  readonly value: number | boolean | null;
}

const NONE: readonly ActivityChange[] = [];

/** Captures the activity of a channel before a message is added or removed. */
export function activityOf(org: Organization, channel: ChannelDocument): ChannelActivity {
  return {
    channel,
    first_message_id: firstMessageId(org, channel),
    is_recently_active: isRecentlyActive(org, channel),
  };
}

/** What has changed of it since, in the order of the events; nothing for nearly every message. */
export function activityChanges(
  org: Organization,
  before: ChannelActivity,
): readonly ActivityChange[] {
  const now = activityOf(org, before.channel);
  const { first_message_id, is_recently_active } = before;
  if (now.first_message_id === first_message_id && now.is_recently_active === is_recently_active) {
    return NONE;
  }
  return (['is_recently_active', 'first_message_id'] as const)
    .filter((property) => now[property] !== before[property])
    .map((property) => ({ property, value: now[property] }));
}
