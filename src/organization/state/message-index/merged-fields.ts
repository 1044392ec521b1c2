import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import { BIT, type Row } from './message-columns.js';
import type { NotifiedMessages } from './notified-messages.js';
import type { PostingList } from './posting-list.js';
import type { ConversationPlace, Places } from './relocation.js';
import type { TopicEntry } from './topic-entry.js';

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
  places: Places,
  notified: NotifiedMessages,
  changes: readonly MergedFields[],
): void {
  const { columns } = places;
  const taken: Parts = new Map();
  const given: Parts = new Map();
  const touched = new Set<TopicEntry>();
  const routed: (MergedFields & { readonly recipientId: number })[] = [];
  const renotified: (MergedFields & { readonly bits: number })[] = [];
  for (const { id, fields } of changes) {
    const row = columns.rowAt(columns.find(id));
    const before = places.topicAt(row.topic);
    let { topic } = row;
    let { recipientId } = before;
    if (fields.topic !== undefined || fields.recipient_id !== undefined) {
      const target = targetOf(places, row, fields);
      const after = places.topicFor(target);
      topic = places.spellingNumber(after, target.topic);
      ({ recipientId } = after);
      touched.add(before).add(after);
      if (before !== after) move(before.list, after.list, id);
      if (before.recipientId !== recipientId) {
        move(places.conversation(before.recipientId), places.conversation(recipientId), id);
      }
    }
    if (fields.route) routed.push({ id, fields, recipientId });
    if (notified.concerns(fields)) renotified.push({ id, fields, bits: row.bits });
    const { seq = row.seq, timestamp = row.timestamp } = fields;
    columns.put({ ...row, seq, timestamp, topic, bits: bitsAfter(row.bits, fields) });
  }
  for (const [list, ids] of taken) list.removeAll(ids);
  for (const [list, ids] of given) list.addAll(ids);
  for (const topic of touched) places.rename(topic);
  rerouteAll(places, routed);
  notified.mergeAll(renotified);
  for (const { id, fields } of renotified) settlePersonal(places, notified, id, fields);

  function move(from: PostingList, to: PostingList, id: number): void {
    pushTo(taken, from, id);
    pushTo(given, to, id);
  }
}

/** The place of a message after a change. A direct message stays one, and a channel's message one of a channel. */
function targetOf(
  places: Places,
  row: Row,
  { topic, recipient_id, stream_id }: Partial<MessageDocument>,
): ConversationPlace {
  const before = places.topicAt(row.topic);
  const isDirect = before.list === places.conversation(before.recipientId);
  return {
    topic: topic ?? places.nameAt(row.topic),
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
  const row = columns.rowAt(columns.find(id));
  const personal = notified.isPersonal(id, fields, (row.bits & BIT.personal) !== 0);
  columns.put({ ...row, bits: withBit(row.bits, BIT.personal, personal) });
}

/** Gives messages their new routes; those of one move share one. */
function rerouteAll(
  { moved }: Places,
  changes: readonly (MergedFields & { readonly recipientId: number })[],
): void {
  const ways = new Map<string, { first: (typeof changes)[number]; ids: number[] }>();
  for (const change of changes) {
    const { id, recipientId } = change;
    const route = change.fields.route!;
    // An entry that is folded a second time.
    if (moved.isOn(id, recipientId, route)) continue;
    const key = moved.keyOf(recipientId, route);
    const way = ways.get(key);
    if (way) way.ids.push(id);
    else ways.set(key, { first: change, ids: [id] });
  }
  for (const { first, ids } of ways.values()) {
    moved.rerouteAll(first.recipientId, first.fields.route!, ids);
  }
}

/** Adds an id to the part of a list. */
export function pushTo(parts: Parts, list: PostingList, id: number): void {
  const part = parts.get(list);
  if (part) part.push(id);
  else parts.set(list, [id]);
}
