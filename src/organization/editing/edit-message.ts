import type { MessageDocument, MessageEditDocument } from '../../../schemas/documents/message.js';
import type { MessagesDeleted } from '../../journal/shapes/delete-message.js';
import type { MessageUpdated } from '../../journal/shapes/update-message.js';
import { isMeMessage, type Markdown } from '../../services/markdown/markdown.js';
import type { MessageUpdate } from '../messages/message-collection.js';
import { activityOf, emitActivity } from '../sending/channel-activity.js';
import { reachOf, receivers } from '../sending/reach.js';
import type { Transaction } from '../transaction.js';
import { recipientOf } from './check-edit.js';
import {
  audienceIn,
  flagKinds,
  mayReadArrivals,
  viewersOf,
  type Viewers,
} from './edit-audience.js';
import { withEdit } from './edit-history.js';
import type { EditPlan, MovePlan } from './edit-plan.js';
import { noticeMoved, type WantedNotices } from './move-notices.js';
import { arriveReadings, leavingReadings, tellDropped } from './move-readings.js';
import { movedRoute } from './route.js';

/** What changing messages touches beside them; left out where nothing of it exists. */
export interface EditHooks {
  /**
   * Called when a whole topic has moved, before `update_message`: what users set for the old topic goes
   * along (events.md section 7). `count` is the number of messages that moved.
   */
  readonly topicMoved?: (tx: Transaction, move: MovePlan, count: number) => void;
  /**
   * Called after a content edit, once it was announced, so that files are linked to what the message
   * now says, given by their path ids. Returns the author's files that nothing links to any more.
   */
  readonly relink?: (
    tx: Transaction,
    message: MessageDocument,
    attachments: readonly string[],
  ) => readonly unknown[];
}

/** What an edit needs beside its plan. */
export interface EditParts {
  readonly markdown: Markdown;
  readonly hooks: EditHooks;
}

/** What is changed, where the messages are at hand. */
export interface Edit {
  readonly plan: EditPlan;
  /** Messages that move, ascending, as they are now; only the edited one if nothing moves. */
  readonly messages: readonly MessageDocument[];
  readonly notices: WantedNotices;
}

/**
 * Changes messages and tells everybody concerned, in the order of events.md section 7: `delete_message`
 * to those who lose sight of them, `stream` updates, topic settings, `update_message`; then what is not
 * unread any more, and the notification bot's notes.
 * @returns files that the edit left without a link
 */
export function editMessage(tx: Transaction, edit: Edit, parts: EditParts): readonly unknown[] {
  const { plan } = edit;
  if (plan.move && isBetweenChannels(plan.move)) moveBetweenChannels(tx, edit, plan.move, parts);
  else changeInPlace(tx, edit, parts);
  if (plan.move) {
    const { index } = tx.org.messages;
    const { from } = plan.move;
    const left = index.topic(from.channel.recipient_id, from.topic);
    const outcome = {
      user: plan.user,
      move: plan.move,
      count: edit.messages.length,
      whole: left === undefined,
    };
    noticeMoved(tx, parts.markdown, outcome, edit.notices);
  }
  return detached(tx, edit, parts);
}

/** The `detached_uploads` of the reply: files linked by nothing since the edit. */
function detached(tx: Transaction, { plan }: Edit, { hooks }: EditParts): readonly unknown[] {
  if (!plan.content || !hooks.relink) return [];
  const { attachments } = plan.content.rendered;
  return hooks.relink(tx, tx.org.messages.resident(plan.message.id)!, attachments);
}

function isBetweenChannels({ from, to }: MovePlan): boolean {
  return from.channel.stream_id !== to.channel.stream_id;
}

/** A change of content, of topic, or both. */
function changeInPlace(tx: Transaction, edit: Edit, parts: EditParts): void {
  const { org } = tx;
  const { plan } = edit;
  const { move, message } = plan;
  const channel = message.stream_id === null ? null : org.channels.get(message.stream_id)!;
  apply(tx, edit, parts);
  if (move) announceTopicMoved(tx, move, edit, parts);
  const ids = edit.messages.map(({ id }) => id);
  if (channel) {
    const viewers = viewersOf(org, channel, ids);
    const isSplit = plan.content !== null && move !== null;
    const knows = ({ ids: seen }: Viewers) => !isSplit || seen.includes(message.id);
    const told = usersOf(viewers.filter(knows));
    announce(tx, edit, told, audienceIn(org, channel, told));
    for (const one of viewers) if (!knows(one)) announceRest(tx, edit, one);
    return;
  }
  const people = org.conversations.get(message.recipient_id)?.user_ids ?? [];
  const users = people.filter((id) => org.users.active.has(id));
  announce(tx, edit, new Set(users), { to: 'users', users });
}

/**
 * Tells those who see some of the messages that moved but not the edited one, because it came before
 * they did: of the move of theirs, and nothing of its text.
 */
function announceRest(tx: Transaction, edit: Edit, { ids, users }: Viewers): void {
  const messages = edit.messages.filter(({ id }) => ids.includes(id));
  const rest = { ...edit, messages, plan: { ...edit.plan, message: messages[0]!, content: null } };
  announce(tx, rest, new Set(users), { to: 'users', users: [...users].sort((a, b) => a - b) });
}

function moveBetweenChannels(tx: Transaction, edit: Edit, move: MovePlan, parts: EditParts): void {
  const { org } = tx;
  const { from, to } = move;
  const ids = edit.messages.map(({ id }) => id);
  const before = viewersOf(org, from.channel, ids);
  const readings = leavingReadings(org, from.channel, to.channel, ids);
  const activity = [from.channel, to.channel].map((channel) => activityOf(tx, channel));
  const told = new Set(
    org.subscriptions
      .subscribers(to.channel.stream_id)
      .filter((userId) => org.users.active.has(userId)),
  );
  const lost: Viewers[] = [];
  for (const { ids: seen, users } of before) {
    const blind: number[] = [];
    for (const userId of users) {
      if (mayReadArrivals(org, to.channel, org.users.get(userId)!)) told.add(userId);
      else blind.push(userId);
    }
    if (blind.length > 0) lost.push({ ids: seen, users: blind });
  }
  apply(tx, edit, parts);
  arriveReadings(tx, to.channel, readings);
  for (const one of lost) takeAway(tx, one, from);
  for (const one of activity) emitActivity(tx, one);
  announceTopicMoved(tx, move, edit, parts);
  announce(tx, edit, told, audienceIn(org, to.channel, told));
  tellDropped(tx, readings, told);
}

function announceTopicMoved(
  tx: Transaction,
  move: MovePlan,
  { messages }: Edit,
  { hooks }: EditParts,
): void {
  const { index } = tx.org.messages;
  const { channel, topic } = move.from;
  if (!index.topic(channel.recipient_id, topic)) hooks.topicMoved?.(tx, move, messages.length);
}

/** Messages that went where people cannot follow are gone for them, and so are their marks. */
function takeAway(tx: Transaction, { ids, users }: Viewers, from: MovePlan['from']): void {
  const { marks } = tx.org;
  const losers = new Set(users);
  for (const id of ids) {
    for (const userId of marks.usersOf(id)) {
      if (losers.has(userId)) marks.delete(`${userId}:${id}`);
    }
  }
  const data: MessagesDeleted = {
    message_type: 'stream',
    message_ids: ids,
    stream_id: from.channel.stream_id,
    topic: from.topic,
  };
  const audience = { to: 'users', users: [...users].sort((a, b) => a - b) } as const;
  tx.emit('delete_message', audience, data, { slots: ids.length });
}

function usersOf(viewers: readonly Viewers[]): Set<number> {
  return new Set(viewers.flatMap(({ users }) => users));
}

/** Changes the documents. */
function apply(tx: Transaction, { plan, messages }: Edit, { markdown }: EditParts): void {
  const { move } = plan;
  const links = move ? markdown.renderTopicLinks(move.to.topic, tx.org.linkifiers.compiled) : [];
  const by = { user_id: plan.user.user_id, timestamp: tx.seconds };
  const fieldsOf = (message: MessageDocument, edited: Changed | null) => {
    const moved = move ? moveFields(tx, message, move, links) : null;
    // A message may be spelled in the new way already.
    if (!edited && !moved) return null;
    const edit: MessageEditDocument = { ...by, ...edited?.edit, ...moved?.edit };
    return { ...edited?.fields, ...moved?.fields, edit_history: withEdit(message, edit) };
  };
  // Messages with the same past share what becomes of them: a topic may have tens of thousands.
  const shared = new Map<string, Partial<MessageDocument> | null>();
  const movedFields = (message: MessageDocument) => {
    const past = pastOf(message);
    let fields = shared.get(past);
    if (fields === undefined) shared.set(past, (fields = fieldsOf(message, null)));
    return fields;
  };
  const updates: MessageUpdate[] = [];
  for (const message of messages) {
    const edited = message.id === plan.message.id ? contentFields(tx, plan) : null;
    const fields = edited ? fieldsOf(message, edited) : movedFields(message);
    if (fields) updates.push([message, fields]);
  }
  tx.org.messages.updateAll(updates, tx.seq);
}

/** Tells apart messages to which a move does different things: by where they lie, and how they came there. */
function pastOf({ topic, route, edit_history }: MessageDocument): string {
  if (!route && !edit_history) return topic;
  return `${topic} ${JSON.stringify(route ?? null)} ${JSON.stringify(edit_history ?? null)}`;
}

interface Changed {
  readonly fields: Partial<MessageDocument>;
  readonly edit: Partial<MessageEditDocument>;
}

function contentFields(tx: Transaction, plan: EditPlan): Changed | null {
  const { message, content } = plan;
  if (!content) return null;
  const { org } = tx;
  const { text, rendered } = content;
  const recipient = recipientOf(org, message);
  const reach = reachOf(org, recipient, rendered.mentions);
  return {
    fields: {
      content: text,
      rendered_content: rendered.html,
      mentioned: reach.mentioned,
      channel_wildcard: reach.channelWildcard,
      topic_wildcard: reach.topicWildcard,
      alerted: org.alertWords.matching(text, receivers(org, recipient)),
      has_link: rendered.has_link,
      has_image: rendered.has_image,
      has_attachment: rendered.has_attachment,
      last_edit_timestamp: tx.seconds,
    },
    edit: { prev_content: message.content, prev_rendered_content: message.rendered_content },
  };
}

function moveFields(
  tx: Transaction,
  message: MessageDocument,
  { from, to, resolution }: MovePlan,
  topic_links: MessageDocument['topic_links'],
): Changed | null {
  const fields: Partial<MessageDocument> = {};
  const edit: Partial<MessageEditDocument> = {};
  // A topic that only changes its channel keeps the spelling of each message.
  if (from.topic !== to.topic && message.topic !== to.topic) {
    Object.assign(fields, { topic: to.topic, topic_links });
    Object.assign(edit, { prev_topic: message.topic, topic: to.topic });
  }
  if (from.channel.stream_id !== to.channel.stream_id) {
    const { stream_id, recipient_id } = to.channel;
    Object.assign(fields, {
      stream_id,
      recipient_id,
      route: movedRoute(message, to.channel, tx.seq),
    });
    Object.assign(edit, { prev_stream: from.channel.stream_id, stream: stream_id });
  }
  if (Object.keys(edit).length === 0) return null;
  if (resolution === null) fields.last_moved_timestamp = tx.seconds;
  return { fields, edit };
}

function announce(
  tx: Transaction,
  { plan, messages }: Edit,
  users: ReadonlySet<number>,
  audience: Parameters<Transaction['emit']>[1],
): void {
  const { org } = tx;
  const { message, content, move } = plan;
  const channel = message.stream_id === null ? null : org.channels.get(message.stream_id)!;
  const now = org.messages.resident(message.id)!;
  const data: MessageUpdated = {
    user_id: plan.user.user_id,
    edit_timestamp: tx.seconds,
    message_id: message.id,
    message_ids: messages.map(({ id }) => id),
    rendering_only: false,
    ...(channel ? { stream_id: channel.stream_id, stream_name: channel.name } : {}),
    ...(content
      ? {
          orig_content: message.content,
          orig_rendered_content: message.rendered_content,
          content: now.content,
          rendered_content: now.rendered_content,
          is_me_message: isMeMessage(now.content),
        }
      : {}),
    ...(move ? moveData(move, now) : {}),
    ...flagKinds(org, now, users),
  };
  tx.emit('update_message', audience, data as unknown as Record<string, unknown>);
}

function moveData({ from, to, mode }: MovePlan, now: MessageDocument): Partial<MessageUpdated> {
  return {
    orig_subject: from.topic,
    ...(from.topic === to.topic ? {} : { subject: to.topic, topic_links: now.topic_links }),
    ...(from.channel.stream_id === to.channel.stream_id
      ? {}
      : { new_stream_id: to.channel.stream_id }),
    propagate_mode: mode,
  };
}
