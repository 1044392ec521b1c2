import type { MessageDocument, SubmessageDocument } from '../../../../schemas/messages/message.js';
import { BOT_TYPE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { MAX_WAITING_HOOKS } from '../../../../schemas/limits.js';
import { VISIBILITY, type VisibilityPolicy } from '../../../../schemas/topics/user-topics.js';
import type { Audience } from '../../../journal/entry.js';
import type { MessageEventData } from '../../../journal/renderers/message.js';
import { claimAttachments } from '../attachment-links.js';
import { MessageAccess } from '../message-access.js';
import { widgetOf, type WidgetContent } from '../widgets/widget-content.js';
import { messageContext } from '../reading/message-view.js';
import { noticesOf } from '../../reasons/notices.js';
import { guestsWithoutAccess, hidesUsers } from '../../access/user-access.js';
import type { Organization } from '../../state/organization.js';
import {
  captureAccess,
  emitAccessChange,
  guestsAmong,
  type FormerAccess,
} from '../../views/access-change.js';
import { unknownSender } from '../../views/unknown-user.js';
import { activityChanges, activityOf } from '../../views/channel-activity.js';
import { emitChannelUpdate } from '../../views/channel-events.js';
import {
  mentionTargetsOf,
  receivers,
  type Recipient,
  type OutgoingMessage,
} from './outgoing-message.js';
import { checkMaySend } from './sending-rules.js';
import { isTopicMuted, followByAction, followByMention } from '../../topics/topic-policy.js';
import type { Transaction } from '../../state/transaction.js';

/** The result of sending a message. */
export interface SentMessage {
  readonly id: number;
  /** The sender's new visibility policy of the topic, where sending changed it. */
  readonly visibilityPolicy: VisibilityPolicy | undefined;
}

/**
 * Sends a message (endpoints-messages.md#send-message): stores it, creates the conversation where it is
 * new, and emits the event.
 * @throws ApiError when the sender may not
 */
export function sendMessage(tx: Transaction, outgoing: OutgoingMessage): SentMessage {
  checkMaySend(tx.org, outgoing.sender, outgoing.recipient, outgoing.rendered.mentions);
  return send(tx, outgoing);
}

/** Like `sendMessage`, without the permission checks. */
export function sendUnchecked(tx: Transaction, outgoing: OutgoingMessage): number {
  return send(tx, outgoing).id;
}

function send(tx: Transaction, outgoing: OutgoingMessage): SentMessage {
  const { org } = tx;
  const { recipient } = outgoing;
  const isNew = isNewTopic(org, recipient);
  const access = accessBefore(org, recipient);
  const before = recipient.kind === 'channel' ? activityOf(org, recipient.channel) : null;
  const message = org.messages.insert(documentOf(tx, outgoing));
  const readers = readersOnArrival(org, outgoing);
  if (readers.length > 0) {
    const conversation = org.messages.index.conversation(message.recipient_id);
    for (const userId of readers) {
      org.readState.markRead(userId, message.recipient_id, [message.id], conversation);
    }
  }
  const { attachments, pages } = outgoing.rendered;
  if (attachments.length > 0) claimAttachments(tx, outgoing.sender, message.id, attachments);
  const visibilityPolicy = changeTopicPolicies(tx, outgoing, isNew);
  if (access) emitAccessChange(tx, access);
  if (before) {
    for (const change of activityChanges(org, before))
      emitChannelUpdate(tx, before.channel, change);
  }
  const data = eventData(org, message, outgoing, readers);
  const notices = outgoing.unannounced ? null : noticesOf(org, message, readers);
  if (notices) data.notices = notices;
  tx.emit('message', audienceOf(recipient), data, {
    subject: { collection: 'message', id: message.id },
    first: message.sender_id,
  });
  queueOutgoingHooks(tx, outgoing, message);
  if (!outgoing.unannounced) tx.hooks.notifier?.sent(message, readers);
  if (pages.length > 0) tx.hooks.pagePreviews?.changed(tx, outgoing.sender, message, pages);
  return { id: message.id, visibilityPolicy };
}

/**
 * Guests see those whom they write with: who sees whom before the first message of a conversation; null where sending
 * does not change it.
 */
function accessBefore(org: Organization, recipient: Recipient): FormerAccess | null {
  if (recipient.kind === 'channel' || !hidesUsers(org)) return null;
  const userIds = recipient.users.map((user) => user.user_id);
  if (org.conversations.between(userIds)) return null;
  return captureAccess(org, [{ viewerIds: guestsAmong(org, userIds), userIds }]);
}

function isNewTopic(org: Organization, recipient: Recipient): boolean {
  if (recipient.kind !== 'channel') return false;
  return !org.messages.index.topic(recipient.channel.recipient_id, recipient.topic);
}

/** Follows or unmutes the topic for the sender and for mentioned users, by their settings. */
function changeTopicPolicies(
  tx: Transaction,
  { sender, recipient, rendered }: OutgoingMessage,
  isNew: boolean,
): VisibilityPolicy | undefined {
  if (recipient.kind !== 'channel') return undefined;
  const { channel, topic } = recipient;
  const policy = followByAction(tx, sender, channel, topic, isNew ? 'starts' : 'sends');
  const { users } = rendered.mentions;
  if (users.length > 0) followByMention(tx, users, channel, topic);
  return policy;
}

function documentOf(tx: Transaction, outgoing: OutgoingMessage): MessageDocument {
  const { org } = tx;
  const { sender, recipient, rendered } = outgoing;
  const targets = mentionTargetsOf(org, recipient, rendered.mentions);
  const { content } = outgoing;
  const widget = outgoing.widget ?? (content.startsWith('/') ? widgetOf(content) : undefined);
  // Plain messages have one shape, whose properties need no search.
  const document: MessageDocument = {
    id: org.counters.nextMessageId(),
    seq: tx.seq,
    sender_id: sender.user_id,
    recipient_id: recipientId(org, recipient),
    stream_id: recipient.kind === 'channel' ? recipient.channel.stream_id : null,
    topic: recipient.kind === 'channel' ? recipient.topic : '',
    content,
    rendered_content: rendered.html,
    timestamp: tx.seconds,
    client: outgoing.clientName,
    mentioned: targets.mentioned,
    channel_wildcard: targets.channelWildcard,
    topic_wildcard: targets.topicWildcard,
    alerted: org.alertWords.matching(content, receivers(org, recipient)),
    has_link: rendered.has_link,
    has_image: rendered.has_image,
    has_attachment: rendered.has_attachment,
    topic_links: [...(outgoing.topicLinks ?? [])],
    reactions: [],
    last_edit_timestamp: null,
    last_moved_timestamp: null,
  };
  if (!widget) return document;
  return { ...document, submessages: [firstSubmessage(org, sender, widget)] };
}

function firstSubmessage(
  org: Organization,
  { user_id: sender_id }: UserDocument,
  widget: WidgetContent,
): SubmessageDocument {
  return { id: org.counters.next('submessage'), sender_id, content: JSON.stringify(widget) };
}

/** The conversation; created if these users never wrote to each other. */
function recipientId(org: Organization, recipient: Recipient): number {
  if (recipient.kind === 'channel') return recipient.channel.recipient_id;
  const userIds = recipient.users.map((user) => user.user_id);
  const known = org.conversations.between(userIds);
  if (known) return known.recipient_id;
  const conversation = { recipient_id: org.counters.next('recipient'), user_ids: userIds };
  return org.conversations.insert(conversation).recipient_id;
}

const NOBODY: readonly number[] = [];

/** Receivers for whom the message is read at once: its sender, users who muted the sender, and `readBy`. */
function readersOnArrival(org: Organization, outgoing: OutgoingMessage): readonly number[] {
  const { sender, recipient, readBySender, readBy } = outgoing;
  const muters = org.mutedUsers.mutersOf(sender.user_id);
  if (!readBySender && !readBy && muters.size === 0) return NOBODY;
  const readers = readBySender ? [sender.user_id] : [];
  if (muters.size > 0) readers.push(...muters);
  if (readBy) readers.push(...readBy.filter((userId) => !muters.has(userId)));
  return readers.filter((userId) => isReceiver(org, userId, recipient));
}

function isReceiver(org: Organization, userId: number, recipient: Recipient): boolean {
  if (recipient.kind === 'direct') return recipient.users.some((one) => one.user_id === userId);
  return org.subscriptions.isSubscribed(userId, recipient.channel.stream_id);
}

function audienceOf(recipient: Recipient): Audience {
  if (recipient.kind === 'channel') {
    return { to: 'subscribers', channel: recipient.channel.stream_id };
  }
  const active = recipient.users.filter((user) => user.is_active);
  return { to: 'users', users: active.map((user) => user.user_id) };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The data of the event beside the message: plain JSON, with only those receivers that have unusual flags. */
function eventData(
  org: Organization,
  message: MessageDocument,
  { sender, recipient, local }: OutgoingMessage,
  readers: readonly number[],
): Writable<MessageEventData> {
  const flags: Record<string, string[]> = {};
  const flag = (userId: number, ...names: string[]): void => {
    (flags[userId] ??= []).push(...names);
  };
  for (const userId of readers) flag(userId, 'read');
  for (const userId of message.mentioned) flag(userId, 'mentioned');
  for (const userId of message.topic_wildcard) {
    flag(userId, 'topic_wildcard_mentioned', 'wildcard_mentioned');
  }
  for (const userId of message.alerted) flag(userId, 'has_alert_word');
  const isPublic = recipient.kind === 'channel' && !recipient.channel.invite_only;
  const { followed, muted } = watchersOf(org, recipient);
  const blind = receiversWithoutAccess(org, sender, recipient);
  const { sender: from, realm, recipient: to } = messageContext(org, message);
  // One property after the other: copies of parts would be objects of a shape of their own.
  const data: Writable<MessageEventData> = { sender: from, realm, recipient: to };
  if (Object.keys(flags).length > 0) data.flags = flags;
  if (message.channel_wildcard) data.everyone = ['stream_wildcard_mentioned', 'wildcard_mentioned'];
  if (followed.length > 0) data.followed = followed;
  if (muted.length > 0) data.muted = muted;
  if (isPublic) data.public = true;
  if (blind.length > 0) {
    data.unknown_to = { users: blind, sender: unknownSender(org, sender.user_id) };
  }
  if (local) data.local = local;
  return data;
}

/** Receivers who may not see the sender: guests, where somebody posts to a channel without subscribing to it. */
function receiversWithoutAccess(
  org: Organization,
  sender: UserDocument,
  recipient: Recipient,
): readonly number[] {
  if (recipient.kind === 'direct') return NOBODY;
  const { stream_id } = recipient.channel;
  if (org.subscriptions.isSubscribed(sender.user_id, stream_id)) return NOBODY;
  return guestsWithoutAccess(org, sender).filter((id) =>
    org.subscriptions.isSubscribed(id, stream_id),
  );
}

/** Users who follow the topic, and who muted it, among the few whose queues filter by that. */
function watchersOf(
  org: Organization,
  recipient: Recipient,
): Required<Pick<MessageEventData, 'followed' | 'muted'>> {
  if (recipient.kind !== 'channel' || org.watchers.followed.size === 0) return UNWATCHED;
  const { channel, topic } = recipient;
  const watchers = [...org.watchers.followed];
  return {
    followed: watchers.filter(
      (userId) => org.userTopics.policy(userId, channel.stream_id, topic) === VISIBILITY.followed,
    ),
    muted: watchers.filter((userId) => isTopicMuted(org, userId, channel, topic)),
  };
}

const UNWATCHED = { followed: NOBODY, muted: NOBODY };

/**
 * Queues a new message for the outgoing webhook bots that it mentions by name, or that get it as a direct message
 * (endpoints-bots.md#outgoing-webhooks). Not for messages of bots: two of them would talk forever. A bot with too many
 * that wait gets no more meanwhile.
 */
function queueOutgoingHooks(
  tx: Transaction,
  { sender, recipient, rendered }: OutgoingMessage,
  message: MessageDocument,
): void {
  if (sender.is_bot) return;
  const { org } = tx;
  const isDirect = recipient.kind === 'direct';
  const addressed = isDirect
    ? recipient.users.map(({ user_id }) => user_id)
    : rendered.mentions.users;
  for (const botId of addressed) {
    if (!isTriggered(org, botId, message.id)) continue;
    org.outgoingHooks.insert({
      id: org.counters.next('outgoing_hook'),
      bot_id: botId,
      message_id: message.id,
      trigger: isDirect ? 'direct_message' : 'mention',
      attempts: 0,
      next_attempt_at: tx.now,
    });
  }
}

function isTriggered(org: Organization, botId: number, messageId: number): boolean {
  const bot = org.users.get(botId);
  if (bot?.bot_type !== BOT_TYPE.outgoingWebhook || !bot.is_active) return false;
  if (org.outgoingHooks.waitingFor(botId) >= MAX_WAITING_HOOKS) return false;
  return new MessageAccess(org, bot).canSee(messageId);
}
