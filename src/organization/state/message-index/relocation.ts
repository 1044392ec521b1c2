import type {
  MessageDocument,
  MessageRoute,
} from '../../../../schemas/messages/message-document.js';
import type { MessageColumns } from './message-columns.js';
import type { ConversationPlace, Conversations, TopicEntry, PostingList } from './posting-lists.js';
import type { MovedMessages } from './moved-messages.js';

/** The effect of a move on messages that move together. */
export interface Relocation {
  /** The fields of the place that all of them then share; the others stay. */
  readonly place: Partial<ConversationPlace>;
  /**
   * The route of a message after the move; messages with the same route share one object. Null where
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

/** Messages that move from one spelling of a topic to another, with the same route. */
interface Move {
  /** Numbers of the two spellings. */
  readonly from: number;
  readonly to: number;
  readonly after: TopicEntry;
  /** Null where they stay in their channel. */
  readonly route: MessageRoute | null;
  /** Ascending, with their rows. */
  readonly ids: number[];
  readonly rows: number[];
}

/**
 * Updates the index for many moved messages: a few numbers for each, and lists for those that move
 * together.
 * @param messages as they were before, ascending by id
 * @returns reverts the move
 */
export function relocateAll(
  places: Places,
  messages: readonly MessageDocument[],
  relocation: Relocation,
): () => void {
  const putBack = movesOf(places, messages, relocation).map((move) => applyMove(places, move));
  return () => {
    for (let i = putBack.length - 1; i >= 0; i--) putBack[i]!();
  };
}

function movesOf(
  places: Places,
  messages: readonly MessageDocument[],
  { place, routeOf }: Relocation,
): Move[] {
  const { columns, conversations } = places;
  const moves: Move[] = [];
  const byRoute = new Map<MessageRoute | null, Map<number, Move>>();
  let move: Move | undefined;
  for (const message of messages) {
    const { id, topic, recipient_id, stream_id } = message;
    const row = columns.find(id);
    const from = columns.topicAt(row);
    const route = routeOf === null ? null : routeOf(message);
    // Nearly all move like the one before.
    if (move?.from !== from || move.route !== route) {
      let byTopic = byRoute.get(route);
      if (!byTopic) byRoute.set(route, (byTopic = new Map<number, Move>()));
      move = byTopic.get(from);
      if (!move) {
        const target = { topic, recipient_id, stream_id, ...place };
        const after = conversations.topicFor(target);
        const to = conversations.spellingNumber(after, target.topic);
        move = { from, to, after, route, ids: [], rows: [] };
        byTopic.set(from, move);
        moves.push(move);
      }
    }
    move.ids.push(id);
    move.rows.push(row);
  }
  return moves;
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
  for (const row of rows) columns.setTopic(row, to);
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
