import type { SubscriptionDocument } from '../../../schemas/channels/subscriptions.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../state/organization.js';
import { canReadChannel } from '../access/permissions.js';
import {
  ALL_IDS,
  contains,
  intersect,
  type Interval,
  type Intervals,
  NO_IDS,
  unite,
} from '../state/message-index/intervals.js';
import { coveredIds, readableIds, receivedIds, sentThrough } from './delivery-history.js';
import { MadeSource, newestWithin, type Source } from '../state/message-index/merged-cursor.js';

/** Messages of everybody that are tested for the newest one that was sent to a user. */
const TRIED_FOR_NEWEST = 512;
/** Conversations: a message of everybody is tested in some 0.3 µs, a conversation looked at in about as much. */
export const MANY_CONVERSATIONS = 64;

/**
 * MessageAccess determines which messages a user may see and which they received (conventions.md#access),
 * at this moment; create one per request.
 */
export class MessageAccess {
  private readonly receivedCache = new Map<number, Intervals>();
  private readonly visibleCache = new Map<number, Intervals>();

  constructor(
    readonly org: Organization,
    readonly user: UserDocument,
  ) {}

  /**
   * The messages of a conversation that the user received and may still read; also older ones that the user marked as
   * unread, until they are read.
   */
  received(recipientId: number): Intervals {
    return cached(this.receivedCache, recipientId, () => {
      const channel = this.org.channels.byRecipient(recipientId);
      if (!channel) return this.participates(recipientId) ? ALL_IDS : NO_IDS;
      const sub = this.org.subscriptions.of(this.user.user_id, channel.stream_id);
      if (!sub || !canReadChannel(this.org, this.user, channel)) return NO_IDS;
      const received = receivedIds(this.org, channel, sub);
      const recalled = this.org.readState.recalled(this.user.user_id, recipientId);
      if (recalled.length === 0) return received;
      const points = recalled.map((id): Interval => [id, id]);
      return unite(received, intersect(points, this.visible(recipientId)));
    });
  }

  /** The messages of a conversation that the user received, whether or not they may still read them. */
  everReceived(recipientId: number): Intervals {
    const channel = this.org.channels.byRecipient(recipientId);
    if (!channel) return this.participates(recipientId) ? ALL_IDS : NO_IDS;
    const sub = this.org.subscriptions.of(this.user.user_id, channel.stream_id);
    return sub ? receivedIds(this.org, channel, sub) : NO_IDS;
  }

  /** The messages of a conversation that the user may read. */
  visible(recipientId: number): Intervals {
    return cached(this.visibleCache, recipientId, () => {
      const channel = this.org.channels.byRecipient(recipientId);
      if (!channel) return this.received(recipientId);
      if (!canReadChannel(this.org, this.user, channel)) return NO_IDS;
      if (channel.history_public_to_subscribers) return ALL_IDS;
      const sub = this.org.subscriptions.of(this.user.user_id, channel.stream_id);
      return sub ? readableIds(this.org, channel, sub) : NO_IDS;
    });
  }

  /** Whether the user may read a message. */
  canSee(messageId: number): boolean {
    const topic = this.org.messages.index.topicOf(messageId);
    return topic !== undefined && contains(this.visible(topic.recipientId), messageId);
  }

  /** Whether the user received a message and may still read it. */
  hasReceived(messageId: number): boolean {
    const topic = this.org.messages.index.topicOf(messageId);
    return topic !== undefined && contains(this.received(topic.recipientId), messageId);
  }

  /** Whether the user received a message and has not read it. */
  isUnread(messageId: number): boolean {
    const topic = this.org.messages.index.topicOf(messageId);
    if (!topic || !contains(this.received(topic.recipientId), messageId)) return false;
    return !this.org.readState.isRead(this.user.user_id, topic.recipientId, messageId);
  }

  /** The conversations in which the user received messages: channels first, then direct ones. */
  *conversations(): Generator<number> {
    for (const streamId of this.org.subscriptions.ofUser(this.user.user_id).keys()) {
      const channel = this.org.channels.get(streamId);
      if (channel && this.received(channel.recipient_id).length > 0) yield channel.recipient_id;
    }
    yield* this.directConversations();
  }

  /** As `conversations`, and perhaps some more: without a look at what the user received in each. */
  *possibleConversations(): Generator<number> {
    for (const streamId of this.org.subscriptions.ofUser(this.user.user_id).keys()) {
      const channel = this.org.channels.get(streamId);
      if (channel) yield channel.recipient_id;
    }
    yield* this.directConversations();
  }

  /** Whether `possibleConversations` has this one. */
  isPossible(recipientId: number): boolean {
    const channel = this.org.channels.byRecipient(recipientId);
    if (!channel) return this.participates(recipientId);
    return this.org.subscriptions.of(this.user.user_id, channel.stream_id) !== undefined;
  }

  /** How many conversations `possibleConversations` has at most. */
  get conversationCount(): number {
    const { conversations, subscriptions } = this.org;
    const { user_id } = this.user;
    return subscriptions.ofUser(user_id).size + conversations.ofUser(user_id).size;
  }

  /** Whether a look at each conversation costs more than one at some hundred messages of everybody. */
  get hasManyConversations(): boolean {
    return this.conversationCount > MANY_CONVERSATIONS;
  }

  directConversations(): ReadonlySet<number> {
    return this.org.conversations.ofUser(this.user.user_id);
  }

  /** All messages that the user received, as sources of a cursor. */
  receivedSources(): Source[] {
    const { index } = this.org.messages;
    const sources: Source[] = [];
    for (const recipientId of this.possibleConversations()) {
      const within = (): Intervals => this.received(recipientId);
      sources.push(new MadeSource(index.conversation(recipientId), within));
    }
    return sources;
  }

  /**
   * The newest message ever sent to the user, or -1, including those that they may not read any more. Only those
   * channels are looked into whose newest message is newer than the one found; the newest come first. A reader of many
   * is first looked for among the newest messages of everybody.
   */
  newestEverSent(): number {
    const { org } = this;
    const { index } = org.messages;
    if (this.hasManyConversations) {
      const newest = index.columns
        .idsBelow(Infinity, TRIED_FOR_NEWEST)
        .find((id) => this.wasSent(id));
      if (newest !== undefined) return newest;
    }
    let newest = -1;
    for (const recipientId of this.directConversations()) {
      newest = Math.max(newest, index.conversation(recipientId).last ?? -1);
    }
    const places: { readonly last: number; readonly sub: SubscriptionDocument }[] = [];
    for (const sub of org.subscriptions.ofUser(this.user.user_id).values()) {
      const channel = org.channels.get(sub.stream_id);
      if (!channel) continue;
      const sent = index.conversation(channel.recipient_id).last ?? -1;
      const last = Math.max(sent, index.moved.outOf(sub.stream_id).last ?? -1);
      if (last > newest) places.push({ last, sub });
    }
    places.sort((a, b) => b.last - a.last);
    for (const { last, sub } of places) {
      if (last <= newest) break;
      const channel = org.channels.get(sub.stream_id)!;
      const sent = sentThrough(org, channel, sub);
      newest = Math.max(newest, newestWithin(index.conversation(channel.recipient_id), sent));
      const gone = index.moved.outOf(sub.stream_id);
      newest = Math.max(newest, newestWithin(gone, coveredIds(org, sub)));
    }
    return newest;
  }

  /** Whether a message that exists was sent to the user, wherever it was moved since. */
  private wasSent(messageId: number): boolean {
    const { org } = this;
    const { index } = org.messages;
    const row = index.columns.find(messageId);
    const { recipientId } = index.topicAt(row);
    const channel = org.channels.byRecipient(recipientId);
    if (!channel) return this.participates(recipientId);
    const streamId = index.moved.of(messageId)?.from ?? channel.stream_id;
    return org.subscriptions.wasSubscribed(this.user.user_id, streamId, index.columns.seqAt(row));
  }

  private participates(recipientId: number): boolean {
    return this.org.conversations.ofUser(this.user.user_id).has(recipientId);
  }
}

function cached(cache: Map<number, Intervals>, key: number, make: () => Intervals): Intervals {
  let value = cache.get(key);
  if (!value) cache.set(key, (value = make()));
  return value;
}
