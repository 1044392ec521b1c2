import type { DetachedUpload } from '../../../../schemas/messages/message-editing.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { MessageDocument, MessageEditDocument } from '../../../../schemas/messages/message.js';
import { placeIn, type Audience } from '../../../journal/entry.js';
import type { MessageUpdated } from '../../../journal/renderers/update-message.js';
import { isMeMessage, type Markdown } from '../../../services/markdown/markdown.js';
import { activityChanges, activityOf } from '../../views/channel-activity.js';
import { emitChannelUpdate } from '../../views/channel-events.js';
import { mentionTargetsOf, receivers } from '../sending/outgoing-message.js';
import { emitMessagesDeleted, emitMessageUpdated } from '../message-events.js';
import type { MovingMessages } from '../../state/message-index/moving-messages.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';
import { type EditPlan, recipientOf } from './check-edit.js';
import {
  activeSubscribers,
  allIn,
  audienceIn,
  flagKinds,
  mayReadArrivals,
  viewersOf,
  type Viewers,
} from './edit-audience.js';
import {
  isBetweenChannels,
  isMoved,
  movedOf,
  moveFields,
  placeOf,
  sharedFields,
  sharedRoutes,
  type Changed,
} from './edited-fields.js';
import { checkHistory, withEdit } from './edit-history.js';
import { moveTopicPolicies, type MovePlan } from '../../topics/moved-topic.js';
import { relinkAttachments } from '../attachment-links.js';
import { followMovedStart } from './moved-start.js';
import { postMoveNotices, type WantedNotices } from './move-notices.js';
import { recordMove } from './move-record.js';
import { transferReadState, captureReadState, emitDroppedFlags } from './move-read-state.js';

/** Dependencies of an edit. */
export interface EditParts {
  readonly markdown: Markdown;
}

/** An edit with its messages loaded. */
interface Edit {
  readonly plan: EditPlan;
  /** The messages that move, ascending, as they are now; only the edited one if nothing moves. */
  readonly messages: readonly MessageDocument[];
  /** The same, gathered for a move of many; else null. */
  readonly gathered: MovingMessages | null;
  /** Their ids. */
  readonly ids: readonly number[];
  readonly notices: WantedNotices;
}

/**
 * Changes messages and emits the events in the order of events.md#order: `delete_message` to users who can
 * no longer see them, `stream` updates, topic settings, `update_message`; then read flags and the
 * notification bot's messages.
 * @returns files that the edit left without a link
 * @throws ApiError where a history has no room for it
 */
export function editMessage(
  tx: Transaction,
  edit: Edit,
  parts: EditParts,
): readonly DetachedUpload[] {
  const { plan } = edit;
  checkHistory(plan, edit.messages);
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
    recordMove(tx, plan.user, plan.move, edit.messages);
    postMoveNotices(tx, parts.markdown, outcome, edit.notices);
  }
  return detached(tx, edit);
}

/** The `detached_uploads` of the reply: files that no message links since the edit. */
function detached(tx: Transaction, { plan }: Edit): readonly DetachedUpload[] {
  if (!plan.content) return [];
  const { id, sender_id } = plan.message;
  const author = tx.org.users.get(sender_id)!;
  return relinkAttachments(tx, author, id, plan.content.rendered.attachments);
}

/** Changes the content, the topic, or both. */
function changeInPlace(tx: Transaction, edit: Edit, parts: EditParts): void {
  const { org } = tx;
  const { plan } = edit;
  const { move, message } = plan;
  const channel = message.stream_id === null ? null : org.channels.get(message.stream_id)!;
  apply(tx, edit, parts);
  if (move) movePolicies(tx, move, edit);
  const { ids } = edit;
  if (channel) {
    const viewers = viewersOf(org, channel, ids);
    const isSplit = plan.content !== null && move !== null;
    const seesEdited = ({ ids: seen }: Viewers) => !isSplit || placeIn(seen, message.id) >= 0;
    const seeing = viewers.filter(seesEdited);
    emitUpdate(tx, edit, usersOf(seeing), audienceOf(org, channel, seeing));
    for (const one of viewers) if (!seesEdited(one)) emitRest(tx, edit, one);
    return;
  }
  const people = org.conversations.get(message.recipient_id)?.user_ids ?? [];
  const users = people.filter((id) => org.users.active.has(id));
  emitUpdate(tx, edit, users, { to: 'users', users });
}

/**
 * Emits the move to users who can read some of the moved messages but not the edited one, which came before
 * they subscribed; without its text.
 */
function emitRest(tx: Transaction, edit: Edit, { ids, users }: Viewers): void {
  const first = edit.messages[placeIn(edit.ids, ids[0]!)]!;
  const rest = { ...edit, ids, plan: { ...edit.plan, message: first, content: null } };
  emitUpdate(tx, rest, users, { to: 'users', users: [...users].sort((a, b) => a - b) });
}

function moveBetweenChannels(tx: Transaction, edit: Edit, move: MovePlan, parts: EditParts): void {
  const { org } = tx;
  const { from, to } = move;
  const { ids } = edit;
  const before = viewersOf(org, from.channel, ids);
  const readState = captureReadState(org, from.channel, to.channel, ids);
  const activity = [from.channel, to.channel].map((channel) => activityOf(org, channel));
  const subscribers = activeSubscribers(org, to.channel.stream_id);
  const remaining = org.subscriptions.in(to.channel.stream_id);
  // Users who do not subscribe to the new channel, and may read it.
  const outside = new Set<number>();
  const lost: Viewers[] = [];
  for (const { ids: seen, users } of before) {
    const withoutAccess: number[] = [];
    for (const userId of users) {
      // Nearly all users subscribe to both channels.
      if (remaining.has(userId)) continue;
      if (mayReadArrivals(org, to.channel, org.users.get(userId)!)) outside.add(userId);
      else withoutAccess.push(userId);
    }
    if (withoutAccess.length > 0) lost.push({ ids: seen, users: withoutAccess, outside: null });
  }
  apply(tx, edit, parts);
  transferReadState(tx, from.channel, to.channel, readState);
  for (const one of lost) emitLost(tx, one, from);
  for (const one of activity) {
    for (const change of activityChanges(org, one)) emitChannelUpdate(tx, one.channel, change);
  }
  movePolicies(tx, move, edit);
  const others = [...outside];
  emitUpdate(tx, edit, subscribers.concat(others), allIn(to.channel, others));
  emitDroppedFlags(tx, readState, outside);
}

/**
 * Where a whole topic has moved, moves what its users set along; who now has the first message of a topic may follow it.
 * Before `update_message` (events.md#order).
 */
function movePolicies(tx: Transaction, move: MovePlan, { messages }: Edit): void {
  const { index } = tx.org.messages;
  const { channel, topic } = move.from;
  if (!index.topic(channel.recipient_id, topic)) moveTopicPolicies(tx, move, messages.length);
  followMovedStart(tx, move, messages);
}

/**
 * Emits the deletion to users who cannot read the new channel, deletes their flags of the messages, and takes notices
 * of them off their devices.
 */
function emitLost(tx: Transaction, { ids, users }: Viewers, from: MovePlan['from']): void {
  const { messageFlags } = tx.org;
  tx.hooks.notifier?.withdrawn(ids);
  const lostUsers = new Set(users);
  for (const id of ids) {
    for (const userId of messageFlags.usersOf(id)) {
      if (lostUsers.has(userId)) messageFlags.delete(`${userId}:${id}`);
    }
  }
  const audience = { to: 'users', users: [...users].sort((a, b) => a - b) } as const;
  emitMessagesDeleted(tx, audience, ids, from);
}

/** Each user is a viewer once. */
function usersOf(viewers: readonly Viewers[]): readonly number[] {
  return viewers.length === 1 ? viewers[0]!.users : viewers.flatMap(({ users }) => users);
}

function audienceOf(
  org: Organization,
  channel: ChannelDocument,
  viewers: readonly Viewers[],
): Audience {
  const outside = viewers.length === 1 ? viewers[0]!.outside : null;
  if (outside) return allIn(channel, outside);
  return audienceIn(org, channel, new Set(usersOf(viewers)));
}

/** Changes the documents. */
function apply(tx: Transaction, { plan, messages, gathered }: Edit, { markdown }: EditParts): void {
  const { move, message } = plan;
  const links = move ? markdown.renderTopicLinks(move.to.topic, tx.org.linkifiers.compiled) : [];
  const by = { user_id: plan.user.user_id, timestamp: tx.seconds };
  const { seq } = tx;
  const fieldsOf = (message: MessageDocument, edited: Changed | null) => {
    const moved = move && isMoved(message, move) ? moveFields(by, seq, message, move, links) : null;
    const edit: MessageEditDocument = { ...by, ...edited?.edit, ...moved?.edit };
    return { ...edited?.fields, ...moved?.fields, edit_history: withEdit(message, edit) };
  };
  const edited = contentFields(tx, plan);
  if (edited) {
    const now = messages.find(({ id }) => id === message.id)!;
    const fields = fieldsOf(now, edited);
    tx.org.messages.updateAll([[now, fields]], seq);
    tx.hooks.notifier?.edited(now, { ...now, ...fields });
    const { pages } = plan.content!.rendered;
    tx.hooks.pagePreviews?.changed(tx, plan.user, { ...now, ...fields }, pages);
  }
  if (!move) return;
  const rest = edited ? messages.filter(({ id }) => id !== message.id) : messages;
  const relocation = {
    place: placeOf(move),
    routeOf: isBetweenChannels(move) ? sharedRoutes(tx, move) : null,
    fieldsOf: sharedFields((one) => fieldsOf(one, null)),
  };
  if (!edited && gathered?.parts.every(({ sample }) => isMoved(sample, move))) {
    tx.org.messages.relocate(gathered, relocation, seq);
  } else {
    tx.org.messages.relocateAll(movedOf(rest, move), relocation, seq);
  }
}

function contentFields(tx: Transaction, plan: EditPlan): Changed | null {
  const { message, content } = plan;
  if (!content) return null;
  const { org } = tx;
  const { text, rendered } = content;
  const recipient = recipientOf(org, message);
  const targets = mentionTargetsOf(org, recipient, rendered.mentions);
  return {
    fields: {
      content: text,
      rendered_content: rendered.html,
      mentioned: targets.mentioned,
      channel_wildcard: targets.channelWildcard,
      topic_wildcard: targets.topicWildcard,
      alerted: org.alertWords.matching(text, receivers(org, recipient)),
      has_link: rendered.has_link,
      has_image: rendered.has_image,
      has_attachment: rendered.has_attachment,
      last_edit_timestamp: tx.seconds,
    },
    edit: { prev_content: message.content, prev_rendered_content: message.rendered_content },
  };
}

function emitUpdate(
  tx: Transaction,
  { plan, ids }: Pick<Edit, 'plan' | 'ids'>,
  users: readonly number[],
  audience: Audience,
): void {
  const { org } = tx;
  const { message, content, move } = plan;
  const channel = message.stream_id === null ? null : org.channels.get(message.stream_id)!;
  const now = org.messages.resident(message.id)!;
  const data: MessageUpdated = {
    user_id: plan.user.user_id,
    edit_timestamp: tx.seconds,
    message_id: message.id,
    message_ids: [...ids],
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
  emitMessageUpdated(tx, audience, data);
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
