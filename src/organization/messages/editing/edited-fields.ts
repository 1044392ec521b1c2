import type {
  MessageDocument,
  MessageEditDocument,
  MessageRoute,
} from '../../../../schemas/messages/message-document.js';
import type { MovedGroup } from '../../state/message-index/moved-messages.js';
import type { Relocation } from '../../state/message-index/relocation.js';
import type { Transaction } from '../../state/transaction.js';
import type { MovePlan } from '../../topics/moved-topic.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';

/** What an edit changes of a message, and what its history says of it. */
export interface Changed {
  readonly fields: Partial<MessageDocument>;
  readonly edit: Partial<MessageEditDocument>;
}

/** Longest past, as text, whose consequences are remembered: messages that were edited share none. */
const LONGEST_PAST = 2000;

/** Whether a move leads to another channel. */
export function isBetweenChannels({ from, to }: MovePlan): boolean {
  return from.channel.stream_id !== to.channel.stream_id;
}

/** Whether a move changes a message at all: one may be spelled in the new way already. */
export function isMoved({ topic }: MessageDocument, move: MovePlan): boolean {
  const { from, to } = move;
  return isBetweenChannels(move) || (from.topic !== to.topic && topic !== to.topic);
}

/** Those of some messages that a move changes. */
export function movedOf(
  messages: readonly MessageDocument[],
  move: MovePlan,
): readonly MessageDocument[] {
  if (isBetweenChannels(move)) return messages;
  const { from, to } = move;
  return from.topic === to.topic ? [] : messages.filter(({ topic }) => topic !== to.topic);
}

/** What is then the same for all of them; a topic that only changes its channel keeps their spellings. */
export function placeOf(move: MovePlan): Relocation['place'] {
  const { from, to } = move;
  const { stream_id, recipient_id } = to.channel;
  return {
    ...(from.topic === to.topic ? {} : { topic: to.topic }),
    ...(isBetweenChannels(move) ? { stream_id, recipient_id } : {}),
  };
}

/** The ways of messages to their new channel; those that came the same way share one. */
export function sharedRoutes(
  { org, seq }: Transaction,
  { to }: MovePlan,
): NonNullable<Relocation['routeOf']> {
  const { moved } = org.messages.index;
  const known = new Map<MovedGroup | undefined, MessageRoute>();
  return (message) => {
    const group = moved.of(message.id);
    let after = known.get(group);
    if (!after) known.set(group, (after = movedRoute(message, to.channel, seq)));
    return after;
  };
}

/** Messages with the same past share what becomes of them: a topic may have tens of thousands. */
export function sharedFields(fieldsOf: Relocation['fieldsOf']): Relocation['fieldsOf'] {
  const known = new Map<string, Partial<MessageDocument>>();
  return (message) => {
    const past = pastOf(message);
    if (past.length > LONGEST_PAST) return fieldsOf(message);
    let fields = known.get(past);
    if (!fields) known.set(past, (fields = fieldsOf(message)));
    return fields;
  };
}

/** Tells apart messages to which a move does different things: by where they lie, and how they came there. */
function pastOf({ topic, route, edit_history }: MessageDocument): string {
  if (!route && !edit_history) return topic;
  return `${topic} ${JSON.stringify(route ?? null)} ${JSON.stringify(edit_history ?? null)}`;
}

/** What a move changes of a message that it changes. */
export function moveFields(
  { timestamp }: { readonly timestamp: number },
  seq: number,
  message: MessageDocument,
  move: MovePlan,
  topic_links: MessageDocument['topic_links'],
): Changed {
  const { from, to, resolution } = move;
  const fields: Partial<MessageDocument> = {};
  const edit: Partial<MessageEditDocument> = {};
  // A topic that only changes its channel keeps the spelling of each message.
  if (from.topic !== to.topic && message.topic !== to.topic) {
    Object.assign(fields, { topic: to.topic, topic_links });
    Object.assign(edit, { prev_topic: message.topic, topic: to.topic });
  }
  if (isBetweenChannels(move)) {
    const { stream_id, recipient_id } = to.channel;
    Object.assign(fields, { stream_id, recipient_id, route: movedRoute(message, to.channel, seq) });
    Object.assign(edit, { prev_stream: from.channel.stream_id, stream: stream_id });
  }
  if (resolution === null) fields.last_moved_timestamp = timestamp;
  return { fields, edit };
}

/** Most channels kept of a message's way, beside the one it was sent to. */
const MAX_HOPS = 16;

/**
 * The way of a message that now moves to another channel. Of a very long one the earliest stops are
 * forgotten: then somebody who was not subscribed there for a while counts as having read it, not as
 * never having received it.
 */
export function movedRoute(
  { stream_id, route }: MessageDocument,
  to: ChannelDocument,
  seq: number,
): MessageRoute {
  const { from, hops } = route ?? { from: stream_id!, hops: [] };
  return { from, hops: [...hops.slice(1 - MAX_HOPS), [to.stream_id, seq]] };
}

/** Most changes kept of one message. */
const MAX_KEPT_EDITS = 200;
/** Text of former contents kept of one message, source and HTML, in UTF-16 units. */
const MAX_KEPT_TEXT = 512 * 1024;

/**
 * The history of a message with a new change put in front. At its bounds the two oldest changes become
 * one, so that the original and the newest versions stay.
 */
export function withEdit(
  { edit_history }: MessageDocument,
  edit: MessageEditDocument,
): MessageEditDocument[] {
  const history = [edit, ...(edit_history ?? [])];
  let kept = history.reduce((sum, one) => sum + textOf(one), 0);
  while (history.length > 1 && (history.length > MAX_KEPT_EDITS || kept > MAX_KEPT_TEXT)) {
    const older = history.pop()!;
    const newer = history.pop()!;
    const one = joined(older, newer);
    kept += textOf(one) - textOf(older) - textOf(newer);
    history.push(one);
    // The original alone may be long: it is never given up.
    if (history.length === 2) break;
  }
  return history;
}

function textOf({ prev_content, prev_rendered_content }: MessageEditDocument): number {
  return (prev_content?.length ?? 0) + (prev_rendered_content?.length ?? 0);
}

/** Two changes that follow each other as one: from before the older to after the newer. */
function joined(older: MessageEditDocument, newer: MessageEditDocument): MessageEditDocument {
  const { prev_topic, prev_stream, prev_content, prev_rendered_content } = older;
  return {
    ...older,
    ...newer,
    ...(prev_topic === undefined ? {} : { prev_topic }),
    ...(prev_stream === undefined ? {} : { prev_stream }),
    ...(prev_content === undefined ? {} : { prev_content, prev_rendered_content }),
  };
}
