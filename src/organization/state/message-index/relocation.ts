import type { MessageDocument, MessageRoute } from '../../../../schemas/messages/message.js';
import type { MessageColumns } from './message-columns.js';
import type { ConversationPlace, Conversations, TopicEntry, PostingList } from './posting-lists.js';
import type { MovedMessages } from './moved-messages.js';

/** The effect of a move on messages that move together. */
export interface Relocation {
  /** The fields of the place that all of them then share; the others stay. */
  readonly place: Partial<ConversationPlace>;
  /**
   * The route of a message after the move, which is that of all who came there on the same route. Null where
   * messages stay in their channel.
   */
  readonly routeOf: ((message: MessageDocument) => MessageRoute) | null;
  /**
   * All fields of a message that the move changes. Called whenever the new document is needed, so it must
   * always return the same. Of the indexed fields it changes only the place and the route.
   */
  readonly fieldsOf: (message: MessageDocument) => Partial<MessageDocument>;
}

/** The parts of the index that have the places of messages. */
export interface Places {
  readonly columns: MessageColumns;
  readonly moved: MovedMessages;
  readonly conversations: Conversations;
}

/** Messages with the same spelling of their topic that came there on the same route. */
export interface MovingPart {
  /** Number of the spelling. */
  readonly from: number;
  /** The first of them, as it was before. */
  readonly sample: MessageDocument;
  /** Ascending, with their rows. */
  readonly ids: readonly number[];
  readonly rows: readonly number[];
}

/** Messages that move from one spelling of a topic to another, with the same route. */
interface Move extends MovingPart {
  /** Number of the spelling that they get. */
  readonly to: number;
  readonly after: TopicEntry;
  /** Null where they stay in their channel. */
  readonly route: MessageRoute | null;
}

/**
 * Updates the index for many moved messages: a few numbers for each, and lists for those that move
 * together.
 * @returns reverts the move
 */
export function relocateAll(
  places: Places,
  parts: readonly MovingPart[],
  relocation: Relocation,
): () => void {
  const putBack = parts.map((part) => applyMove(places, moveOf(places, part, relocation)));
  return () => {
    for (let i = putBack.length - 1; i >= 0; i--) putBack[i]!();
  };
}

function moveOf({ conversations }: Places, part: MovingPart, { place, routeOf }: Relocation): Move {
  const { topic, recipient_id, stream_id } = part.sample;
  const target = { topic, recipient_id, stream_id, ...place };
  const after = conversations.topicFor(target);
  const to = conversations.spellingNumber(after, target.topic);
  return { ...part, to, after, route: routeOf === null ? null : routeOf(part.sample) };
}

function applyMove(places: Places, { from, to, after, route, ids, rows }: Move): () => void {
  const { columns, moved, conversations } = places;
  const before = conversations.topicAt(from);
  const lists: [PostingList, PostingList][] = [];
  if (before !== after) lists.push([before.list, after.list]);
  if (before.recipientId !== after.recipientId) {
    lists.push([conversations.list(before.recipientId), conversations.list(after.recipientId)]);
  }
  const settle = (): void => {
    conversations.rename(before);
    conversations.rename(after);
  };
  columns.setTopics(rows, to);
  for (const [source, target] of lists) {
    source.removeAll(ids);
    target.addAll(ids);
  }
  const leave = route && moved.rerouteAll(after.recipientId, route, ids);
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
