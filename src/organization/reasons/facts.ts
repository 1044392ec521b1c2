import type { MessageDocument } from '../../../schemas/messages/message.js';
import { VISIBILITY } from '../../../schemas/topics/user-topics.js';
import type { Organization } from '../state/organization.js';
import type { ChannelChoices, NotificationFacts } from './decide.js';

/** What is known of a message and each of its receivers, at this moment. */
export class MessageFacts {
  private readonly mentioned: ReadonlySet<number>;
  private readonly topicWildcard: ReadonlySet<number>;
  private readonly alerted: ReadonlySet<number>;

  constructor(
    private readonly org: Organization,
    private readonly message: MessageDocument,
  ) {
    this.mentioned = setOf(message.mentioned);
    this.topicWildcard = setOf(message.topic_wildcard);
    this.alerted = setOf(message.alerted);
  }

  of(userId: number, isAway: boolean, isRead: boolean): NotificationFacts {
    const { org, message } = this;
    const user = org.users.get(userId);
    const { stream_id, topic } = message;
    return {
      isPerson:
        user !== undefined && user.is_active && !user.is_bot && userId !== message.sender_id,
      isRead,
      isAway,
      takesMails: user?.is_email_unverified !== true,
      channel: stream_id === null ? null : choicesOf(org, userId, stream_id),
      topicPolicy:
        stream_id === null ? VISIBILITY.inherit : org.userTopics.policy(userId, stream_id, topic),
      isMentioned: this.mentioned.has(userId),
      isWildcardMentioned: message.channel_wildcard || this.topicWildcard.has(userId),
      hasAlertWord: this.alerted.has(userId),
      settings: org.settings.effective(userId),
    };
  }
}

const NO_ONE: ReadonlySet<number> = new Set();

function setOf(ids: readonly number[]): ReadonlySet<number> {
  return ids.length === 0 ? NO_ONE : new Set(ids);
}

function choicesOf(org: Organization, userId: number, streamId: number): ChannelChoices {
  const sub = org.subscriptions.of(userId, streamId);
  return {
    muted: sub?.is_muted ?? false,
    email: sub?.email_notifications ?? null,
    push: sub?.push_notifications ?? null,
    desktop: sub?.desktop_notifications ?? null,
    wildcardMentions: sub?.wildcard_mentions_notify ?? null,
  };
}

/** Receivers above this number are asked by a sweep and not in the message's own transaction: some milliseconds. */
export const MOST_AT_ONCE = 200;

/**
 * The receivers whom a message may notify, the sender perhaps among them; null where they are more than
 * `MOST_AT_ONCE`. A message to a large channel in which nobody is named costs those few who chose to be told.
 */
export function candidatesOf(
  org: Organization,
  message: MessageDocument,
): ReadonlySet<number> | readonly number[] | null {
  const { stream_id } = message;
  if (stream_id === null) {
    const { user_ids } = org.conversations.get(message.recipient_id)!;
    return user_ids.length > MOST_AT_ONCE ? null : user_ids;
  }
  return channelCandidates(org, message, stream_id);
}

const NOBODY: readonly number[] = [];

function channelCandidates(
  org: Organization,
  message: MessageDocument,
  streamId: number,
): ReadonlySet<number> | readonly number[] | null {
  const { subscriptions, userTopics, settings } = org;
  const { mentioned, topic_wildcard, alerted } = message;
  const policies = userTopics.size === 0 ? NO_ONE : userTopics.usersOf(streamId, message.topic);
  const told = subscriptions.toldOfAll(streamId);
  const { toldOfChannels } = settings;
  const lists = mentioned.length + topic_wildcard.length + alerted.length;
  const sets = policies.size + told.size + toldOfChannels.size;
  if (!message.channel_wildcard) {
    if (lists + sets === 0) return NOBODY;
    if (lists + sets <= MOST_AT_ONCE) {
      const all = new Set([
        ...mentioned,
        ...topic_wildcard,
        ...alerted,
        ...policies,
        ...told,
        ...toldOfChannels,
      ]);
      for (const id of all) if (!subscriptions.isSubscribed(id, streamId)) all.delete(id);
      return all;
    }
  }
  if (subscriptions.subscriberCount(streamId) > MOST_AT_ONCE) return null;
  return subscriptions.subscribers(streamId);
}
