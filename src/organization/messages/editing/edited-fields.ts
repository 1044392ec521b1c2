import type {
  MessageDocument,
  MessageEditDocument,
  MessageRoute,
} from '../../../../schemas/messages/message.js';
import type { MovedGroup } from '../../state/message-index/moved-messages.js';
import type { Relocation } from '../../state/message-index/relocation.js';
import type { Transaction } from '../../state/transaction.js';
import type { MovePlan } from '../../topics/moved-topic.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';

/** The fields of a message that an edit changes, and its entry in the edit history. */
export interface Changed {
  readonly fields: Partial<MessageDocument>;
  readonly edit: Partial<MessageEditDocument>;
}

/** Longest message state, as text, whose new fields are cached: edited messages share none. */
const MAX_STATE_KEY_LENGTH = 2000;

/** Whether a move leads to another channel. */
export function isBetweenChannels({ from, to }: MovePlan): boolean {
  return from.channel.stream_id !== to.channel.stream_id;
}

/** Whether a move changes a message: its topic may have the new spelling already. */
export function isMoved({ topic }: MessageDocument, move: MovePlan): boolean {
  const { from, to } = move;
  return isBetweenChannels(move) || (from.topic !== to.topic && topic !== to.topic);
}

/** The messages that a move changes. */
export function movedOf(
  messages: readonly MessageDocument[],
  move: MovePlan,
): readonly MessageDocument[] {
  if (isBetweenChannels(move)) return messages;
  const { from, to } = move;
  return from.topic === to.topic ? [] : messages.filter(({ topic }) => topic !== to.topic);
}

/**
 * The place that all moved messages then share; a topic that only changes its channel keeps the spelling of
 * each message.
 */
export function placeOf(move: MovePlan): Relocation['place'] {
  const { from, to } = move;
  const { stream_id, recipient_id } = to.channel;
  return {
    ...(from.topic === to.topic ? {} : { topic: to.topic }),
    ...(isBetweenChannels(move) ? { stream_id, recipient_id } : {}),
  };
}

/** The routes of messages to their new channel; messages with the same history share one. */
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

/** Shares the new fields of messages in the same state: a topic may have tens of thousands of messages. */
export function sharedFields(fieldsOf: Relocation['fieldsOf']): Relocation['fieldsOf'] {
  const shared = new Map<string, Partial<MessageDocument>>();
  return (message) => {
    const key = stateKeyOf(message);
    if (key.length > MAX_STATE_KEY_LENGTH) return fieldsOf(message);
    let fields = shared.get(key);
    if (!fields) shared.set(key, (fields = fieldsOf(message)));
    return fields;
  };
}

/** A key of everything that a move's effect on a message depends on: its place, route and edit history. */
export function stateKeyOf({ topic, route, edit_history }: MessageDocument): string {
  if (!route && !edit_history) return topic;
  return `${topic} ${JSON.stringify(route ?? null)} ${JSON.stringify(edit_history ?? null)}`;
}

/** The fields that a move changes of a message. */
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

/** Most channels kept in a message's route, besides the one it was sent to. */
const MAX_HOPS = 16;

/**
 * The route of a message that moves to another channel. A very long route drops its earliest hops: then a
 * user who was not subscribed there for a while counts as having read the message instead of never having
 * received it.
 */
function movedRoute(
  { stream_id, route }: MessageDocument,
  to: ChannelDocument,
  seq: number,
): MessageRoute {
  const { from, hops } = route ?? { from: stream_id!, hops: [] };
  return { from, hops: [...hops.slice(1 - MAX_HOPS), [to.stream_id, seq]] };
}
