import type { MessageDocument } from '../../schemas/documents/message.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import type { Audience } from '../journal/entry.js';
import type { MessageEventData } from '../journal/shapes/message.js';
import type { Rendered } from '../services/markdown/markdown.js';
import { surroundings } from './messages/message-view.js';
import type { Organization } from './organization.js';
import { activityOf, emitActivity } from './sending/channel-activity.js';
import { reachOf, receivers } from './sending/reach.js';
import type { Recipient } from './sending/recipients.js';
import { checkMaySend } from './sending/rules.js';
import type { Transaction } from './transaction.js';

export { participants, type Recipient } from './sending/recipients.js';

/** Which receivers have an alert word in a text, ascending. */
export type AlertMatcher = (content: string, receivers: readonly number[]) => number[];

/** A message on its way. Text and topic are in their stored form (`storedContent`, `storedTopicName`). */
export interface OutgoingMessage {
  readonly sender: UserDocument;
  readonly recipient: Recipient;
  readonly content: string;
  readonly rendered: Rendered;
  readonly topicLinks?: readonly { text: string; url: string }[];
  /** Name of the sending program. */
  readonly clientName: string;
  /** Whether the sender has read it by sending it (endpoints.md section 0.3). */
  readonly readBySender: boolean;
  /** The queue that sent it, and its own name for it. */
  readonly local?: { readonly queue_id: string; readonly local_id: string };
  readonly alerts?: AlertMatcher;
}

/**
 * Sends a message (endpoints.md section B.2): stores it, makes the conversation where it is new, and
 * tells everybody who receives it.
 * @returns the message's id
 * @throws ApiError when the sender may not
 */
export function sendMessage(tx: Transaction, outgoing: OutgoingMessage): number {
  checkMaySend(tx.org, outgoing.sender, outgoing.recipient, outgoing.rendered.mentions);
  return deliver(tx, outgoing);
}

/** As `sendMessage`, without asking whether the sender may. */
export function deliver(tx: Transaction, outgoing: OutgoingMessage): number {
  const { org } = tx;
  const { recipient } = outgoing;
  const before = recipient.kind === 'channel' ? activityOf(tx, recipient.channel) : null;
  const message = org.messages.insert(documentOf(tx, outgoing));
  const read = outgoing.readBySender && isReceiver(org, outgoing);
  if (read) {
    const conversation = org.messages.index.conversation(message.recipient_id);
    org.readings.markRead(message.sender_id, message.recipient_id, [message.id], conversation);
  }
  if (before) emitActivity(tx, before);
  const data = eventData(org, message, outgoing, read);
  tx.emit('message', audienceOf(recipient), data as unknown as Record<string, unknown>, {
    subject: `message:${message.id}`,
    first: message.sender_id,
  });
  return message.id;
}

function documentOf(tx: Transaction, outgoing: OutgoingMessage): MessageDocument {
  const { org } = tx;
  const { sender, recipient, rendered } = outgoing;
  const reach = reachOf(org, recipient, rendered.mentions);
  return {
    id: org.counters.next('message'),
    seq: tx.seq,
    sender_id: sender.user_id,
    recipient_id: recipientId(org, recipient),
    stream_id: recipient.kind === 'channel' ? recipient.channel.stream_id : null,
    topic: recipient.kind === 'channel' ? recipient.topic : '',
    content: outgoing.content,
    rendered_content: rendered.html,
    timestamp: tx.seconds,
    client: outgoing.clientName,
    mentioned: reach.mentioned,
    channel_wildcard: reach.channelWildcard,
    topic_wildcard: reach.topicWildcard,
    alerted: outgoing.alerts?.(outgoing.content, receivers(org, recipient)) ?? [],
    has_link: rendered.has_link,
    has_image: rendered.has_image,
    has_attachment: rendered.has_attachment,
    topic_links: [...(outgoing.topicLinks ?? [])],
    reactions: [],
    last_edit_timestamp: null,
    last_moved_timestamp: null,
  };
}

/** The conversation, made now if these people never wrote to each other. */
function recipientId(org: Organization, recipient: Recipient): number {
  if (recipient.kind === 'channel') return recipient.channel.recipient_id;
  const userIds = recipient.users.map((user) => user.user_id);
  const known = org.conversations.between(userIds);
  if (known) return known.recipient_id;
  const conversation = { recipient_id: org.counters.next('recipient'), user_ids: userIds };
  return org.conversations.insert(conversation).recipient_id;
}

function isReceiver(org: Organization, { sender, recipient }: OutgoingMessage): boolean {
  if (recipient.kind === 'direct') return true;
  return org.subscriptions.isSubscribed(sender.user_id, recipient.channel.stream_id);
}

function audienceOf(recipient: Recipient): Audience {
  if (recipient.kind === 'channel') {
    return { to: 'subscribers', channel: recipient.channel.stream_id };
  }
  const active = recipient.users.filter((user) => user.is_active);
  return { to: 'users', users: active.map((user) => user.user_id) };
}

/** What the event says beside the message: plain JSON, of the receivers only the unusual ones. */
function eventData(
  org: Organization,
  message: MessageDocument,
  { recipient, local }: OutgoingMessage,
  read: boolean,
): MessageEventData {
  const flags: Record<string, string[]> = {};
  const flag = (userId: number, ...names: string[]): void => {
    (flags[userId] ??= []).push(...names);
  };
  if (read) flag(message.sender_id, 'read');
  for (const userId of message.mentioned) flag(userId, 'mentioned');
  for (const userId of message.topic_wildcard) {
    flag(userId, 'topic_wildcard_mentioned', 'wildcard_mentioned');
  }
  for (const userId of message.alerted) flag(userId, 'has_alert_word');
  const isPublic = recipient.kind === 'channel' && !recipient.channel.invite_only;
  return {
    ...surroundings(org, message),
    ...(Object.keys(flags).length > 0 ? { flags } : {}),
    ...(message.channel_wildcard
      ? { everyone: ['stream_wildcard_mentioned', 'wildcard_mentioned'] }
      : {}),
    ...(isPublic ? { public: true as const } : {}),
    ...(local ? { local } : {}),
  };
}
