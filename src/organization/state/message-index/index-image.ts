import type { MessageColumns } from './message-columns.js';
import type { MovedImage, MovedMessages } from './moved-messages.js';
import type { NotifiedCopy, NotifiedLists, NotifiedMessages } from './notified-messages.js';
import type { RowArrays, RowsCopy } from './rows-copy.js';
import {
  PostingList,
  type Conversation,
  type Conversations,
  type Spelling,
  type TopicEntry,
} from './posting-lists.js';
import { SenderLists, type GroupedIds } from './sender-lists.js';

/** A topic with messages: its conversation, and whether that is a direct one. */
export type TopicImage = readonly [recipientId: number, isDirect: boolean];

/** A spelling of a topic, by the topic's place among the topics. */
export type SpellingImage = readonly [topic: number, name: string];

/**
 * IndexImage is what a message index cannot do without, at one moment: the rows of the messages that exist,
 * and what follows from no row. Lists by conversation, topic and sender are made of the rows.
 */
export interface IndexImage extends NotifiedLists {
  /** Ascending by id; their topics are places among `spellings`. */
  readonly rows: RowArrays;
  readonly topics: readonly TopicImage[];
  readonly spellings: readonly SpellingImage[];
  readonly moved: readonly MovedImage[];
}

/** The parts of an index that an image shows. */
interface IndexParts {
  readonly columns: MessageColumns;
  readonly notified: NotifiedMessages;
  readonly moved: MovedMessages;
  readonly conversations: Conversations;
}

/** Number of a spelling that has none in the image yet. */
const UNKNOWN = -1;
/** Rows that are copied at a time: less than a millisecond. */
const ROWS_PER_STEP = 8192;
/** So many rows take as long as one list of a notified user. */
const ROWS_PER_LIST = 16;

/**
 * IndexCopy makes an image of an index step by step, while the index goes on. Rows are as they were when
 * it began. Lists of notified users may have what was changed since, as documents have that are read while others
 * are written: once all entries after the beginning are folded, they are as the journal says.
 */
export class IndexCopy {
  private readonly rows: RowsCopy;
  private readonly moved: MovedImage[];
  private readonly lists: NotifiedCopy;
  private readonly topics: TopicImage[] = [];
  private readonly spellings: SpellingImage[] = [];
  private readonly topicNumbers = new Map<TopicEntry, number>();
  private readonly numbers: Int32Array;
  private hasRows = true;
  private hasLists = true;

  constructor(private readonly parts: IndexParts) {
    this.rows = parts.columns.beginCopy();
    this.moved = parts.moved.image();
    this.lists = parts.notified.beginCopy();
    this.numbers = new Int32Array(parts.conversations.spellings.length).fill(UNKNOWN);
  }

  /** Does some of the work, as much as so many rows take. @returns whether there is more */
  step(rows = ROWS_PER_STEP): boolean {
    if (this.hasRows) this.hasRows = this.rows.step(rows, (spelling) => this.numberOf(spelling));
    else this.hasLists = this.lists.step(Math.ceil(rows / ROWS_PER_LIST));
    return (this.hasRows || this.hasLists) && !this.rows.isLost;
  }

  /** The index need not tell of its changes any more. */
  end(): void {
    this.parts.columns.endCopy();
  }

  /** The image; null where rows were put between others meanwhile, which happens rarely. */
  image(): IndexImage | null {
    if (this.rows.isLost) return null;
    const { topics, spellings, moved } = this;
    return { rows: this.rows.rows(), topics, spellings, ...this.lists.image(), moved };
  }

  private numberOf(spelling: number): number {
    const known = this.numbers[spelling]!;
    if (known !== UNKNOWN) return known;
    const { topic, name } = this.parts.conversations.spellings[spelling]!;
    let place = this.topicNumbers.get(topic);
    if (place === undefined) {
      const isDirect = topic.list === this.parts.conversations.list(topic.recipientId);
      place = this.topics.push([topic.recipientId, isDirect]) - 1;
      this.topicNumbers.set(topic, place);
    }
    return (this.numbers[spelling] = this.spellings.push([place, name]) - 1);
  }
}

/** Lists of an index, made of its rows. */
export interface IndexLists {
  readonly spellings: Spelling[];
  readonly conversations: Map<number, Conversation>;
  readonly senders: SenderLists;
}

/**
 * The lists that follow from the rows of an image: a few passes over them, in steps of some milliseconds after
 * which the caller may pause.
 */
export function* listsOf({
  rows,
  topics,
  spellings: images,
}: IndexImage): Generator<void, IndexLists> {
  const topicOf = (spelling: number): number => images[spelling]![0];
  const placeOf = (spelling: number): number => topics[topicOf(spelling)]![0];
  const byTopic = listsByKey(yield* grouped(rows.id, rows.topic, topicOf));
  const byConversation = listsByKey(yield* grouped(rows.id, rows.topic, placeOf));
  const senders = new SenderLists(yield* grouped(rows.id, rows.sender, (sender) => sender));
  const conversations: IndexLists['conversations'] = new Map();
  for (const [recipientId, list] of byConversation) {
    conversations.set(recipientId, { list, topics: new Map<string, TopicEntry>() });
  }
  const entries: (TopicEntry | undefined)[] = topics.map(() => undefined);
  const spellings: IndexLists['spellings'] = [];
  for (const [place, name] of images) {
    let topic = entries[place];
    if (topic) {
      topic.others ??= new Map();
      topic.others.set(name, spellings.length);
    } else {
      const [recipientId, isDirect] = topics[place]!;
      const conversation = conversations.get(recipientId)!;
      const list = isDirect ? conversation.list : byTopic.get(place)!;
      const key = name.toLowerCase();
      topic = { number: spellings.length, recipientId, key, name, list, others: null };
      entries[place] = topic;
      conversation.topics.set(key, topic);
    }
    spellings.push({ topic, name });
  }
  return { spellings, conversations, senders };
}

/** Rows that are grouped at a time: some milliseconds. */
const ROWS_AT_A_TIME = 262_144;

/** Ids by group of a column's value, in the order of the rows. */
function* grouped(
  ids: Uint32Array,
  column: Uint32Array,
  groupOf: (value: number) => number,
): Generator<void, GroupedIds> {
  const grouping = new Grouping(ids, column, groupOf);
  for (const [from, to] of stretches(column.length)) {
    grouping.count(from, to);
    yield;
  }
  grouping.makeRoom();
  for (const [from, to] of stretches(column.length)) {
    grouping.place(from, to);
    yield;
  }
  return grouping.groups();
}

/**
 * The steps of {@link grouped}; groups are in the order of their first rows. The loops are no part of the generator, for
 * which V8 would optimize them again and again.
 */
class Grouping {
  private readonly keys: number[] = [];
  private readonly ids: Uint32Array;
  /** Where the ids of each group end; until all are placed, where the next one comes. */
  private ends = new Uint32Array(0);
  private readonly counts: number[] = [];
  private readonly numbers = new Map<number, number>();
  private readonly ofValue: Int32Array | null;
  /** Ids of people that another server gave may be of any size. */
  private readonly ofLarge = new Map<number, number>();

  constructor(
    private readonly source: Uint32Array,
    private readonly column: Uint32Array,
    private readonly groupOf: (value: number) => number,
  ) {
    const values = highest(column) + 1;
    this.ofValue = values <= MOST_VALUES ? new Int32Array(values).fill(UNKNOWN) : null;
    this.ids = new Uint32Array(column.length);
  }

  /** The groups, without the rows that they were made of. */
  groups(): GroupedIds {
    const { keys, ids, ends } = this;
    return { keys, ids, ends };
  }

  count(from: number, to: number): void {
    const { column, counts, ofValue } = this;
    for (let row = from; row < to; row++) {
      const value = column[row]!;
      const known = ofValue ? ofValue[value]! : (this.ofLarge.get(value) ?? UNKNOWN);
      counts[known === UNKNOWN ? this.begin(value) : known]! += 1;
    }
  }

  /** The ids of each group lie behind those of the one before. */
  makeRoom(): void {
    this.ends = new Uint32Array(this.keys.length);
    for (let number = 1; number < this.keys.length; number++) {
      this.ends[number] = this.ends[number - 1]! + this.counts[number - 1]!;
    }
  }

  place(from: number, to: number): void {
    const { source, column, ids, ends, ofValue } = this;
    for (let row = from; row < to; row++) {
      const value = column[row]!;
      const number = ofValue ? ofValue[value]! : this.ofLarge.get(value)!;
      ids[ends[number]!] = source[row]!;
      ends[number]! += 1;
    }
  }

  /** A value that was not seen before. @returns the number of its group */
  private begin(value: number): number {
    const key = this.groupOf(value);
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.keys.push(key) - 1;
      this.counts.push(0);
      this.numbers.set(key, number);
    }
    if (this.ofValue) this.ofValue[value] = number;
    else this.ofLarge.set(value, number);
    return number;
  }
}

/** A list for each group. */
function listsByKey({ keys, ids, ends }: GroupedIds): Map<number, PostingList> {
  const lists = new Map<number, PostingList>();
  for (const [number, key] of keys.entries()) {
    lists.set(key, PostingList.of(ids.slice(ends[number - 1] ?? 0, ends[number])));
  }
  return lists;
}

/** Values of a column that are looked up in a table: 16 MiB. */
const MOST_VALUES = 4 * 1024 * 1024;

function highest(column: Uint32Array): number {
  let most = 0;
  for (let row = 0; row < column.length; row++) if (column[row]! > most) most = column[row]!;
  return most;
}

function* stretches(length: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < length; from += ROWS_AT_A_TIME) {
    yield [from, Math.min(length, from + ROWS_AT_A_TIME)];
  }
}
