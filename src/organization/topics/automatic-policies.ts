import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { VISIBILITY, type VisibilityPolicy } from '../../../schemas/topics/user-topic-document.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { isChannelMuted, hasRoom, setTopicPolicy } from './topic-policy.js';

/**
 * Actions in a topic, each with the smallest value of the two policies that excludes it
 * (settings.md#user-settings: 1 participates, 2 sends, 3 starts, 4 never). Starting a topic includes
 * sending, and sending includes participating.
 */
const ANSWERS = { participates: 2, sends: 3, starts: 4 } as const;

/** An action in a topic: reacting to a message, sending one, or sending the first one. */
type TopicAction = keyof typeof ANSWERS;

/**
 * Follows or unmutes a topic for a user who acted there, by their settings. It never makes a topic less
 * visible; bots have no such settings.
 * @returns the new policy; undefined when it stays as it is
 */
export function followByAction(
  tx: Transaction,
  user: UserDocument,
  channel: ChannelDocument,
  topic: string,
  action: TopicAction,
): VisibilityPolicy | undefined {
  if (user.is_bot) return undefined;
  const policy = policyFor(tx.org, user, channel, topic, action);
  if (policy === undefined) return undefined;
  return raise(tx, user.user_id, channel, topic, policy) ? policy : undefined;
}

function policyFor(
  org: Organization,
  { user_id: userId }: UserDocument,
  channel: ChannelDocument,
  topic: string,
  action: TopicAction,
): VisibilityPolicy | undefined {
  const answers = (name: PolicySetting) => org.settings.value(userId, name) < ANSWERS[action];
  const follows = answers('automatically_follow_topics_policy');
  const unmutes = answers('automatically_unmute_topics_in_muted_streams_policy');
  if (!follows && !(unmutes && isChannelMuted(org, userId, channel))) return undefined;
  const current = org.userTopics.policy(userId, channel.stream_id, topic);
  const policy = follows ? VISIBILITY.followed : VISIBILITY.unmuted;
  return current < policy ? policy : undefined;
}

type PolicySetting =
  | 'automatically_follow_topics_policy'
  | 'automatically_unmute_topics_in_muted_streams_policy';

/**
 * Follows a topic for users who were mentioned there by name, by their setting
 * `automatically_follow_topics_where_mentioned`; not for users who muted it.
 */
export function followByMention(
  tx: Transaction,
  userIds: readonly number[],
  channel: ChannelDocument,
  topic: string,
): void {
  const { org } = tx;
  const { stream_id } = channel;
  for (const userId of [...userIds].sort((a, b) => a - b)) {
    const user = org.users.get(userId);
    if (!user?.is_active || user.is_bot) continue;
    if (!org.subscriptions.isSubscribed(userId, stream_id)) continue;
    if (!org.settings.value(userId, 'automatically_follow_topics_where_mentioned')) continue;
    if (org.userTopics.policy(userId, stream_id, topic) === VISIBILITY.muted) continue;
    raise(tx, userId, channel, topic, VISIBILITY.followed);
  }
}

/**
 * Sets a policy without a request of the user: at their limit of policies nothing changes, without an
 * error.
 */
function raise(
  tx: Transaction,
  userId: number,
  channel: ChannelDocument,
  topic: string,
  policy: VisibilityPolicy,
): boolean {
  const known = tx.org.userTopics.of(userId, channel.stream_id, topic) !== undefined;
  if (!known && !hasRoom(tx.org, userId)) return false;
  setTopicPolicy(tx, userId, channel, topic, policy);
  return true;
}
