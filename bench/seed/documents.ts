import type { MessageDocument } from '../../schemas/messages/message.js';
import type { QueueDocument } from '../../schemas/queues/register.js';
import {
  SUBSCRIPTION_DEFAULTS,
  type SubscriptionDocument,
} from '../../schemas/channels/subscriptions.js';
import { ACCOUNT_DEFAULTS, type UserDocument } from '../../schemas/users/user-document.js';
import { messageContent, markDigits } from '../exchange/sample.js';

/** Key version of all seeded accounts; real ones are random. */
export const KEY_VERSION = 'bench';

export function seedEmail(userId: number): string {
  return `user${userId}@bench.invalid`;
}

export function userDocument(userId: number, joinedAt: number): UserDocument {
  return {
    ...ACCOUNT_DEFAULTS,
    user_id: userId,
    email: seedEmail(userId),
    full_name: `Bench user ${userId}`,
    date_joined: joinedAt,
    key_version: KEY_VERSION,
  };
}

/** A subscription that has been there from the beginning. */
export function subscriptionDocument(userId: number, streamId: number): SubscriptionDocument {
  return {
    user_id: userId,
    stream_id: streamId,
    active: true,
    spans: [[0, null]],
    color: '#76ce90',
    ...SUBSCRIPTION_DEFAULTS,
  };
}

export function queueDocument(queueId: string, userId: number, since: number): QueueDocument {
  const idle = 604_800_000;
  return {
    machine: 'event-queue',
    version: 4,
    value: 'live',
    context: {
      queue_id: queueId,
      user_id: userId,
      since,
      idle_timeout_ms: idle,
      traits: {
        event_types: ['message'],
        apply_markdown: false,
        client_gravatar: true,
        slim_presence: false,
        include_subscribers: false,
        all_public_streams: false,
        narrow: [],
        capabilities: {},
      },
    },
  };
}

/** The part of a message that mentions nobody, links nothing and was not touched since it was sent. */
export function plainMessage() {
  return {
    mentioned: [],
    channel_wildcard: false,
    topic_wildcard: [],
    alerted: [],
    has_link: false,
    has_image: false,
    has_attachment: false,
    topic_links: [],
    reactions: [],
    last_edit_timestamp: null,
    last_moved_timestamp: null,
  } satisfies Partial<MessageDocument>;
}

export function messageDocument(
  id: number,
  seq: number,
  senderId: number,
  channel: { readonly streamId: number; readonly recipientId: number },
  topic: string,
  now: number,
  length = 0,
): MessageDocument {
  const line = messageContent(markDigits(id % 1_000_000));
  const content = line.repeat(Math.max(1, Math.floor(length / line.length)));
  return {
    id,
    seq,
    sender_id: senderId,
    recipient_id: channel.recipientId,
    stream_id: channel.streamId,
    topic,
    content,
    rendered_content: `<p>${content}</p>`,
    timestamp: Math.floor(now / 1000),
    client: 'parley-bench',
    ...plainMessage(),
  };
}
