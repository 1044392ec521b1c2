import { placeIn } from '../../journal/entry.js';
import type { MessageFlagsDocument, MessageDocument } from '../../../schemas/messages/message.js';
import type { Organization } from '../state/organization.js';
import type { MessageAccess } from './message-access.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { canReadChannel } from '../access/permissions.js';

/**
 * The viewer's flags of a message (endpoints-messages.md#message-object). Only received messages have
 * mention flags: history that is read later mentions nobody.
 */
export function messageFlags(access: MessageAccess, message: MessageDocument): readonly string[] {
  return flagNames(flagsOf(access, message));
}

/** JSON of `messageFlags`. */
export function messageFlagsText(access: MessageAccess, message: MessageDocument): string {
  const bits = flagsOf(access, message);
  return (TEXTS_BY_BITS[bits] ??= JSON.stringify(flagNames(bits)));
}

function flagsOf(access: MessageAccess, message: MessageDocument): number {
  const { org, user } = access;
  const stored = org.messageFlags.of(user.user_id, message.id);
  return flagBits(org, user.user_id, message, access.hasReceived(message.id), stored);
}

/** One bit per flag, in the order in which clients have always seen them. */
const FLAGS = {
  read: 1,
  starred: 2,
  collapsed: 4,
  historical: 8,
  mentioned: 16,
  stream_wildcard_mentioned: 32,
  topic_wildcard_mentioned: 64,
  wildcard_mentioned: 128,
  has_alert_word: 256,
} as const;
const WILDCARD = FLAGS.wildcard_mentioned;

/** The names of flags by their bits, and their JSON: 512 of each at most, because a page asks for one per message. */
const NAMES_BY_BITS: (readonly string[] | undefined)[] = [];
const TEXTS_BY_BITS: (string | undefined)[] = [];

/** The names of flags given as bits. */
export function flagNames(bits: number): readonly string[] {
  return (NAMES_BY_BITS[bits] ??= Object.entries(FLAGS).flatMap(([name, bit]) =>
    (bits & bit) === 0 ? [] : [name],
  ));
}

/**
 * A user's flags of a message as bits, for callers with thousands of users.
 * @param stored the user's stored flags of the message
 */
export function flagBits(
  org: Organization,
  userId: number,
  message: MessageDocument,
  received: boolean,
  stored: MessageFlagsDocument | undefined,
): number {
  let bits = 0;
  if (!received || org.readState.isRead(userId, message.recipient_id, message.id))
    bits |= FLAGS.read;
  if (stored?.starred) bits |= FLAGS.starred;
  if (stored?.collapsed) bits |= FLAGS.collapsed;
  if (!received) return bits | FLAGS.historical;
  if (includesSorted(message.mentioned, userId)) bits |= FLAGS.mentioned;
  if (message.channel_wildcard) bits |= FLAGS.stream_wildcard_mentioned | WILDCARD;
  if (includesSorted(message.topic_wildcard, userId))
    bits |= FLAGS.topic_wildcard_mentioned | WILDCARD;
  if (includesSorted(message.alerted, userId)) bits |= FLAGS.has_alert_word;
  return bits;
}

/** Whether an ascending list has the user. */
function includesSorted(userIds: readonly number[], userId: number): boolean {
  return userIds.length > 0 && placeIn(userIds, userId) >= 0;
}

/**
 * Users who do not subscribe to a channel and have a personal copy of one of its messages, because they
 * starred or collapsed it (event-queues.md#notation, HOLDERS), and may still read it.
 * @param ids of messages of this channel
 */
export function flagHolders(
  org: Organization,
  channel: ChannelDocument,
  ids: readonly number[],
): Set<number> {
  const { messageFlags, users, subscriptions } = org;
  const holders = new Set<number>();
  for (const id of flaggedOf(org, ids)) {
    for (const userId of messageFlags.usersOf(id)) {
      if (holders.has(userId) || subscriptions.isSubscribed(userId, channel.stream_id)) continue;
      const user = users.active.has(userId) ? users.get(userId) : undefined;
      if (user && canReadChannel(org, user, channel)) holders.add(userId);
    }
  }
  return holders;
}

/** Which of the messages somebody may have flagged, by the shorter way; ascending. */
function flaggedOf({ messageFlags }: Organization, ids: readonly number[]): readonly number[] {
  if (messageFlags.size >= ids.length) return ids;
  const flagged = new Set<number>();
  for (const { message_id } of messageFlags.values()) {
    if (placeIn(ids, message_id) >= 0) flagged.add(message_id);
  }
  return [...flagged].sort((a, b) => a - b);
}
