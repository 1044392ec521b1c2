import { VISIBILITY, type VisibilityPolicy } from '../../../schemas/topics/user-topic-document.js';
import { canReadChannel } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { hasRoom, setTopicPolicy } from './topic-policy.js';
import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';

/** Which messages of the topic follow the one that is moved. */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** Where a conversation of a channel is. */
export interface TopicPlace {
  readonly channel: ChannelDocument;
  readonly topic: string;
}

/** Whether a move does no more than mark a topic as resolved, or take the mark away. */
export type Resolution = 'resolved' | 'unresolved' | null;

/** A move that may be made. */
export interface MovePlan {
  readonly from: TopicPlace;
  readonly to: TopicPlace;
  readonly mode: PropagateMode;
  readonly resolution: Resolution;
}

/** From the least to the most visible. */
const BY_VISIBILITY: readonly VisibilityPolicy[] = [
  VISIBILITY.muted,
  VISIBILITY.inherit,
  VISIBILITY.unmuted,
  VISIBILITY.followed,
];

/**
 * Takes what people chose for a topic along to where all of its messages went (
 * endpoints-messages.md#one-message). Where there were messages already, the two topics become one and the more visible choice wins;
 * else the topic only has a new name, and keeps its choices. Who may not read the new place loses theirs.
 * @param count how many messages moved
 */
export function moveTopicPolicies(tx: Transaction, { from, to }: MovePlan, count: number): void {
  const { org } = tx;
  const merged =
    (org.messages.index.topic(to.channel.recipient_id, to.topic)?.list.length ?? 0) > count;
  const users = new Set(org.userTopics.usersOf(from.channel.stream_id, from.topic));
  if (merged) {
    for (const id of org.userTopics.usersOf(to.channel.stream_id, to.topic)) users.add(id);
  }
  for (const userId of [...users].sort((a, b) => a - b)) {
    const old = org.userTopics.policy(userId, from.channel.stream_id, from.topic);
    const there = org.userTopics.of(userId, to.channel.stream_id, to.topic)?.visibility_policy;
    setTopicPolicy(tx, userId, from.channel, from.topic, VISIBILITY.inherit);
    const user = org.users.get(userId);
    if (!user || !canReadChannel(org, user, to.channel)) continue;
    const target = there ?? (merged ? VISIBILITY.inherit : undefined);
    const policy = target === undefined ? old : moreVisible(old, target);
    // With `from` given up there is room, but for somebody who never chose for it.
    if (there === undefined && !hasRoom(org, userId)) continue;
    setTopicPolicy(tx, userId, to.channel, to.topic, policy);
  }
}

function moreVisible(a: VisibilityPolicy, b: VisibilityPolicy): VisibilityPolicy {
  return BY_VISIBILITY.indexOf(a) > BY_VISIBILITY.indexOf(b) ? a : b;
}
