import type { EventFields } from '../../../schemas/events.js';
import type {
  ChannelObject,
  ListedChannel,
  SubscriptionObject,
} from '../../../schemas/channels/channel.js';
import { placeIn } from '../entry.js';
import type { Receiver, RendererOf } from './event-renderer.js';
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

type SubscriptionEvent = EventFields<'subscription'>;

/** Stored form of all others: as it is sent, with marks of archived channels. */
type SubscriptionChanged = Exclude<SubscriptionEvent, { op: 'add' }> & {
  readonly archived?: true;
  readonly revived?: true;
};

type SubscriptionData = SubscriptionAdded | SubscriptionChanged;

/** The list that was asked for, if any. */
export type SubscriberFields = Pick<ListedChannel, 'subscribers' | 'partial_subscribers'>;

/**
 * The subscriber list of a channel object, in snapshots and events alike (register-structures.md#subscriptions): a list
 * that is whole says so by its name.
 */
export function listedSubscribers(
  { subscribers, partial }: SubscriberLists,
  include: IncludeSubscribers,
): SubscriberFields {
  if (include === false) return {};
  return include === 'partial' && partial !== null
    ? { partial_subscribers: partial }
    : { subscribers };
}

/**
 * Makes a subscription object of events-channels.md#channels of a channel object that nobody else uses. To copy one
 * costs four times what all else does: it has more fields than the engine copies fast.
 * @param inherited what replaces null in notification fields; null keeps it
 */
export function asSubscription(
  channel: ChannelObject,
  personal: PersonalPart,
  inherited: InheritedNotifications | null,
): SubscriptionObject {
  const object = channel as Writable<SubscriptionObject>;
  object.color = personal.color;
  object.is_muted = personal.is_muted;
  object.in_home_view = !personal.is_muted;
  object.pin_to_top = personal.pin_to_top;
  object.desktop_notifications =
    personal.desktop_notifications ?? inherited?.desktop_notifications ?? null;
  object.audible_notifications =
    personal.audible_notifications ?? inherited?.audible_notifications ?? null;
  object.push_notifications = personal.push_notifications ?? inherited?.push_notifications ?? null;
  object.email_notifications =
    personal.email_notifications ?? inherited?.email_notifications ?? null;
  object.wildcard_mentions_notify =
    personal.wildcard_mentions_notify ?? inherited?.wildcard_mentions_notify ?? null;
  return object;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const INCLUDES: Readonly<Record<string, IncludeSubscribers>> = {
  false: false,
  true: true,
  partial: 'partial',
};

function addedVariant(data: SubscriptionAdded, { userId, filter }: Receiver): string | null {
  const position = placeIn(data.users, userId);
  if (position < 0) return null;
  const nulls = filter.capabilities.notification_settings_null === true ? 'null' : 'filled';
  return [data.kind_of[position], String(filter.include_subscribers), nulls].join(' ');
}

function addedBody(data: SubscriptionAdded, variant: string): SubscriptionEvent {
  const [kind, include, nulls] = variant.split(' ');
  const { personal, inherited } = data.kinds[Number(kind)]!;
  const subscriptions = data.channels.map(({ channel, ...lists }, i) => ({
    ...asSubscription({ ...channel }, personal[i]!, nulls === 'null' ? null : inherited),
    ...listedSubscribers(lists, INCLUDES[include!]!),
  }));
  return { op: 'add', subscriptions };
}

/** Whether the event is about archived channels; one is never about both kinds. */
function isArchived(data: SubscriptionData): boolean {
  return data.op === 'add' ? data.channels[0]!.channel.is_archived : data.archived === true;
}

/**
 * `subscription` events (events-channels.md#channels): `add` varies by what the queue asked for, and nothing
 * about archived channels reaches a queue that hides them.
 */
export const subscriptionRenderer: RendererOf<'subscription', SubscriptionData> = {
  variant({ data }, receiver): string | null {
    if (data.revived && showsArchived(receiver.filter)) return null;
    if (isArchived(data) && !showsArchived(receiver.filter)) return null;
    return data.op === 'add' ? addedVariant(data, receiver) : '';
  },

  bodies({ type, data }, variant) {
    if (data.op === 'add') return [{ type, ...addedBody(data, variant) }];
    const { archived: _archived, revived: _revived, ...body } = data;
    return [{ type, ...body }];
  },
};
