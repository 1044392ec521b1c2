import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import {
  VISIBILITY,
  type UserTopicDocument,
  type VisibilityPolicy,
} from '../../../schemas/topics/user-topics.js';
import { MAX_USER_TOPICS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import { canSeeChannel } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';

/** Whether a user muted a channel. */
export function isChannelMuted(
  org: Organization,
  userId: number,
  { stream_id }: ChannelDocument,
): boolean {
  return org.subscriptions.of(userId, stream_id)?.is_muted ?? false;
}

/**
 * Whether a topic is excluded from a user's feed and counts: it is muted, or its channel is muted and the
 * topic has no policy that overrides this.
 */
export function isTopicMuted(
  org: Organization,
  userId: number,
  channel: ChannelDocument,
  topic: string,
): boolean {
  const policy = org.userTopics.policy(userId, channel.stream_id, topic);
  if (policy === VISIBILITY.inherit) return isChannelMuted(org, userId, channel);
  return policy === VISIBILITY.muted;
}

/** A policy as clients see it; the empty topic as "". */
interface UserTopicView {
  readonly stream_id: number;
  readonly topic_name: string;
  readonly last_updated: number;
  readonly visibility_policy: VisibilityPolicy;
}

/** Channel name, topic, UNIX seconds. */
type MutedTopicRow = readonly [channel: string, topic: string, muted: number];

/** `user_topics` of a snapshot, oldest policy first. */
export function userTopics(org: Organization, userId: number): UserTopicView[] {
  return org.userTopics.ofUser(userId).map((one) => ({
    stream_id: one.stream_id,
    topic_name: one.topic,
    last_updated: one.last_updated,
    visibility_policy: one.visibility_policy,
  }));
}

/**
 * `muted_topics` of a snapshot, oldest first. It names channels, so it omits those that the user may no
 * longer see.
 */
export function mutedTopics(org: Organization, userId: number): MutedTopicRow[] {
  const user = org.users.get(userId)!;
  return org.userTopics.mutedBy(userId).flatMap((one): MutedTopicRow[] => {
    const channel = org.channels.get(one.stream_id);
    if (!channel || !canSeeChannel(org, user, channel)) return [];
    return [[channel.name, one.topic, one.last_updated]];
  });
}

/** Whether a user may have one more policy. */
export function hasRoom(org: Organization, userId: number): boolean {
  return org.userTopics.countOf(userId) < MAX_USER_TOPICS;
}

/**
 * Sets a user's policy of a topic and emits the events (events-personal.md#personal-data); nothing where it
 * is set already.
 * @throws ApiError when the user has too many policies
 */
export function setTopicPolicy(
  tx: Transaction,
  userId: number,
  channel: ChannelDocument,
  topic: string,
  policy: VisibilityPolicy,
): void {
  const { userTopics: topics } = tx.org;
  const { stream_id } = channel;
  const current = topics.of(userId, stream_id, topic);
  if ((current?.visibility_policy ?? VISIBILITY.inherit) === policy) return;
  if (policy === VISIBILITY.inherit) topics.forget(userId, stream_id, topic);
  else {
    if (!current && !hasRoom(tx.org, userId)) {
      throw badRequest(`You can have settings for at most ${MAX_USER_TOPICS} topics.`);
    }
    const last_updated = tx.seconds;
    topics.insert({ user_id: userId, stream_id, topic, visibility_policy: policy, last_updated });
  }
  emitPolicy(tx, userId, { stream_id, topic, visibility_policy: policy, last_updated: tx.seconds });
}

type Change = Pick<UserTopicDocument, 'stream_id' | 'topic' | 'last_updated'> & {
  readonly visibility_policy: VisibilityPolicy;
};

/**
 * Emits a changed policy, the legacy event first; queues that name `user_topic` do not get that
 * (events-personal.md#personal-data).
 */
function emitPolicy(tx: Transaction, userId: number, change: Change): void {
  const audience = { to: 'users', users: [userId] } as const;
  tx.emit('muted_topics', audience, { muted_topics: mutedTopics(tx.org, userId) });
  const view: UserTopicView = {
    stream_id: change.stream_id,
    topic_name: change.topic,
    last_updated: change.last_updated,
    visibility_policy: change.visibility_policy,
  };
  tx.emit('user_topic', audience, { ...view });
}

/**
 * Emits `muted_topics` to users who gained or lost access to a channel in which they muted a topic: this
 * legacy list names channels, and only visible ones. Call it after the change.
 */
export function emitMutedTopics(
  tx: Transaction,
  usersByChannel: ReadonlyMap<ChannelDocument, readonly number[]>,
): void {
  const { org } = tx;
  // In most organizations nobody has a policy.
  if (org.userTopics.size === 0) return;
  const notified = new Set<number>();
  // Many channels may have the same list of users.
  const muting = new Map<readonly number[], readonly number[]>();
  for (const [{ stream_id }, all] of usersByChannel) {
    const users = muting.get(all) ?? all.filter((id) => org.userTopics.mutedBy(id).length > 0);
    muting.set(all, users);
    for (const userId of users) {
      if (!org.userTopics.mutedBy(userId).some((one) => one.stream_id === stream_id)) continue;
      if (notified.has(userId)) continue;
      notified.add(userId);
      const muted_topics = mutedTopics(org, userId);
      tx.emit('muted_topics', { to: 'users', users: [userId] }, { muted_topics });
    }
  }
}

/** Active users who muted a topic of a channel. Costs the number of all policies. */
export function mutersIn(org: Organization, { stream_id }: ChannelDocument): number[] {
  const users = new Set<number>();
  for (const one of org.userTopics.values()) {
    if (one.stream_id !== stream_id || one.visibility_policy !== VISIBILITY.muted) continue;
    if (org.users.active.has(one.user_id)) users.add(one.user_id);
  }
  return [...users].sort((a, b) => a - b);
}

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
