import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { EntryChange } from '../../../store/port.js';
import type { Folding } from '../fold.js';
import { Conversations, type TopicEntry, PostingList } from './posting-lists.js';
import { foldedMessages, type FoldedMessages } from './folded-messages.js';
import { BitLists } from './bit-lists.js';
import { BIT, bitsOf, MessageColumns } from './message-columns.js';
import type { Row } from './rows-copy.js';
import { MovedMessages } from './moved-messages.js';
import { NotifiedMessages } from './notified-messages.js';
import { mergeAll, pushTo, type MergedFields } from './merged-fields.js';
import { SenderLists } from './sender-lists.js';
import { relocateAll, type MovingPart, type Relocation } from './relocation.js';
import { IndexCopy, listsOf, type IndexImage, type IndexLists } from './index-image.js';

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
/** Bits of messages that are in lists of {@link NotifiedMessages}. */
const NOTIFYING = BIT.personal | BIT.channelWildcard;

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
  /** Lists of messages with a property. */
  readonly withBit: BitLists;
  /** Lists by conversation and topic. */
  readonly conversations: Conversations;
  private readonly senders: SenderLists;
  private count: number;

  /** Makes the index that an image shows, in steps of some milliseconds. */
  static *from(image: IndexImage): Generator<void, MessageIndex> {
    return new MessageIndex(image, yield* listsOf(image));
  }

  /** @param image what it begins with, and its lists */
  constructor(image?: IndexImage, lists?: IndexLists) {
    this.columns = image ? MessageColumns.of(image.rows) : new MessageColumns();
    this.withBit = new BitLists(this.columns);
    this.notified = image ? NotifiedMessages.of(image) : new NotifiedMessages();
    this.moved = image ? MovedMessages.of(image.moved) : new MovedMessages();
    this.conversations = new Conversations(this.columns, lists?.spellings, lists?.conversations);
    this.senders = lists?.senders ?? new SenderLists();
    this.count = image?.rows.id.length ?? 0;
  }

  /** Begins a copy of everything, from which an equal index can be made. One at a time. */
  beginCopy(): IndexCopy {
    return new IndexCopy(this);
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
    return this.conversations.topicAt(this.columns.topicAt(row));
  }

  /** Topic of a message that exists. */
  topicOf(id: number): TopicEntry | undefined {
    const row = this.columns.find(id);
    return row < 0 ? undefined : this.topicAt(row);
  }

  /** All messages of a conversation. */
  conversation(recipientId: number): PostingList {
    return this.conversations.list(recipientId);
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
    return this.conversations.topic(recipientId, name);
  }

  /** Topics of a conversation that have messages, in no particular order. */
  topics(recipientId: number): TopicEntry[] {
    return this.conversations.topics(recipientId);
  }

  /** Messages that a user sent. */
  sentBy(userId: number): PostingList {
    return this.senders.get(userId) ?? EMPTY;
  }

  /** Adds a message that is not in the index. */
  add(message: MessageDocument): void {
    const { conversations } = this;
    const topic = conversations.topicFor(message);
    const bits = this.putRow(message, topic);
    conversations.add(topic, message.id);
    conversations.rename(topic);
    this.senders.of(message.sender_id).add(message.id);
    if ((bits & NOTIFYING) !== 0) this.notified.add(message);
    if (message.route) this.moved.add(message, message.route);
    this.count += 1;
  }

  /**
   * Adds many messages that are not in the index, among older ones too. Costs their number and the length of
   * the lists from the first of them on.
   * @param messages ascending by id
   */
  addAll(messages: readonly MessageDocument[]): void {
    if (messages.length === 1) return this.add(messages[0]!);
    const { conversations } = this;
    this.columns.makeRoomFor(messages.map(({ id }) => id));
    const given = new Map<PostingList, number[]>();
    const touched = new Set<TopicEntry>();
    for (const message of messages) {
      const { id } = message;
      const topic = conversations.topicFor(message);
      const bits = this.putRow(message, topic);
      touched.add(topic);
      const conversation = this.conversation(message.recipient_id);
      if (topic.list !== conversation) pushTo(given, topic.list, id);
      pushTo(given, conversation, id);
      pushTo(given, this.senders.of(message.sender_id), id);
      if ((bits & NOTIFYING) !== 0) this.notified.add(message);
      if (message.route) this.moved.add(message, message.route);
    }
    for (const [list, ids] of given) list.addAll(ids);
    for (const topic of touched) conversations.rename(topic);
    this.count += messages.length;
  }

  /** Removes a message that is in the index, given as it was indexed. */
  remove(message: MessageDocument): void {
    const row = this.columns.find(message.id);
    if (row < 0) return;
    const { conversations } = this;
    const topic = this.topicAt(row);
    conversations.remove(topic, message.id);
    this.senders.get(message.sender_id)?.remove(message.id);
    this.notified.remove(message);
    this.moved.remove(message.id);
    this.columns.remove(row);
    conversations.rename(topic);
    this.count -= 1;
  }

  /**
   * Removes many messages at once, without their documents. Costs their number and the length of the lists
   * from the first of them on.
   * @param ids ascending; all of them exist
   * @returns reverts the removal
   */
  removeAll(ids: readonly number[]): () => void {
    const { columns, conversations } = this;
    const rows = ids.map((id) => columns.rowAt(columns.find(id)));
    const topics = groupBy(rows, (row) => conversations.topicAt(row.topic));
    const lists = new Map<PostingList, readonly number[]>();
    for (const [topic, part] of topics) lists.set(topic.list, part);
    for (const [recipientId, part] of groupBy(
      rows,
      (row) => conversations.topicAt(row.topic).recipientId,
    )) {
      lists.set(conversations.list(recipientId), part);
    }
    for (const [sender, part] of groupBy(rows, (row) => row.sender)) {
      lists.set(this.senders.get(sender)!, part);
    }
    const bits = rows.reduce((all, row) => all | row.bits, 0);
    for (const list of this.notified.listsOf(ids, bits)) lists.set(list, ids);
    const removed = [...lists].map(([list, part]) => [list, list.removeAll(part)] as const);
    const putBackMoved = this.moved.removeAll(ids);
    for (let i = ids.length - 1; i >= 0; i--) columns.remove(columns.find(ids[i]!));
    for (const topic of topics.keys()) conversations.rename(topic);
    this.count -= ids.length;
    return () => {
      for (const row of rows) columns.put(row);
      for (const [list, part] of removed) list.addAll(part);
      putBackMoved();
      for (const topic of topics.keys()) conversations.rename(topic);
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
    const { conversations } = this;
    const taken = new Map<PostingList, number[]>();
    const given = new Map<PostingList, number[]>();
    const touched = new Set<TopicEntry>();
    for (const [previous, next] of changes) {
      const { id } = next;
      const before = this.topicOf(id)!;
      const after = conversations.topicFor(next);
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
        if (next.route) this.moved.add(next, next.route);
      }
    }
    for (const [list, ids] of taken) list.removeAll(ids);
    for (const [list, ids] of given) list.addAll(ids);
    for (const topic of touched) conversations.rename(topic);
  }

  /**
   * Updates the index for many messages that were moved and are otherwise unchanged.
   * @returns reverts the move
   */
  relocateAll(parts: readonly MovingPart[], relocation: Relocation): () => void {
    return relocateAll(this, parts, relocation);
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
    mergeAll(this, changes);
  }

  /** Topic of a message as the message spells it. */
  topicNameOf(id: number): string | undefined {
    const row = this.columns.find(id);
    return row < 0 ? undefined : this.conversations.nameAt(this.columns.topicAt(row));
  }

  /** @returns the bits of the row */
  private putRow(message: MessageDocument, topic: TopicEntry): number {
    const bits = bitsOf(message);
    this.columns.put({
      id: message.id,
      seq: message.seq,
      sender: message.sender_id,
      topic: this.conversations.spellingNumber(topic, message.topic),
      timestamp: message.timestamp,
      bits,
    });
    return bits;
  }
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
