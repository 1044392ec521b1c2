import type {
  ChannelObject,
  ListedChannel,
  SubscriptionObject,
} from '../../../schemas/channels/channel-object.js';
import { positionOf } from '../queues/audience.js';
import type { Receiver, EventRenderer, RenderableEvent } from './event-renderer.js';
import { showsArchived } from './stream.js';

/** Notification settings per channel; null inherits the user's own setting. */
export const NOTIFICATION_FIELDS = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
] as const;
/** A notification setting of a subscription; null there means inherited. */
type NotificationField = (typeof NOTIFICATION_FIELDS)[number];

/** The settings that a user's channels inherit. */
export type InheritedNotifications = Readonly<Record<NotificationField, boolean>>;

/** The settings of one user for one channel. */
export type PersonalPart = Readonly<Record<NotificationField, boolean | null>> & {
  readonly color: string;
  readonly is_muted: boolean;
  readonly pin_to_top: boolean;
};

/** Which subscriber lists a queue or snapshot shows. */
export type IncludeSubscribers = boolean | 'partial';

/** The subscribers of a channel; ids ascend. */
export type SubscriberLists = {
  readonly subscribers: readonly number[];
  /** The list of `partial_subscribers`; null where it is all subscribers. */
  readonly partial: readonly number[] | null;
};

/** A channel with its subscribers, stored once for all new subscribers. */
export type SubscribedChannel = SubscriberLists & { readonly channel: ChannelObject };

/** Settings that several new subscribers have in common. */
export type SubscriberKind = {
  /** One for each channel of the event, in the same order. */
  readonly personal: readonly PersonalPart[];
  readonly inherited: InheritedNotifications;
};

/**
 * Stored form of `subscription` add: many users who were subscribed to the same channels. Common parts are
 * stored once, and users of one kind share their serialized event.
 */
export type SubscriptionAdded = {
  readonly op: 'add';
  readonly channels: readonly SubscribedChannel[];
  readonly kinds: readonly SubscriberKind[];
  /** The receivers, ascending. */
  readonly users: readonly number[];
  /** Position in `kinds` for each of `users`. */
  readonly kind_of: readonly number[];
  /** The channels were unarchived: queues with `archived_channels` have them already. */
  readonly revived?: true;
};

/** Every other op is stored as it is sent, apart from `archived` and `revived`. */
type SubscriptionData =
  | SubscriptionAdded
  | { readonly op: string; readonly archived?: true; readonly revived?: true };

/** The list that was asked for, if any. */
export type SubscriberFields = Pick<ListedChannel, 'subscribers' | 'partial_subscribers'>;

/** The subscriber list of a channel or subscription object (specification.md#events). */
export function subscriberFields(
  lists: SubscriberLists,
  include: IncludeSubscribers,
): SubscriberFields {
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
): SubscriptionObject {
  const { color, is_muted, pin_to_top } = personal;
  const chosen = (field: NotificationField): boolean | null =>
    personal[field] ?? (inherited ? inherited[field] : null);
  return {
    ...channel,
    color,
    is_muted,
    in_home_view: !is_muted,
    pin_to_top,
    desktop_notifications: chosen('desktop_notifications'),
    audible_notifications: chosen('audible_notifications'),
    push_notifications: chosen('push_notifications'),
    email_notifications: chosen('email_notifications'),
    wildcard_mentions_notify: chosen('wildcard_mentions_notify'),
  };
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
 * `subscription` events (events-channels.md#channels): `add` depends on the queue's parameters; queues
 * without `archived_channels` get nothing about archived channels.
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
