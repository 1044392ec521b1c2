import type { MessageDocument } from '../../../schemas/documents/message.js';
import type { MessageColumns } from './message-columns.js';
import type { TopicEntry } from './message-index.js';
import type { MovedMessages } from './moved-messages.js';
import type { PostingList } from './posting-list.js';

/** What says where a message lies. */
export type Place = Pick<MessageDocument, 'topic' | 'recipient_id' | 'stream_id'>;

/** A message before, and what changes of where it lies. */
export type Relocation = readonly [previous: MessageDocument, fields: Partial<MessageDocument>];

/** The parts of the index that know where messages lie. */
export interface Places {
  readonly columns: MessageColumns;
  readonly moved: MovedMessages;
  /** The topic of a spelling, by the number of that. */
  topicAt(spelling: number): TopicEntry;
  /** The topic at a place; a new one where there is none. */
  topicFor(place: Place): TopicEntry;
  spellingNumber(topic: TopicEntry, name: string): number;
  conversation(recipientId: number): PostingList;
  /** Gives a topic the spelling of its newest message. */
  rename(topic: TopicEntry): void;
}

/** Messages that follow each other and go from one topic, as they spell it, to another. */
interface Way {
  /** Numbers of the two spellings. */
  readonly from: number;
  readonly to: number;
  readonly after: TopicEntry;
  readonly fields: Partial<MessageDocument>;
  /** Ascending, with their rows. */
  readonly ids: number[];
  readonly rows: number[];
}

/**
 * Notes that many messages lie elsewhere now and are otherwise as they were: a few numbers for each of
 * them, and lists for those that go the same way.
 * @param updates each message before, ascending by id
 * @returns what puts them back
 */
export function relocateAll(places: Places, updates: readonly Relocation[]): () => void {
  const putBack = waysOf(places, updates).map((way) => go(places, way));
  return () => {
    for (let i = putBack.length - 1; i >= 0; i--) putBack[i]!();
  };
}

function waysOf(places: Places, updates: readonly Relocation[]): Way[] {
  const { columns } = places;
  const ways: Way[] = [];
  let way: Way | undefined;
  for (const [{ id, topic, recipient_id, stream_id }, fields] of updates) {
    const row = columns.find(id);
    const from = columns.topicAt(row);
    if (way?.from !== from || !isSamePlace(way.fields, fields)) {
      const place = { topic, recipient_id, stream_id, ...fields };
      const after = places.topicFor(place);
      const to = places.spellingNumber(after, place.topic);
      way = { from, to, after, fields, ids: [], rows: [] };
      ways.push(way);
    }
    way.ids.push(id);
    way.rows.push(row);
  }
  return ways;
}

function isSamePlace(one: Relocation[1], other: Relocation[1]): boolean {
  return (
    one === other ||
    (one.topic === other.topic &&
      one.recipient_id === other.recipient_id &&
      one.route === other.route)
  );
}

function go(places: Places, { from, to, after, fields, ids, rows }: Way): () => void {
  const { columns, moved } = places;
  const before = places.topicAt(from);
  const lists: [PostingList, PostingList][] = [];
  if (before !== after) lists.push([before.list, after.list]);
  if (before.recipientId !== after.recipientId) {
    lists.push([places.conversation(before.recipientId), places.conversation(after.recipientId)]);
  }
  const settle = (): void => {
    places.rename(before);
    places.rename(after);
  };
  for (const row of rows) columns.setTopic(row, to);
  for (const [source, target] of lists) {
    source.removeAll(ids);
    target.addAll(ids);
  }
  const leave = fields.route && moved.rerouteAll(after.recipientId, fields.route, ids);
  settle();
  return () => {
    leave?.();
    for (const [source, target] of lists) {
      target.removeAll(ids);
      source.addAll(ids);
    }
    for (const id of ids) columns.setTopic(columns.find(id), from);
    settle();
  };
}
