import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { SubscriptionDocument } from '../../../schemas/channels/subscription-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type {
  ChannelObject,
  ListedChannel,
  SubscriptionObject,
} from '../../../schemas/channels/channel-object.js';
import {
  subscriberFields,
  subscriptionObject,
  type IncludeSubscribers,
  type SubscriberFields,
} from '../../journal/renderers/subscription.js';
import { channelView } from '../views/channel-view.js';
import type { Organization } from '../state/organization.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { canSeeChannel, canSeeSubscribers } from '../access/permissions.js';
import {
  inheritedNotifications,
  personalPart,
  subscriberLists,
} from '../views/subscription-view.js';

/** Client capabilities that change the lists (register.md#sections and register-structures.md#subscriptions). */
interface SubscriptionSnapshotOptions {
  readonly includeSubscribers: IncludeSubscribers;
  /** Whether notification fields may be null; otherwise they show the user's own settings. */
  readonly notificationSettingsNull: boolean;
  /** Whether archived channels are listed. */
  readonly archivedChannels: boolean;
}

/** The three disjoint lists of `POST /register`, each by name. */
interface SubscriptionSnapshot {
  readonly subscriptions: ListedChannel[];
  /** Channels the user left and has seen ever since. */
  readonly unsubscribed: ListedChannel[];
  /** Without personal fields; also channels the user left, lost access to, and sees again. */
  readonly never_subscribed: ListedChannel[];
}

/** A user's channels as a snapshot shows them (register-structures.md#subscriptions). */
export function subscriptionSnapshot(
  org: Organization,
  user: UserDocument,
  options: SubscriptionSnapshotOptions,
): SubscriptionSnapshot {
  const snapshot: SubscriptionSnapshot = {
    subscriptions: [],
    unsubscribed: [],
    never_subscribed: [],
  };
  const inherited = options.notificationSettingsNull
    ? null
    : inheritedNotifications(org, user.user_id);
  for (const channel of channelsSeenBy(org, user, options.archivedChannels)) {
    const sub = org.subscriptions.of(user.user_id, channel.stream_id);
    const isNew = introducedAgain(sub, options.archivedChannels);
    const own = isNew ? undefined : sub;
    const view = channelView(org, channel);
    const shown = own ? subscriptionObject(view, personalPart(own), inherited) : view;
    const object = withSubscribers(org, user, channel, shown, options.includeSubscribers);
    if (!sub || isNew) snapshot.never_subscribed.push(object);
    else if (sub.active) snapshot.subscriptions.push(object);
    else snapshot.unsubscribed.push(object);
  }
  return snapshot;
}

/**
 * Whether a client that processed all events since the user left the channel counts it as never
 * subscribed.
 */
function introducedAgain(
  sub: SubscriptionDocument | undefined,
  archivedChannels: boolean,
): boolean {
  const { introduced_again } = sub ?? {};
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
    const object = subscriptionObject(channelView(org, channel), personalPart(sub), null);
    found.push(withSubscribers(org, user, channel, object, includeSubscribers));
  }
  return found;
}

/** All channels the user may see (META) as channel objects, by name: `streams` of a snapshot. */
export function visibleChannels(
  org: Organization,
  user: UserDocument,
  options: { readonly archived: boolean },
): ChannelObject[] {
  return channelsSeenBy(org, user, options.archived).map((channel) => channelView(org, channel));
}

/** Channels the user may see, by name. */
function channelsSeenBy(
  org: Organization,
  user: UserDocument,
  archived: boolean,
): ChannelDocument[] {
  const found: ChannelDocument[] = [];
  for (const channel of org.channels.values()) {
    if ((archived || !channel.is_archived) && canSeeChannel(org, user, channel))
      found.push(channel);
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
  return { ...object, ...subscriberFields(lists, include) };
}
