import type { Organization } from '../../state/organization.js';
import type { PostingList } from '../../state/message-index/posting-lists.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import { NEVER } from '../../state/scheduled/next-due.js';

/** Stored value for messages that never expire. */
const FOR_EVER = -1;
const DAY_SECONDS = 86_400;

/**
 * Retention period in days: the channel's own, else that of the organization, which also applies to direct
 * messages. Null: messages never expire.
 */
export function retentionDays(
  realm: Pick<RealmDocument, 'message_retention_days'>,
  channel: Pick<ChannelDocument, 'message_retention_days'> | null,
): number | null {
  const days = channel?.message_retention_days ?? realm.message_retention_days;
  return days === FOR_EVER ? null : days;
}

/** Messages sent at or before this time are expired, UNIX seconds. */
export function expiryTime(days: number, now: number): number {
  return Math.floor(now / 1000) - days * DAY_SECONDS;
}

/** A conversation with expired messages. */
export interface ExpiredConversation {
  readonly recipientId: number;
  /** Its channel, or null for direct messages. */
  readonly streamId: number | null;
  /** Messages sent at or before this time are expired, UNIX seconds. */
  readonly until: number;
}

/** Expired messages of one topic. */
export interface ExpiredTopic {
  /** Lower-case name. */
  readonly key: string;
  /** Ascending, not empty. */
  readonly ids: readonly number[];
}

/** Bounds of one batch. */
interface BatchBounds {
  readonly messages: number;
  /** Personal flags, unless a single message has more. */
  readonly flags: number;
}

/** The expiry of a conversation by its present period; null where messages never expire. */
export function expiryOf(org: Organization, recipientId: number): ExpiredConversation | null {
  const channel = org.channels.byRecipient(recipientId) ?? null;
  const days = retentionDays(org.realm.current, channel);
  if (days === null) return null;
  const streamId = channel?.stream_id ?? null;
  return { recipientId, streamId, until: expiryTime(days, org.now()) };
}

/** When the next message expires, milliseconds since 1970; never where none will. */
export function nextExpiry(org: Organization): number {
  const { columns } = org.messages.index;
  const now = org.now() / 1000;
  let next = NEVER;
  for (const recipientId of recipientIds(org)) {
    const days = retentionDays(org.realm.current, org.channels.byRecipient(recipientId) ?? null);
    if (days === null) continue;
    const list = org.messages.index.conversation(recipientId);
    // Messages from the future are skipped, as when they are removed.
    for (let i = 0; i < Math.min(list.length, LOOKED_AT); i++) {
      const timestamp = columns.timestampAt(columns.find(list.at(i)!));
      next = Math.min(next, (timestamp + days * DAY_SECONDS) * 1000);
      if (timestamp <= now) break;
    }
  }
  return next;
}

/** Ids of all conversations, channels first. */
export function* recipientIds(org: Organization): Generator<number> {
  for (const { recipient_id } of org.channels.values()) yield recipient_id;
  for (const { recipient_id } of org.conversations.values()) yield recipient_id;
}

/** Oldest messages of a conversation scanned for one batch, where few topics have most of them. */
const LOOKED_AT = 2000;

/**
 * The next expired messages of a conversation, those of the topic with the oldest message first; none when
 * all are removed. Ids ascend in the order of sending, so a list is scanned up to its first unexpired
 * message; messages from the future, sent with a wrong clock, are skipped.
 */
export function expiredMessages(
  org: Organization,
  { recipientId, until }: ExpiredConversation,
  bounds: BatchBounds,
): ExpiredTopic[] {
  const { index } = org.messages;
  const list = index.conversation(recipientId);
  const found = new Map<string, ExpiredTopic>();
  const batch = new Batch(org, until, bounds);
  for (let i = 0; i < Math.min(list.length, LOOKED_AT) && !batch.full; i++) {
    const id = list.at(i)!;
    const age = batch.ageOf(id);
    if (age === 'young') break;
    if (age === 'future') continue;
    const topic = index.topicOf(id)!;
    if (found.has(topic.key)) continue;
    found.set(topic.key, { key: topic.key, ids: batch.takeFrom(topic.list) });
  }
  return [...found.values()].filter(({ ids }) => ids.length > 0);
}

/** The messages selected for a batch. */
class Batch {
  full = false;
  private messages = 0;
  private flags = 0;

  constructor(
    private readonly org: Organization,
    private readonly until: number,
    private readonly bounds: BatchBounds,
  ) {}

  /** Whether an existing message is expired. */
  ageOf(id: number): 'over' | 'young' | 'future' {
    const { columns } = this.org.messages.index;
    const timestamp = columns.timestampAt(columns.find(id));
    if (timestamp <= this.until) return 'over';
    return timestamp * 1000 > this.org.now() ? 'future' : 'young';
  }

  /** Selects the beginning of a list as far as it is expired and fits. */
  takeFrom(list: PostingList): number[] {
    const ids: number[] = [];
    for (let i = 0; i < list.length; i++) {
      const id = list.at(i)!;
      const age = this.ageOf(id);
      if (age === 'future') continue;
      if (age === 'young' || !this.hasRoomFor(id)) break;
      ids.push(id);
    }
    return ids;
  }

  private hasRoomFor(id: number): boolean {
    const flags = this.org.messageFlags.usersOf(id).length;
    const { bounds } = this;
    this.full =
      this.messages >= bounds.messages || (this.messages > 0 && this.flags + flags > bounds.flags);
    if (this.full) return false;
    this.messages += 1;
    this.flags += flags;
    return true;
  }
}
