import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { MessageFacts } from '../../../services/markdown/facts.js';
import type { Organization } from '../../state/organization.js';
import type { Recipient } from './recipients.js';

/** Whom a message notifies beyond merely reaching them. */
interface MentionTargets {
  /** Receivers mentioned by name or through a group, ascending. */
  readonly mentioned: number[];
  readonly channelWildcard: boolean;
  /** Receivers whom a topic wildcard reaches, ascending. */
  readonly topicWildcard: number[];
}

/** Newest messages of a topic that decide who takes part in it: bounds the work of one mention. */
const PARTICIPATION_DEPTH = 10_000;

/** Everybody who receives the message, in no particular order. */
export function receivers(org: Organization, recipient: Recipient): readonly number[] {
  return recipient.kind === 'channel'
    ? org.subscriptions.subscribers(recipient.channel.stream_id)
    : recipient.users.map((user) => user.user_id);
}

/** Subscribers who wrote in the topic, ascending. */
export function topicParticipants(
  org: Organization,
  channel: ChannelDocument,
  topic: string,
): number[] {
  const { index } = org.messages;
  const list = index.topic(channel.recipient_id, topic)?.list;
  const found = new Set<number>();
  if (!list) return [];
  const oldest = Math.max(0, list.length - PARTICIPATION_DEPTH);
  for (let i = list.length - 1; i >= oldest; i--) {
    found.add(index.columns.senderAt(index.columns.find(list.at(i)!)));
  }
  return [...found]
    .filter((userId) => org.subscriptions.isSubscribed(userId, channel.stream_id))
    .sort((a, b) => a - b);
}

/** Works out who is notified. Only receivers are: a mention does not bring a message to anybody. */
export function mentionTargetsOf(
  org: Organization,
  recipient: Recipient,
  mentions: MessageFacts['mentions'],
): MentionTargets {
  return {
    mentioned: mentionedReceivers(org, recipient, mentions),
    channelWildcard: mentions.channel_wildcard,
    topicWildcard: mentions.topic_wildcard ? topicWildcardReceivers(org, recipient) : [],
  };
}

function mentionedReceivers(
  org: Organization,
  recipient: Recipient,
  mentions: MessageFacts['mentions'],
): number[] {
  const found = new Set(mentions.users.filter((userId) => receives(org, recipient, userId)));
  if (mentions.groups.length > 0) {
    for (const userId of receivers(org, recipient)) {
      const user = org.users.get(userId);
      if (!user) continue;
      const inGroup = mentions.groups.some((id) => org.groups.isMember(id, user, org.isFullMember));
      if (inGroup) found.add(userId);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function topicWildcardReceivers(org: Organization, recipient: Recipient): number[] {
  if (recipient.kind === 'direct') return recipient.users.map((user) => user.user_id);
  return topicParticipants(org, recipient.channel, recipient.topic);
}

function receives(org: Organization, recipient: Recipient, userId: number): boolean {
  return recipient.kind === 'channel'
    ? org.subscriptions.isSubscribed(userId, recipient.channel.stream_id)
    : recipient.users.some((user) => user.user_id === userId);
}
