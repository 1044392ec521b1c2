import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { Organization } from './organization.js';

/** Pairs of a user and a channel that change in one part: about 10 ms. */
const PAIRS = 500;
/** Channels of one part, where they are small. */
const CHANNELS = 100;
/** Subscribers that make describing a channel as costly as a small channel is again. */
const SUBSCRIBERS = 100;

/** Users and channels, every one with every other. */
interface SubscriptionPart {
  readonly channels: readonly ChannelDocument[];
  readonly userIds: readonly number[];
}

/**
 * Divides a change of subscriptions; one that is small is one part. The events of a part describe each of
 * its channels with all subscribers, so large channels are few in one. Each part has the documents as they
 * are when it is asked for: without channels that were archived, and people who were deactivated, since the
 * first one was.
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
    const own = 1 + org.subscriptions.subscriberCount(channel.stream_id) / SUBSCRIBERS;
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
    channels: channels.flatMap(({ stream_id }) => {
      const channel = org.channels.get(stream_id);
      return channel && !channel.is_archived ? [channel] : [];
    }),
    userIds: userIds.filter((id) => org.users.active.has(id)),
  };
}
