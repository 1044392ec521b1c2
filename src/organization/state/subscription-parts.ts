import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { Organization } from './organization.js';

/** Pairs of user and channel that change in one part: about 10 ms. */
const PAIRS = 500;
/** Small channels per part. */
const CHANNELS = 100;
/** Subscribers whose listing costs as much as a small channel. */
const SUBSCRIBERS = 100;
/** So many checks of active users' access to a private channel cost as much as a small channel. */
const CHECKED_USERS = 800;

/** Users and channels, in all combinations. */
interface SubscriptionPart {
  readonly channels: readonly ChannelDocument[];
  readonly userIds: readonly number[];
}

/**
 * Splits a change of subscriptions into parts; a small one is one part. The events of a part describe each
 * of its channels with all subscribers, so a part has few large channels. Each part has the documents as
 * they are when it starts, without users deactivated since the first part.
 */
export function* subscriptionParts(
  org: Organization,
  { channels, userIds }: SubscriptionPart,
): Generator<SubscriptionPart> {
  for (const some of groups(org, channels)) {
    const size = Math.max(1, Math.floor(PAIRS / some.length));
    for (let i = 0; i < userIds.length; i += size) {
      const users = userIds.slice(i, i + size);
      yield i === 0 && some.length === channels.length
        ? { channels: some, userIds: users }
        : current(org, some, users);
    }
  }
}

function* groups(
  org: Organization,
  channels: readonly ChannelDocument[],
): Generator<readonly ChannelDocument[]> {
  let group: ChannelDocument[] = [];
  let weight = 0;
  for (const channel of channels) {
    const checked = channel.invite_only ? org.users.active.size / CHECKED_USERS : 0;
    const own = 1 + checked + org.subscriptions.subscriberCount(channel.stream_id) / SUBSCRIBERS;
    if (group.length > 0 && weight + own > CHANNELS) {
      yield group;
      group = [];
      weight = 0;
    }
    group.push(channel);
    weight += own;
  }
  if (group.length > 0) yield group;
}

function current(
  org: Organization,
  channels: readonly ChannelDocument[],
  userIds: readonly number[],
): SubscriptionPart {
  return {
    channels: channels.map(({ stream_id }) => org.channels.get(stream_id)!),
    userIds: userIds.filter((id) => org.users.active.has(id)),
  };
}
