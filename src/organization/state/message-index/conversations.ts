import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import type { MessageColumns } from './message-columns.js';
import { PostingList } from './posting-list.js';

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

/** The fields that determine the place of a message. */
export type ConversationPlace = Pick<MessageDocument, 'topic' | 'recipient_id' | 'stream_id'>;

const EMPTY = new PostingList();

/** Conversations has the lists of messages by conversation and topic, and the spellings of topics. */
export class Conversations {
  /** @param columns the rows, which name spellings */
  constructor(
    private readonly columns: MessageColumns,
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
