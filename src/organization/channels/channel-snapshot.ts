import type {
  ChannelDocument,
  ChannelObject,
  SubscriptionObject,
} from '../../../schemas/channels/channel.js';
import type { SubscriptionDocument } from '../../../schemas/channels/subscriptions.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  asSubscription,
  listedSubscribers,
  type IncludeSubscribers,
  type SubscriberFields,
} from '../../journal/renderers/subscription.js';
import { channelView } from '../views/channel-view.js';
import type { Organization } from '../state/organization.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { allAtOnce } from '../state/snapshot-moment.js';
import { canSeeChannel, canSeeSubscribers } from '../access/permissions.js';
import { subscriberLists } from '../views/subscription-view.js';

/**
 * The three disjoint lists of a user's channels in `POST /register` (register-structures.md#subscriptions). The second
 * has channels that the user left and has seen ever since; the third shows no personal fields, and has channels, too,
 * that the user left, lost access to, and sees again.
 */
export const CHANNEL_LISTS = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const;
type ChannelList = (typeof CHANNEL_LISTS)[number];

/**
 * The list that a channel is in, for a user who may see it.
 * @param archived whether archived channels are listed
 */
export function listOf(sub: SubscriptionDocument | undefined, archived: boolean): ChannelList {
  if (!sub || introducedAgain(sub, archived)) return 'never_subscribed';
  return sub.active ? 'subscriptions' : 'unsubscribed';
}

/**
 * Whether a client that processed all events since the user left the channel counts it as never
 * subscribed.
 */
function introducedAgain(
  { introduced_again }: SubscriptionDocument,
  archivedChannels: boolean,
): boolean {
  return introduced_again === 'all' || (introduced_again === 'legacy' && !archivedChannels);
}

/** The user's subscriptions as `GET /users/me/subscriptions` shows them; never those to archived channels. */
export function* subscriptionList(
  change: PartedChange,
  user: UserDocument,
  includeSubscribers: IncludeSubscribers,
): Parts<SubscriptionObject[]> {
  const { org } = change;
  const found: SubscriptionObject[] = [];
  for (const channel of channelsSeenBy(org, user, false)) {
    if (change.isOver) yield* change.nextPart();
    const sub = org.subscriptions.of(user.user_id, channel.stream_id);
    if (!sub?.active) continue;
    const object = asSubscription(channelView(org, channel), sub, null);
    found.push(withSubscribers(org, user, channel, object, includeSubscribers));
  }
  return found;
}

/** Channels the user may see, by name. */
export function channelsSeenBy(
  org: Organization,
  user: UserDocument,
  archived: boolean,
): ChannelDocument[] {
  return allAtOnce(channelsSeen(org, user, archived));
}

/** As {@link channelsSeenBy}, in steps. */
export function* channelsSeen(
  org: Organization,
  user: UserDocument,
  archived: boolean,
): Generator<void, ChannelDocument[]> {
  const found: ChannelDocument[] = [];
  for (const channel of org.channels.values()) {
    if ((archived || !channel.is_archived) && canSeeChannel(org, user, channel))
      found.push(channel);
    yield;
  }
  return found.sort(byName);
}

/** Compares by name; names are unique. */
export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** The object with the lists of subscribers that were asked for, as far as the user may see them. */
function withSubscribers<T extends ChannelObject>(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  object: T,
  include: IncludeSubscribers,
): T & SubscriberFields {
  if (include === false) return object;
  const lists = canSeeSubscribers(org, user, channel)
    ? subscriberLists(org, channel.stream_id)
    : { subscribers: [], partial: null };
  return Object.assign(object, listedSubscribers(lists, include));
}
