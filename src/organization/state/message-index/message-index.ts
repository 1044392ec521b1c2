import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import type { EntryChange } from '../../../store/port.js';
import type { Folding } from '../fold.js';
import { foldedMessages, type FoldedMessages } from './folded-messages.js';
import { BIT, MessageColumns } from './message-columns.js';
import type { Row } from './rows-copy.js';
import { MovedMessages } from './moved-messages.js';
import { listOf, NotifiedMessages } from './notified-messages.js';
import { PostingList } from './posting-list.js';
import { mergeAll, pushTo, type MergedFields } from './merged-fields.js';
import { relocateAll, type ConversationPlace, type Places, type Relocation } from './relocation.js';
import { IndexCopy, listsOf, type IndexImage, type IndexLists } from './index-image.js';
import type { TopicEntry } from './topic-entry.js';

/** A topic in the spelling of one of its messages; rows refer to spellings. */
interface Spelling {
  readonly topic: TopicEntry;
  readonly name: string;
}

interface ConversationEntry {
  readonly list: PostingList;
  readonly topics: Map<string, TopicEntry>;
}

/** The data of one message in the index. */
export interface MessageSummary {
  readonly id: number;
  readonly seq: number;
  readonly sender_id: number;
  readonly recipient_id: number;
  /** UNIX seconds. */
  readonly timestamp: number;
  readonly has_link: boolean;
  readonly has_image: boolean;
  readonly has_attachment: boolean;
  readonly has_reaction: boolean;
  readonly channel_wildcard: boolean;
}

/** A message before and after a change. */
export type IndexChange = readonly [previous: MessageDocument, next: MessageDocument];

const EMPTY = new PostingList();

/**
 * MessageIndex has a few numbers of every message, and lists of ids by conversation, topic, sender and
 * mentioned user: enough to decide access, unread status and every narrow except text search without
 * documents. About 45 bytes per message.
 */
export class MessageIndex {
  readonly columns: MessageColumns;
  /** The users that messages notify. */
  readonly notified: NotifiedMessages;
  /** Messages that were moved to another channel. */
  readonly moved: MovedMessages;
  private readonly spellings: Spelling[];
  private readonly conversations: Map<number, ConversationEntry>;
  private readonly senders: Map<number, PostingList>;
  private count: number;

  /** Makes the index that an image shows, in steps of some milliseconds. */
  static *from(image: IndexImage): Generator<void, MessageIndex> {
    return new MessageIndex(image, yield* listsOf(image));
  }

  /** @param image what it begins with, and its lists */
  constructor(image?: IndexImage, lists?: IndexLists) {
    this.columns = image ? MessageColumns.of(image.rows) : new MessageColumns();
    this.notified = image ? NotifiedMessages.of(image) : new NotifiedMessages();
    this.moved = image ? MovedMessages.of(image.moved) : new MovedMessages();
    this.spellings = lists?.spellings ?? [];
    this.conversations = lists?.conversations ?? new Map<number, ConversationEntry>();
    this.senders = lists?.senders ?? new Map<number, PostingList>();
    this.count = image?.rows.id.length ?? 0;
    for (const { topic } of this.spellings) this.rename(topic);
  }

  /** Begins a copy of everything, from which an equal index can be made. One at a time. */
  beginCopy(): IndexCopy {
    const { columns, notified, moved, spellings } = this;
    const conversation = (recipientId: number): PostingList => this.conversation(recipientId);
    return new IndexCopy({ columns, notified, moved, spellings, conversation });
  }

  /** A copy of everything, made at once: some 50 ms per million messages. */
  image(): IndexImage {
    const copy = this.beginCopy();
    while (copy.step());
    copy.end();
    return copy.image()!;
  }

  /** Messages that exist. */
  get size(): number {
    return this.count;
  }

  /** Whether a message exists. */
  has(id: number): boolean {
    return this.columns.find(id) >= 0;
  }

  /** The summary of a message, or undefined when there is none. */
  peek(id: number): MessageSummary | undefined {
    const row = this.columns.find(id);
    if (row < 0) return undefined;
    const { columns } = this;
    const topic = this.topicAt(row);
    const bits = columns.bitsAt(row);
    return {
      id,
      seq: columns.seqAt(row),
      sender_id: columns.senderAt(row),
      recipient_id: topic.recipientId,
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
    return this.spellings[this.columns.topicAt(row)]!.topic;
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

  /**
   * Whether a message was sent to a channel, or moved into it, at or after a journal position and still
   * exists.
   */
  hadTraffic(channel: { recipient_id: number; stream_id: number }, seq: number): boolean {
    const first = this.columns.firstIdAtSeq(seq);
    const sent = [this.conversation(channel.recipient_id), this.moved.outOf(channel.stream_id)];
    if (sent.some((list) => (list.last ?? -1) >= first)) return true;
    return this.moved.passedThrough(channel.stream_id, seq);
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

  /** Messages that a user sent. */
  sentBy(userId: number): PostingList {
    return this.senders.get(userId) ?? EMPTY;
  }

  /** Adds a message that is not in the index. */
  add(message: MessageDocument): void {
    const topic = this.topicFor(message);
    this.putRow(message, topic);
    this.addToTopic(topic, message);
    this.rename(topic);
    listOf(this.senders, message.sender_id).add(message.id);
    this.notified.add(message);
    this.moved.add(message);
    this.count += 1;
  }

  /**
   * Adds many messages that are not in the index, among older ones too. Costs their number and the length of
   * the lists from the first of them on.
   * @param messages ascending by id
   */
  addAll(messages: readonly MessageDocument[]): void {
    if (messages.length === 1) return this.add(messages[0]!);
    this.columns.makeRoomFor(messages.map(({ id }) => id));
    const given = new Map<PostingList, number[]>();
    const touched = new Set<TopicEntry>();
    for (const message of messages) {
      const { id } = message;
      const topic = this.topicFor(message);
      this.putRow(message, topic);
      touched.add(topic);
      const conversation = this.conversation(message.recipient_id);
      if (topic.list !== conversation) pushTo(given, topic.list, id);
      pushTo(given, conversation, id);
      pushTo(given, listOf(this.senders, message.sender_id), id);
      this.notified.add(message);
      this.moved.add(message);
    }
    for (const [list, ids] of given) list.addAll(ids);
    for (const topic of touched) this.rename(topic);
    this.count += messages.length;
  }

  /** Removes a message that is in the index, given as it was indexed. */
  remove(message: MessageDocument): void {
    const row = this.columns.find(message.id);
    if (row < 0) return;
    const topic = this.topicAt(row);
    this.removeFromTopic(topic, message.id);
    this.senders.get(message.sender_id)?.remove(message.id);
    this.notified.remove(message);
    this.moved.remove(message.id);
    this.columns.remove(row);
    this.rename(topic);
    this.count -= 1;
  }

  /**
   * Removes many messages at once, without their documents. Costs their number and the length of the lists
   * from the first of them on.
   * @param ids ascending; all of them exist
   * @returns reverts the removal
   */
  removeAll(ids: readonly number[]): () => void {
    const { columns } = this;
    const rows = ids.map((id) => columns.rowAt(columns.find(id)));
    const topics = groupBy(rows, (row) => this.spellings[row.topic]!.topic);
    const lists = new Map<PostingList, readonly number[]>();
    for (const [topic, part] of topics) lists.set(topic.list, part);
    for (const [recipientId, part] of groupBy(rows, (row) => this.recipientOf(row))) {
      lists.set(this.conversations.get(recipientId)!.list, part);
    }
    for (const [sender, part] of groupBy(rows, (row) => row.sender)) {
      lists.set(this.senders.get(sender)!, part);
    }
    const bits = rows.reduce((all, row) => all | row.bits, 0);
    for (const list of this.notified.listsOf(ids, bits)) lists.set(list, ids);
    const removed = [...lists].map(([list, part]) => [list, list.removeAll(part)] as const);
    const putBackMoved = this.moved.removeAll(ids);
    for (let i = ids.length - 1; i >= 0; i--) columns.remove(columns.find(ids[i]!));
    for (const topic of topics.keys()) this.rename(topic);
    this.count -= ids.length;
    return () => {
      for (const row of rows) columns.put(row);
      for (const [list, part] of removed) list.addAll(part);
      putBackMoved();
      for (const topic of topics.keys()) this.rename(topic);
      this.count += ids.length;
    };
  }

  /** Updates the index for a changed message. */
  replace(previous: MessageDocument, next: MessageDocument): void {
    this.replaceAll([[previous, next]]);
  }

  /**
   * Updates the index for many changed messages. Costs their number and the length of the lists from the
   * first of them on.
   * @param changes each message before and after, ascending by id
   */
  replaceAll(changes: readonly IndexChange[]): void {
    const taken = new Map<PostingList, number[]>();
    const given = new Map<PostingList, number[]>();
    const touched = new Set<TopicEntry>();
    for (const [previous, next] of changes) {
      const { id } = next;
      const before = this.topicOf(id)!;
      const after = this.topicFor(next);
      this.putRow(next, after);
      touched.add(before).add(after);
      if (before !== after) {
        pushTo(taken, before.list, id);
        pushTo(given, after.list, id);
      }
      if (before.recipientId !== after.recipientId) {
        pushTo(taken, this.conversation(before.recipientId), id);
        pushTo(given, this.conversation(after.recipientId), id);
      }
      this.notified.replace(previous, next);
      if (previous.route !== next.route) {
        this.moved.remove(id);
        this.moved.add(next);
      }
    }
    for (const [list, ids] of taken) list.removeAll(ids);
    for (const [list, ids] of given) list.addAll(ids);
    for (const topic of touched) this.rename(topic);
  }

  /**
   * Updates the index for many messages that were moved and are otherwise unchanged.
   * @param messages as they were before, ascending by id
   * @returns reverts the move
   */
  relocateAll(messages: readonly MessageDocument[], relocation: Relocation): () => void {
    return relocateAll(this.places(), messages, relocation);
  }

  /** Applies changes that another node committed. @returns what was changed */
  fold(changes: readonly EntryChange[], folding: Folding): FoldedMessages {
    const folded = foldedMessages(changes, (id) => this.has(id), folding);
    const { added, merged, removed } = folded;
    if (removed.length > 0) this.removeAll(removed);
    if (added.length > 0) this.addAll(added);
    if (merged.length > 0) this.mergeAll(merged);
    return folded;
  }

  /**
   * Updates the index for messages whose fields another node changed.
   * @param changes of messages that exist, ascending by id
   */
  mergeAll(changes: readonly MergedFields[]): void {
    mergeAll(this.places(), this.notified, changes);
  }

  private places(): Places {
    return {
      columns: this.columns,
      moved: this.moved,
      topicAt: (spelling) => this.spellings[spelling]!.topic,
      nameAt: (spelling) => this.spellings[spelling]!.name,
      topicFor: (place) => this.topicFor(place),
      spellingNumber: (topic, name) => this.spellingNumber(topic, name),
      conversation: (recipientId) => this.conversation(recipientId),
      rename: (topic) => this.rename(topic),
    };
  }

  /** Topic of a message as the message spells it. */
  topicNameOf(id: number): string | undefined {
    const row = this.columns.find(id);
    return row < 0 ? undefined : this.spellings[this.columns.topicAt(row)]!.name;
  }

  private putRow(message: MessageDocument, topic: TopicEntry): void {
    this.columns.put({
      id: message.id,
      seq: message.seq,
      sender: message.sender_id,
      topic: this.spellingNumber(topic, message.topic),
      timestamp: message.timestamp,
      bits: bitsOf(message),
    });
  }

  private topicFor(message: ConversationPlace): TopicEntry {
    let conversation = this.conversations.get(message.recipient_id);
    if (!conversation) {
      conversation = { list: new PostingList(), topics: new Map() };
      this.conversations.set(message.recipient_id, conversation);
    }
    const key = message.topic.toLowerCase();
    let topic = conversation.topics.get(key);
    if (!topic) {
      topic = {
        number: this.spellings.length,
        recipientId: message.recipient_id,
        key,
        name: message.topic,
        // A direct conversation has one topic: one list serves for both.
        list: message.stream_id === null ? conversation.list : new PostingList(),
        others: null,
      };
      this.spellings.push({ topic, name: message.topic });
      conversation.topics.set(key, topic);
    }
    return topic;
  }

  private spellingNumber(topic: TopicEntry, name: string): number {
    if (this.spellings[topic.number]!.name === name) return topic.number;
    topic.others ??= new Map();
    let number = topic.others.get(name);
    if (number === undefined) {
      number = this.spellings.push({ topic, name }) - 1;
      topic.others.set(name, number);
    }
    return number;
  }

  /** Gives a topic the spelling of its newest message. */
  private rename(topic: TopicEntry): void {
    // Nearly all topics have a single spelling.
    if (topic.others === null) return;
    const { last } = topic.list;
    if (last !== undefined) topic.name = this.topicNameOf(last)!;
  }

  private recipientOf(row: Row): number {
    return this.spellings[row.topic]!.topic.recipientId;
  }

  private addToTopic(topic: TopicEntry, message: MessageDocument): void {
    topic.list.add(message.id);
    this.conversations.get(topic.recipientId)!.list.add(message.id);
  }

  private removeFromTopic(topic: TopicEntry, id: number): void {
    topic.list.remove(id);
    this.conversations.get(topic.recipientId)!.list.remove(id);
  }
}

function bitsOf(message: MessageDocument): number {
  return (
    (message.has_link ? BIT.link : 0) |
    (message.has_image ? BIT.image : 0) |
    (message.has_attachment ? BIT.attachment : 0) |
    (message.reactions.length > 0 ? BIT.reaction : 0) |
    (message.channel_wildcard ? BIT.channelWildcard : 0) |
    (notifiesUsers(message) ? BIT.personal : 0)
  );
}

/** Whether the message notifies individual users. */
function notifiesUsers({ mentioned, topic_wildcard, alerted }: MessageDocument): boolean {
  return mentioned.length > 0 || topic_wildcard.length > 0 || alerted.length > 0;
}

/** Ids of rows by a key, in the order of the rows. */
function groupBy<K>(rows: readonly Row[], keyOf: (row: Row) => K): Map<K, number[]> {
  const groups = new Map<K, number[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row.id);
    else groups.set(key, [row.id]);
  }
  return groups;
}
