import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';

/** Stored for messages that are kept for ever. */
const FOR_EVER = -1;
const DAY_SECONDS = 86_400;

/**
 * How long messages are kept, in days: a channel's own period, else the organization's, which is also that
 * of direct messages. Null: for ever.
 */
export function retentionDays(
  realm: Pick<RealmDocument, 'message_retention_days'>,
  channel: Pick<ChannelDocument, 'message_retention_days'> | null,
): number | null {
  const days = channel?.message_retention_days ?? realm.message_retention_days;
  return days === FOR_EVER ? null : days;
}

/** Messages sent at or before this time, in UNIX seconds, are over. */
export function expiryTime(days: number, now: number): number {
  return Math.floor(now / 1000) - days * DAY_SECONDS;
}
