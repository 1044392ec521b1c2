import { positionOf } from '../queues/ascending.js';
import type { Receiver, EventRenderer, RenderableEvent } from './event-renderer.js';
import { showsArchived, type ChannelObject } from './stream.js';

/** Notification choices per channel; null inherits the user's own setting. */
export const NOTIFICATION_FIELDS = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
] as const;
/** A notification setting of a subscription; null there means inherited. */
type NotificationField = (typeof NOTIFICATION_FIELDS)[number];

/** What a user's channels inherit. */
export type InheritedNotifications = Readonly<Record<NotificationField, boolean>>;

/** What one user chose for one channel. */
export type PersonalPart = Readonly<Record<NotificationField, boolean | null>> & {
  readonly color: string;
  readonly is_muted: boolean;
  readonly pin_to_top: boolean;
};

/** How much of the subscriber lists a queue or snapshot shows. */
export type IncludeSubscribers = boolean | 'partial';

/** Who subscribes to a channel; ids ascend. */
export type SubscriberLists = {
  readonly subscribers: readonly number[];
  /** What `partial_subscribers` lists, or null where that is everybody. */
  readonly partial: readonly number[] | null;
};

/** A channel with its subscribers, once for all who were subscribed to it. */
export type SubscribedChannel = SubscriberLists & { readonly channel: ChannelObject };

/** Personal parts that several of the new subscribers have in common. */
export type SubscriberKind = {
  /** One for each channel of the event, in the same order. */
  readonly personal: readonly PersonalPart[];
  readonly inherited: InheritedNotifications;
};

/**
 * Stored form of `subscription` add: many users who were subscribed to the same channels. What they
 * have in common is stored once, and users of one kind share their serialized event.
 */
export type SubscriptionAdded = {
  readonly op: 'add';
  readonly channels: readonly SubscribedChannel[];
  readonly kinds: readonly SubscriberKind[];
  /** The receivers, ascending. */
  readonly users: readonly number[];
  /** Position in `kinds` for each of `users`. */
  readonly kind_of: readonly number[];
  /** The channels came back from the archive: queues that list archived ones know it already. */
  readonly revived?: true;
};

/** Every other form is stored as it is sent, but for `archived` and `revived`. */
type SubscriptionData =
  | SubscriptionAdded
  | { readonly op: string; readonly archived?: true; readonly revived?: true };

/** The list of subscribers that a channel or subscription object carries (specification.md#events). */
export function subscriberFields(
  lists: SubscriberLists,
  include: IncludeSubscribers,
): Record<string, readonly number[]> {
  if (include === false) return {};
  return include === 'partial'
    ? { partial_subscribers: lists.partial ?? lists.subscribers }
    : { subscribers: lists.subscribers };
}

/**
 * The subscription object of events-channels.md#channels.
 * @param inherited what replaces null in notification fields; null keeps it
 */
export function subscriptionObject(
  channel: ChannelObject,
  personal: PersonalPart,
  inherited: InheritedNotifications | null,
): Record<string, unknown> {
  const { color, is_muted, pin_to_top } = personal;
  const object: Record<string, unknown> = {
    ...channel,
    color,
    is_muted,
    in_home_view: !is_muted,
    pin_to_top,
  };
  for (const field of NOTIFICATION_FIELDS) {
    object[field] = personal[field] ?? (inherited ? inherited[field] : null);
  }
  return object;
}

const INCLUDES: Readonly<Record<string, IncludeSubscribers>> = {
  false: false,
  true: true,
  partial: 'partial',
};

function addedVariant(data: SubscriptionAdded, { userId, filter }: Receiver): string | null {
  const position = positionOf(data.users, userId);
  if (position < 0) return null;
  const nulls = filter.capabilities.notification_settings_null === true ? 'null' : 'filled';
  return [data.kind_of[position], String(filter.include_subscribers), nulls].join(' ');
}

function addedBody(data: SubscriptionAdded, variant: string): Record<string, unknown> {
  const [kind, include, nulls] = variant.split(' ');
  const { personal, inherited } = data.kinds[Number(kind)]!;
  const subscriptions = data.channels.map(({ channel, ...lists }, i) => ({
    ...subscriptionObject(channel, personal[i]!, nulls === 'null' ? null : inherited),
    ...subscriberFields(lists, INCLUDES[include!]!),
  }));
  return { type: 'subscription', op: 'add', subscriptions };
}

function isAdded(data: SubscriptionData): data is SubscriptionAdded {
  return data.op === 'add';
}

/**
 * `subscription` events (events-channels.md#channels): `add` varies by what the queue asked for, and nothing
 * about archived channels reaches a queue that hides them.
 */
export const subscriptionRenderer: EventRenderer = {
  variant(event: RenderableEvent, receiver): string | null {
    const data = event.data as SubscriptionData;
    if (data.revived && showsArchived(receiver.filter)) return null;
    if (isAdded(data)) return addedVariant(data, receiver);
    return data.archived && !showsArchived(receiver.filter) ? null : '';
  },

  bodies(event, variant) {
    const data = event.data as SubscriptionData;
    if (isAdded(data)) return [addedBody(data, variant)];
    const { archived: _archived, revived: _revived, ...body } = data;
    return [{ type: 'subscription', ...body }];
  },
};
