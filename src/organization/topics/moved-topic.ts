import { VISIBILITY, type VisibilityPolicy } from '../../../schemas/topics/user-topics.js';
import { canReadChannel } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { hasRoom, setTopicPolicy } from './topic-policy.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';

/** Which messages of the topic move together with the named one. */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** A topic of a channel. */
export interface TopicPlace {
  readonly channel: ChannelDocument;
  readonly topic: string;
}

/** Whether a move only marks a topic as resolved, or removes the mark. */
export type Resolution = 'resolved' | 'unresolved' | null;

/** A permitted move. */
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
 * Moves users' policies of a topic along with all of its messages (endpoints-messages.md#one-message).
 * Where the target had messages, the topics merge and the more visible policy wins; otherwise the policies
 * are kept. Users who may not read the new channel lose theirs.
 * @param count number of moved messages
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
    // Removing `from` freed a place, except for users without a policy there.
    if (there === undefined && !hasRoom(org, userId)) continue;
    setTopicPolicy(tx, userId, to.channel, to.topic, policy);
  }
}

function moreVisible(a: VisibilityPolicy, b: VisibilityPolicy): VisibilityPolicy {
  return BY_VISIBILITY.indexOf(a) > BY_VISIBILITY.indexOf(b) ? a : b;
}
