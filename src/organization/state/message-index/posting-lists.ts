/** Posting lists: ascending lists of message ids, and which of them conversations and topics have. */
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { addAscending, removeAscending } from './ascending-ids.js';

/** Largest id in the index: ids have 32 bits. */
export const MAX_INDEXED_ID = 0xffff_ffff;

const FIRST_CAPACITY = 4;
/** Lists with a smaller capacity never shrink. */
const SMALL = 256;

/** An ascending list of message ids without duplicates, four bytes each. */
export class PostingList {
  private ids: Uint32Array = new Uint32Array(0);
  private used = 0;
  private moves = 0;

  /** A list of ids that ascend already. */
  static from(ascending: ArrayLike<number>): PostingList {
    const list = new PostingList();
    list.ids = Uint32Array.from(ascending);
    list.used = ascending.length;
    return list;
  }

  /** The list of ids that ascend already, in memory that it takes over. */
  static of(ascending: Uint32Array): PostingList {
    const list = new PostingList();
    list.ids = ascending;
    list.used = ascending.length;
    return list;
  }

  /** How many ids there are. */
  get length(): number {
    return this.used;
  }

  /** Number of changes other than ids appended at the end, which leave all others in place. */
  get shifts(): number {
    return this.moves;
  }

  /** Capacity in ids. */
  get capacity(): number {
    return this.ids.length;
  }

  /** Smallest id, or undefined in an empty list. */
  get first(): number | undefined {
    return this.used === 0 ? undefined : this.ids[0];
  }

  /** Largest id, or undefined in an empty list. */
  get last(): number | undefined {
    return this.used === 0 ? undefined : this.ids[this.used - 1];
  }

  /** The id at a position; undefined outside the list. */
  at(position: number): number | undefined {
    return position < this.used ? this.ids[position] : undefined;
  }

  /** Number of ids below `id`: the position where it is or would be. */
  lowerBound(id: number): number {
    const { ids } = this;
    let low = 0;
    let high = this.used;
    // Lookups of the newest messages are by far the most frequent.
    if (high > 0 && id > ids[high - 1]!) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether an id is in the list. */
  has(id: number): boolean {
    return this.at(this.lowerBound(id)) === id;
  }

  /** Whether the list may have an id between two ids, inclusive; true where it has one. */
  reaches(from: number, to: number): boolean {
    return this.used > 0 && this.ids[0]! <= to && this.ids[this.used - 1]! >= from;
  }

  /** Whether the list has an id strictly between two ids. */
  hasBetween(above: number, below: number): boolean {
    const next = this.at(this.lowerBound(above + 1));
    return next !== undefined && next < below;
  }

  /** Adds an id; false when it was there already. Cheap at the end, where nearly all ids are added. */
  add(id: number): boolean {
    const position = this.lowerBound(id);
    if (this.at(position) === id) return false;
    this.reserve(this.used + 1);
    if (position < this.used) {
      this.ids.copyWithin(position + 1, position, this.used);
      this.moves += 1;
    }
    this.ids[position] = id;
    this.used += 1;
    return true;
  }

  /** Removes an id; false when it was not there. */
  remove(id: number): boolean {
    const position = this.lowerBound(id);
    if (this.at(position) !== id) return false;
    this.ids.copyWithin(position, position + 1, this.used);
    this.used -= 1;
    this.moves += 1;
    return true;
  }

  /**
   * Removes ids. Costs the logarithm of the list for each of them and one move of everything behind the
   * first.
   * @param ids ascending
   * @returns the removed ids
   */
  removeAll(ids: readonly number[]): number[] {
    if (ids.length === 0 || !this.reaches(ids[0]!, ids[ids.length - 1]!)) return [];
    const removed = removeAscending(this.ids, this.used, ids);
    if (removed.length === 0) return removed;
    this.used -= removed.length;
    this.moves += 1;
    this.shrink();
    return removed;
  }

  /**
   * Adds ids. Costs the logarithm of the list for each of them and one move of everything behind the first.
   * @param ids ascending, without duplicates; none of them is in the list
   */
  addAll(ids: readonly number[] | Uint32Array): void {
    if (ids.length === 0) return;
    const before = this.used;
    this.reserve(before + ids.length);
    if (before === 0 || ids[0]! > this.ids[before - 1]!) {
      this.ids.set(ids, before);
    } else {
      this.moves += 1;
      addAscending(this.ids, before, ids);
    }
    this.used = before + ids.length;
  }

  /** All ids, ascending. */
  toArray(): number[] {
    return Array.from(this.ids.subarray(0, this.used));
  }

  /** A copy of all ids, ascending. */
  toColumn(): Uint32Array {
    return this.ids.slice(0, this.used);
  }

  /** Releases memory after many removals. */
  private shrink(): void {
    if (this.ids.length <= SMALL || this.used >= this.ids.length / 4) return;
    this.ids = this.ids.slice(0, Math.max(this.used * 2, FIRST_CAPACITY));
  }

  private reserve(count: number): void {
    if (count <= this.ids.length) return;
    // A quarter more keeps the unused capacity of a million messages small and growth rare.
    const grown = new Uint32Array(Math.max(count, FIRST_CAPACITY, Math.ceil(this.used * 1.25)));
    grown.set(this.ids);
    this.ids = grown;
  }
}

/** The list of a key, such as a user, created on first use. */
export function listOf(lists: Map<number, PostingList>, key: number): PostingList {
  let list = lists.get(key);
  if (!list) lists.set(key, (list = new PostingList()));
  return list;
}

/** The messages of one topic; direct conversations have one, with the empty name. */
export interface TopicEntry {
  readonly number: number;
  readonly recipientId: number;
  /** Lower-case name: topics compare without case. */
  readonly key: string;
  /** Spelling of its newest message; in a topic without messages that of a deleted one. */
  name: string;
  readonly list: PostingList;
  /** Numbers of further spellings; the first one has the topic's own number. */
  others: Map<string, number> | null;
}

/** A topic in the spelling of one of its messages; rows refer to spellings by number. */
export interface Spelling {
  readonly topic: TopicEntry;
  readonly name: string;
}

/** The messages of one conversation, and its topics by lower-case name. */
export interface Conversation {
  readonly list: PostingList;
  readonly topics: Map<string, TopicEntry>;
}

/** What the rows of messages say of their spellings. */
interface SpellingColumn {
  /** Row of a message. */
  find(id: number): number;
  /** Number of the spelling that a row has. */
  topicAt(row: number): number;
}

/** The fields that determine the place of a message. */
export type ConversationPlace = Pick<MessageDocument, 'topic' | 'recipient_id' | 'stream_id'>;

const EMPTY = new PostingList();

/** Conversations has the lists of messages by conversation and topic, and the spellings of topics. */
export class Conversations {
  /** @param columns the rows, which name spellings */
  constructor(
    private readonly columns: SpellingColumn,
    readonly spellings: Spelling[] = [],
    private readonly byRecipient = new Map<number, Conversation>(),
  ) {
    for (const { topic } of spellings) this.rename(topic);
  }

  /** All messages of a conversation. */
  list(recipientId: number): PostingList {
    return this.byRecipient.get(recipientId)?.list ?? EMPTY;
  }

  /** A topic that has messages, by any spelling. */
  topic(recipientId: number, name: string): TopicEntry | undefined {
    const entry = this.byRecipient.get(recipientId)?.topics.get(name.toLowerCase());
    return entry && entry.list.length > 0 ? entry : undefined;
  }

  /** Topics of a conversation that have messages, in no particular order. */
  topics(recipientId: number): TopicEntry[] {
    const conversation = this.byRecipient.get(recipientId);
    if (!conversation) return [];
    return [...conversation.topics.values()].filter((topic) => topic.list.length > 0);
  }

  /** The topic of a spelling, by the spelling's number. */
  topicAt(spelling: number): TopicEntry {
    return this.spellings[spelling]!.topic;
  }

  /** The spelling itself. */
  nameAt(spelling: number): string {
    return this.spellings[spelling]!.name;
  }

  /** The topic at a place, created on first use. */
  topicFor(place: ConversationPlace): TopicEntry {
    let conversation = this.byRecipient.get(place.recipient_id);
    if (!conversation) {
      conversation = { list: new PostingList(), topics: new Map() };
      this.byRecipient.set(place.recipient_id, conversation);
    }
    const key = place.topic.toLowerCase();
    let topic = conversation.topics.get(key);
    if (!topic) {
      topic = {
        number: this.spellings.length,
        recipientId: place.recipient_id,
        key,
        name: place.topic,
        // A direct conversation has one topic: one list serves for both.
        list: place.stream_id === null ? conversation.list : new PostingList(),
        others: null,
      };
      this.spellings.push({ topic, name: place.topic });
      conversation.topics.set(key, topic);
    }
    return topic;
  }

  /** The number of a spelling of a topic, which it gets on first use. */
  spellingNumber(topic: TopicEntry, name: string): number {
    if (this.spellings[topic.number]!.name === name) return topic.number;
    topic.others ??= new Map();
    let number = topic.others.get(name);
    if (number === undefined) {
      number = this.spellings.push({ topic, name }) - 1;
      topic.others.set(name, number);
    }
    return number;
  }

  /** Adds a message to the lists of its topic and conversation. */
  add(topic: TopicEntry, id: number): void {
    topic.list.add(id);
    this.byRecipient.get(topic.recipientId)!.list.add(id);
  }

  /** Removes a message from them. */
  remove(topic: TopicEntry, id: number): void {
    topic.list.remove(id);
    this.byRecipient.get(topic.recipientId)!.list.remove(id);
  }

  /** Gives a topic the spelling of its newest message. */
  rename(topic: TopicEntry): void {
    // Nearly all topics have a single spelling.
    if (topic.others === null) return;
    const { last } = topic.list;
    if (last !== undefined) topic.name = this.nameAt(this.columns.topicAt(this.columns.find(last)));
  }
}
