import type { MessageDocument } from '../../../schemas/documents/message.js';
import { BIT, MessageColumns } from './message-columns.js';
import { PostingList } from './posting-list.js';

/** The messages of one topic; direct conversations have one, with the empty name. */
export interface TopicEntry {
  readonly number: number;
  readonly recipientId: number;
  /** Lower-case name: topics compare without case. */
  readonly key: string;
  /** Newest spelling. */
  name: string;
  readonly list: PostingList;
}

interface ConversationEntry {
  readonly list: PostingList;
  readonly topics: Map<string, TopicEntry>;
}

/** What the index knows of one message. */
export interface MessageSummary {
  readonly id: number;
  readonly seq: number;
  readonly sender_id: number;
  readonly recipient_id: number;
  /** Lower-case topic; empty for direct messages. */
  readonly topic_key: string;
  /** UNIX seconds. */
  readonly timestamp: number;
  readonly has_link: boolean;
  readonly has_image: boolean;
  readonly has_attachment: boolean;
  readonly has_reaction: boolean;
  readonly channel_wildcard: boolean;
}

const EMPTY = new PostingList();

/**
 * A few numbers of every message, and lists of ids by conversation, topic, sender and mentioned user:
 * enough to answer who sees what, what is unread and every narrow but a text search without the
 * documents. About 45 bytes a message.
 */
export class MessageIndex {
  readonly columns = new MessageColumns();
  /** Messages with a channel wildcard mention. */
  readonly channelWildcards = new PostingList();
  private readonly topicsByNumber: TopicEntry[] = [];
  private readonly conversations = new Map<number, ConversationEntry>();
  private readonly senders = new Map<number, PostingList>();
  private readonly mentions = new Map<number, PostingList>();
  private readonly topicWildcards = new Map<number, PostingList>();
  private readonly alerts = new Map<number, PostingList>();
  private count = 0;

  /** Messages that exist. */
  get size(): number {
    return this.count;
  }

  has(id: number): boolean {
    return this.columns.find(id) >= 0;
  }

  /** The summary of a message, or undefined when there is none. */
  peek(id: number): MessageSummary | undefined {
    const row = this.columns.find(id);
    if (row < 0) return undefined;
    const { columns } = this;
    const topic = this.topicsByNumber[columns.topicAt(row)]!;
    const bits = columns.bitsAt(row);
    return {
      id,
      seq: columns.seqAt(row),
      sender_id: columns.senderAt(row),
      recipient_id: topic.recipientId,
      topic_key: topic.key,
      timestamp: columns.timestampAt(row),
      has_link: (bits & BIT.link) !== 0,
      has_image: (bits & BIT.image) !== 0,
      has_attachment: (bits & BIT.attachment) !== 0,
      has_reaction: (bits & BIT.reaction) !== 0,
      channel_wildcard: (bits & BIT.channelWildcard) !== 0,
    };
  }

  /** Topic of a row of `columns`. */
  topicAt(row: number): TopicEntry {
    return this.topicsByNumber[this.columns.topicAt(row)]!;
  }

  /** Topic of a message that exists. */
  topicOf(id: number): TopicEntry | undefined {
    const row = this.columns.find(id);
    return row < 0 ? undefined : this.topicAt(row);
  }

  /** All messages of a conversation. */
  conversation(recipientId: number): PostingList {
    return this.conversations.get(recipientId)?.list ?? EMPTY;
  }

  /** A topic that has messages, by any spelling. */
  topic(recipientId: number, name: string): TopicEntry | undefined {
    const entry = this.conversations.get(recipientId)?.topics.get(name.toLowerCase());
    return entry && entry.list.length > 0 ? entry : undefined;
  }

  /** Topics of a conversation that have messages, in no particular order. */
  topics(recipientId: number): TopicEntry[] {
    const conversation = this.conversations.get(recipientId);
    if (!conversation) return [];
    return [...conversation.topics.values()].filter((topic) => topic.list.length > 0);
  }

  sentBy(userId: number): PostingList {
    return this.senders.get(userId) ?? EMPTY;
  }

  /** Messages that mention the user by name or through a group. */
  mentionsOf(userId: number): PostingList {
    return this.mentions.get(userId) ?? EMPTY;
  }

  /** Messages whose topic wildcard reached the user. */
  topicWildcardsOf(userId: number): PostingList {
    return this.topicWildcards.get(userId) ?? EMPTY;
  }

  /** Messages with one of the user's alert words. */
  alertsOf(userId: number): PostingList {
    return this.alerts.get(userId) ?? EMPTY;
  }

  /** Adds a message that is not there. */
  add(message: MessageDocument): void {
    const topic = this.topicFor(message);
    this.putRow(message, topic);
    this.addToTopic(topic, message);
    listOf(this.senders, message.sender_id).add(message.id);
    this.addPeople(message);
    this.count += 1;
  }

  /** Removes a message that is there, given as it is indexed. */
  remove(message: MessageDocument): void {
    const row = this.columns.find(message.id);
    if (row < 0) return;
    this.removeFromTopic(this.topicAt(row), message.id);
    this.senders.get(message.sender_id)?.remove(message.id);
    this.removePeople(message);
    this.columns.remove(row);
    this.count -= 1;
  }

  /** Makes the index agree with a changed message. */
  replace(previous: MessageDocument, next: MessageDocument): void {
    const before = this.topicOf(previous.id);
    const after = this.topicFor(next);
    this.putRow(next, after);
    if (before !== after) {
      if (before) this.removeFromTopic(before, next.id);
      this.addToTopic(after, next);
    } else if (after.list.last === next.id) after.name = next.topic;
    this.removePeople(previous);
    this.addPeople(next);
  }

  /** Newest spelling of a message's topic; undefined for a topic never seen. */
  spelling(recipientId: number, topic: string): string | undefined {
    return this.conversations.get(recipientId)?.topics.get(topic.toLowerCase())?.name;
  }

  /** Puts a spelling back after a write was taken back. */
  respell(recipientId: number, topic: string, spelling: string | undefined): void {
    const entry = this.conversations.get(recipientId)?.topics.get(topic.toLowerCase());
    if (entry && spelling !== undefined) entry.name = spelling;
  }

  private putRow(message: MessageDocument, topic: TopicEntry): void {
    this.columns.put({
      id: message.id,
      seq: message.seq,
      sender: message.sender_id,
      topic: topic.number,
      timestamp: message.timestamp,
      bits: bitsOf(message),
    });
  }

  private topicFor(message: MessageDocument): TopicEntry {
    let conversation = this.conversations.get(message.recipient_id);
    if (!conversation) {
      conversation = { list: new PostingList(), topics: new Map() };
      this.conversations.set(message.recipient_id, conversation);
    }
    const key = message.topic.toLowerCase();
    let topic = conversation.topics.get(key);
    if (!topic) {
      topic = {
        number: this.topicsByNumber.length,
        recipientId: message.recipient_id,
        key,
        name: message.topic,
        // A direct conversation has one topic: the same list serves for both.
        list: message.stream_id === null ? conversation.list : new PostingList(),
      };
      this.topicsByNumber.push(topic);
      conversation.topics.set(key, topic);
    }
    return topic;
  }

  private addToTopic(topic: TopicEntry, message: MessageDocument): void {
    topic.list.add(message.id);
    if (topic.list.last === message.id) topic.name = message.topic;
    this.conversations.get(topic.recipientId)!.list.add(message.id);
  }

  private removeFromTopic(topic: TopicEntry, id: number): void {
    topic.list.remove(id);
    this.conversations.get(topic.recipientId)!.list.remove(id);
  }

  private addPeople(message: MessageDocument): void {
    if (message.channel_wildcard) this.channelWildcards.add(message.id);
    for (const userId of message.mentioned) listOf(this.mentions, userId).add(message.id);
    for (const userId of message.topic_wildcard) {
      listOf(this.topicWildcards, userId).add(message.id);
    }
    for (const userId of message.alerted) listOf(this.alerts, userId).add(message.id);
  }

  private removePeople(message: MessageDocument): void {
    if (message.channel_wildcard) this.channelWildcards.remove(message.id);
    for (const userId of message.mentioned) this.mentions.get(userId)?.remove(message.id);
    for (const userId of message.topic_wildcard)
      this.topicWildcards.get(userId)?.remove(message.id);
    for (const userId of message.alerted) this.alerts.get(userId)?.remove(message.id);
  }
}

function listOf(lists: Map<number, PostingList>, userId: number): PostingList {
  let list = lists.get(userId);
  if (!list) lists.set(userId, (list = new PostingList()));
  return list;
}

function bitsOf(message: MessageDocument): number {
  return (
    (message.has_link ? BIT.link : 0) |
    (message.has_image ? BIT.image : 0) |
    (message.has_attachment ? BIT.attachment : 0) |
    (message.reactions.length > 0 ? BIT.reaction : 0) |
    (message.channel_wildcard ? BIT.channelWildcard : 0)
  );
}
