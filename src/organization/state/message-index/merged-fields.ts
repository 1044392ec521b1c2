import type { MessageDocument, MessageRoute } from '../../../../schemas/messages/message.js';
import { BIT } from './message-columns.js';
import { groupKey, isSameRoute } from './moved-messages.js';
import type { NotifiedMessages } from './notified-messages.js';
import type { PostingList, ConversationPlace, Conversations, TopicEntry } from './posting-lists.js';
import type { Places } from './relocation.js';

/** Fields of a message that an entry changes; the document before is not known. */
export interface MergedFields {
  readonly id: number;
  readonly fields: Partial<MessageDocument>;
}

/** Ids by list, ascending. */
type Parts = Map<PostingList, number[]>;

const FLAGS = [
  ['has_link', BIT.link],
  ['has_image', BIT.image],
  ['has_attachment', BIT.attachment],
  ['channel_wildcard', BIT.channelWildcard],
] as const;

/**
 * Updates the index for messages whose fields another node changed, from the fields and the index's own
 * rows. Costs their number and the length of the lists from the first of them on.
 * @param changes of messages that exist, ascending by id
 */
export function mergeAll(
  index: Places & { readonly notified: NotifiedMessages },
  changes: readonly MergedFields[],
): void {
  const { columns, conversations, notified } = index;
  const taken: Parts = new Map();
  const given: Parts = new Map();
  const touched = new Set<TopicEntry>();
  const routed: Routed[] = [];
  const renotified: (MergedFields & { readonly bits: number })[] = [];
  let move: Move | undefined;
  for (const { id, fields } of changes) {
    const row = columns.find(id);
    const from = columns.topicAt(row);
    const bits = columns.bitsAt(row);
    if (fields.topic !== undefined || fields.recipient_id !== undefined) {
      // Nearly all move like the one before.
      if (!move || !isSameMove(move, from, fields)) move = moveOf(conversations, from, fields);
      for (const [source, target] of move.lists) {
        pushTo(taken, source, id);
        pushTo(given, target, id);
      }
      for (const topic of move.topics) touched.add(topic);
      columns.setTopic(row, move.to);
    }
    if (fields.route)
      routed.push({
        id,
        recipientId: conversations.topicAt(columns.topicAt(row)).recipientId,
        route: fields.route,
      });
    if (notified.concerns(fields)) renotified.push({ id, fields, bits });
    columns.setBits(row, bitsAfter(bits, fields));
    const { seq, timestamp } = fields;
    if (seq !== undefined || timestamp !== undefined) {
      columns.setTimes(row, seq ?? columns.seqAt(row), timestamp ?? columns.timestampAt(row));
    }
  }
  for (const [list, ids] of taken) list.removeAll(ids);
  for (const [list, ids] of given) list.addAll(ids);
  for (const topic of touched) conversations.rename(topic);
  rerouteAll(index, routed);
  notified.mergeAll(renotified);
  for (const { id, fields } of renotified) settlePersonal(index, notified, id, fields);
}

/** From a spelling of a topic to another one. */
interface Move {
  readonly from: number;
  readonly to: number;
  /** The fields that name the place. */
  readonly topic: string | undefined;
  readonly recipientId: number | undefined;
  /** Lists that a message leaves, with those it enters. */
  readonly lists: readonly (readonly [PostingList, PostingList])[];
  readonly topics: readonly TopicEntry[];
}

function isSameMove(
  move: Move,
  from: number,
  { topic, recipient_id }: Partial<MessageDocument>,
): boolean {
  return move.from === from && move.topic === topic && move.recipientId === recipient_id;
}

function moveOf(
  conversations: Conversations,
  from: number,
  fields: Partial<MessageDocument>,
): Move {
  const before = conversations.topicAt(from);
  const target = targetOf(conversations, from, fields);
  const after = conversations.topicFor(target);
  const lists: [PostingList, PostingList][] = [];
  if (before !== after) lists.push([before.list, after.list]);
  if (before.recipientId !== after.recipientId) {
    lists.push([conversations.list(before.recipientId), conversations.list(after.recipientId)]);
  }
  return {
    from,
    to: conversations.spellingNumber(after, target.topic),
    topic: fields.topic,
    recipientId: fields.recipient_id,
    lists,
    topics: [before, after],
  };
}

/** The place of a message after a change. A direct message stays one, and a channel's message one of a channel. */
function targetOf(
  conversations: Conversations,
  from: number,
  { topic, recipient_id, stream_id }: Partial<MessageDocument>,
): ConversationPlace {
  const before = conversations.topicAt(from);
  const isDirect = before.list === conversations.list(before.recipientId);
  return {
    topic: topic ?? conversations.nameAt(from),
    recipient_id: recipient_id ?? before.recipientId,
    // Which channel does not matter for the place in the index.
    stream_id: isDirect ? null : (stream_id ?? 0),
  };
}

function bitsAfter(bits: number, fields: Partial<MessageDocument>): number {
  let after = bits;
  for (const [name, bit] of FLAGS) {
    if (fields[name] !== undefined) after = withBit(after, bit, fields[name]);
  }
  if (fields.reactions === undefined) return after;
  return withBit(after, BIT.reaction, fields.reactions.length > 0);
}

function withBit(bits: number, bit: number, wanted: boolean): number {
  return wanted ? bits | bit : bits & ~bit;
}

/** Records whether users are still notified of the message, once the lists are current. */
function settlePersonal(
  { columns }: Places,
  notified: NotifiedMessages,
  id: number,
  fields: Partial<MessageDocument>,
): void {
  const row = columns.find(id);
  const bits = columns.bitsAt(row);
  const personal = notified.isPersonal(id, fields, (bits & BIT.personal) !== 0);
  columns.setBits(row, withBit(bits, BIT.personal, personal));
}

/** A message that arrived in a conversation. */
interface Routed {
  readonly id: number;
  readonly recipientId: number;
  readonly route: MessageRoute;
}

/** Messages that arrived in a conversation on one route. */
interface Arrivals extends Omit<Routed, 'id'> {
  readonly ids: number[];
}

/** Gives messages their new routes; those of one move share one. */
function rerouteAll({ moved }: Places, changes: readonly Routed[]): void {
  const groups = new Map<string, Arrivals>();
  let last: Arrivals | undefined;
  for (const { id, recipientId, route } of changes) {
    // An entry that is folded a second time.
    if (moved.isOn(id, recipientId, route)) continue;
    // Nearly all move like the one before.
    if (last?.recipientId !== recipientId || !isSameRoute(last.route, route)) {
      const key = groupKey(recipientId, route);
      last = groups.get(key);
      if (!last) groups.set(key, (last = { recipientId, route, ids: [] }));
    }
    last.ids.push(id);
  }
  for (const group of groups.values()) {
    moved.rerouteAll(group.recipientId, group.route, group.ids);
  }
}

/** Adds an id to the part of a list. */
export function pushTo(parts: Parts, list: PostingList, id: number): void {
  const part = parts.get(list);
  if (part) part.push(id);
  else parts.set(list, [id]);
}
