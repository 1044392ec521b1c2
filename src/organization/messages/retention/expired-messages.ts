import type { Organization } from '../../state/organization.js';
import type { PostingList } from '../../state/message-index/posting-list.js';
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

/** A conversation with messages whose time is over. */
export interface ExpiredConversation {
  readonly recipientId: number;
  /** Its channel, or null for direct messages. */
  readonly streamId: number | null;
  /** Messages sent at or before this time are over, UNIX seconds. */
  readonly until: number;
}

/** Messages of one topic whose time is over. */
export interface ExpiredTopic {
  /** Lower-case name. */
  readonly key: string;
  /** Ascending, not empty. */
  readonly ids: readonly number[];
}

/** What one batch may hold. */
interface BatchBounds {
  readonly messages: number;
  /** Stars and the like, unless a single message has more. */
  readonly marks: number;
}

/** What the period of a conversation says now; null where messages are kept for ever. */
export function expiryOf(org: Organization, recipientId: number): ExpiredConversation | null {
  const channel = org.channels.byRecipient(recipientId) ?? null;
  const days = retentionDays(org.realm.current, channel);
  if (days === null) return null;
  const streamId = channel?.stream_id ?? null;
  return { recipientId, streamId, until: expiryTime(days, org.now()) };
}

/** Ids of all conversations, channels first. */
export function* recipientIds(org: Organization): Generator<number> {
  for (const { recipient_id } of org.channels.values()) yield recipient_id;
  for (const { recipient_id } of org.conversations.values()) yield recipient_id;
}

/** Oldest messages of a conversation looked at for one batch, where few topics have most of them. */
const LOOKED_AT = 2000;

/**
 * The next messages of a conversation whose time is over, those of the topic with the oldest one first;
 * none when all are gone. Ids follow the order of sending, so a list is looked at only up to its first
 * younger message; one from the future, of a clock that was wrong, does not count.
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

/** What a batch has taken so far. */
class Batch {
  full = false;
  private messages = 0;
  private marks = 0;

  constructor(
    private readonly org: Organization,
    private readonly until: number,
    private readonly bounds: BatchBounds,
  ) {}

  /** How a message that exists stands to the end of its time. */
  ageOf(id: number): 'over' | 'young' | 'future' {
    const { columns } = this.org.messages.index;
    const timestamp = columns.timestampAt(columns.find(id));
    if (timestamp <= this.until) return 'over';
    return timestamp * 1000 > this.org.now() ? 'future' : 'young';
  }

  /** Takes the beginning of a list, as far as it is over and there is room. */
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
    const marks = this.org.messageFlags.usersOf(id).length;
    const { bounds } = this;
    this.full =
      this.messages >= bounds.messages || (this.messages > 0 && this.marks + marks > bounds.marks);
    if (this.full) return false;
    this.messages += 1;
    this.marks += marks;
    return true;
  }
}
