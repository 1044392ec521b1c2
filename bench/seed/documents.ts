import type { MessageDocument } from '../../schemas/documents/message.js';
import type { QueueDocument } from '../../schemas/documents/queue.js';
import type { SubscriptionDocument } from '../../schemas/documents/subscription.js';
import { ROLE, type UserDocument } from '../../schemas/documents/user.js';
import { messageContent, markDigits } from '../exchange/sample.js';

/** Key version of all seeded accounts; real ones are random. */
export const KEY_VERSION = 'bench';

export function seedEmail(userId: number): string {
  return `user${userId}@bench.invalid`;
}

export function userDocument(userId: number, joinedAt: number): UserDocument {
  return {
    user_id: userId,
    email: seedEmail(userId),
    full_name: `Bench user ${userId}`,
    role: ROLE.member,
    is_active: true,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    is_system_bot: false,
    date_joined: joinedAt,
    avatar_source: 'G',
    avatar_version: 1,
    is_imported_stub: false,
    password_hash: null,
    key_version: KEY_VERSION,
    can_create_users: false,
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
    is_muted: false,
    pin_to_top: false,
    desktop_notifications: null,
    audible_notifications: null,
    push_notifications: null,
    email_notifications: null,
    wildcard_mentions_notify: null,
  };
}

export function queueDocument(
  queueId: string,
  userId: number,
  since: number,
  now: number,
): QueueDocument {
  const idle = 604_800_000;
  return {
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
    actor: {
      machine: 'event-queue',
      version: 1,
      value: 'idle',
      context: {
        queue_id: queueId,
        idle_timeout_ms: idle,
        touched_at: now,
        deadline: now + idle,
      },
    },
  };
}

export function messageDocument(
  id: number,
  seq: number,
  senderId: number,
  channel: { readonly streamId: number; readonly recipientId: number },
  topic: string,
  now: number,
): MessageDocument {
  const content = messageContent(markDigits(id % 1_000_000));
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
  };
}
