/** The only place that emits `subscription` (events-channels.md#channels). */
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { SubscriptionProperty } from '../../../schemas/channels/subscriptions.js';
import type { EventFields } from '../../../schemas/events.js';
import type { Audience } from '../../journal/entry.js';
import type {
  PersonalPart,
  SubscribedChannel,
  SubscriberKind,
  SubscriptionAdded,
} from '../../journal/renderers/subscription.js';
import { ChannelAudiences } from './channel-viewers.js';
import { channelAudience, without } from '../access/permissions.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { archivedMark, batchesOf, byUser } from '../views/channel-events.js';
import { activeSubscribers, channelView } from '../views/channel-view.js';
import {
  inheritedNotifications,
  personalKey,
  personalPart,
  subscriberLists,
} from '../views/subscription-view.js';

/** Users by channel. */
type UsersByChannel = ReadonlyMap<ChannelDocument, readonly number[]>;

type SubscriptionUpdate = Extract<EventFields<'subscription'>, { op: 'update' }>;

/**
 * Emits one `subscription` add for all users who were subscribed to the same channels.
 * @param revived the channels were just unarchived
 */
export function emitSubscribed(
  tx: Transaction,
  channelsByUser: ReadonlyMap<number, readonly ChannelDocument[]>,
  revived: { readonly revived?: true } = {},
): void {
  const known = new Map<ChannelDocument, SubscribedChannel>();
  const described = (channel: ChannelDocument): SubscribedChannel => {
    let one = known.get(channel);
    if (!one) known.set(channel, (one = describe(tx.org, channel)));
    return one;
  };
  for (const { channels, users } of batchesOf(channelsByUser)) {
    const data: SubscriptionAdded = {
      op: 'add',
      channels: channels.map(described),
      users,
      ...kindsOf(tx.org, channels, users),
      ...revived,
    };
    tx.emit('subscription', { to: 'users', users }, data);
  }
}

function describe(org: Organization, channel: ChannelDocument): SubscribedChannel {
  return { channel: channelView(org, channel), ...subscriberLists(org, channel.stream_id) };
}

/** Groups users by the content of their events. */
function kindsOf(
  org: Organization,
  channels: readonly ChannelDocument[],
  users: readonly number[],
): { kinds: SubscriberKind[]; kind_of: number[] } {
  const places = new Map<string, number>();
  const kinds: SubscriberKind[] = [];
  const kind_of = users.map((userId) => {
    const own = channels.map(({ stream_id }) => org.subscriptions.of(userId, stream_id)!);
    const inherited = inheritedNotifications(org, userId);
    let key = Object.values(inherited).join();
    for (const sub of own) key += personalKey(sub);
    let place = places.get(key);
    if (place === undefined) {
      const personal: PersonalPart[] = own.map(personalPart);
      places.set(key, (place = kinds.push({ personal, inherited }) - 1));
    }
    return place;
  });
  return { kinds, kind_of };
}

/** Emits one `subscription` remove for all users who were unsubscribed from the same channels. */
export function emitUnsubscribed(tx: Transaction, removed: UsersByChannel): void {
  for (const { channels, users } of batchesOf(byUser(removed))) {
    const subscriptions = channels.map(({ stream_id, name }) => ({ stream_id, name }));
    const mark = archivedMark(channels);
    tx.emit('subscription', { to: 'users', users }, { op: 'remove', subscriptions, ...mark });
  }
}

/** Channels with the same named users and the same audience share an event. */
interface PeerEvent {
  readonly channels: ChannelDocument[];
  readonly users: readonly number[];
  readonly audience: Audience;
}

/**
 * Emits `peer_add` or `peer_remove` to everybody who may see the list of subscribers, except the users
 * it names.
 * @param revived the channels were just unarchived
 */
export function emitPeerChange(
  tx: Transaction,
  op: 'peer_add' | 'peer_remove',
  usersByChannel: UsersByChannel,
  revived: { readonly revived?: true } = {},
): void {
  const events = new Map<string, PeerEvent>();
  const audiences = usersByChannel.size > 1 ? new ChannelAudiences(tx.org) : null;
  // Channels may share an audience.
  const texts = new Map<Audience, string>();
  const numbers = new Map<string, number>();
  for (const [channel, users] of usersByChannel) {
    if (users.length === 0) continue;
    const audience =
      audiences?.of(channel, users) ?? without(channelAudience(tx.org, channel), users);
    // That of a single one need not be compared.
    const text = texts.get(audience) ?? (audiences === null ? '' : JSON.stringify(audience));
    texts.set(audience, text);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    const key = JSON.stringify([channel.is_archived, users, number]);
    const event = events.get(key);
    if (event) event.channels.push(channel);
    else events.set(key, { channels: [channel], users, audience });
  }
  for (const { channels, users, audience } of events.values()) {
    tx.emit('subscription', audience, { ...peerData(op, channels, users), ...revived });
  }
}

/**
 * Emits `peer_remove` among users who left a channel together and still see it; nobody is named to
 * themselves. Leavers form blocks of about √n: one event per block names all other blocks, one per user
 * the rest of the own block. So n leavers make about n events of √n names, not n events of n names.
 */
export function emitLeaversOfEachOther(
  tx: Transaction,
  channel: ChannelDocument,
  leavers: readonly number[],
  receivers: ReadonlySet<number>,
): void {
  const size = Math.ceil(Math.sqrt(leavers.length));
  const emitLeft = (to: readonly number[], users: readonly number[]) => {
    if (users.length === 0) return;
    const audience: Audience = { to: 'users', users: to.filter((id) => receivers.has(id)) };
    tx.emit('subscription', audience, peerData('peer_remove', [channel], users));
  };
  if (receivers.size === 0) return;
  for (let start = 0; start < leavers.length; start += size) {
    const block = leavers.slice(start, start + size);
    emitLeft(block, [...leavers.slice(0, start), ...leavers.slice(start + size)]);
    for (const userId of block) {
      emitLeft(
        [userId],
        block.filter((id) => id !== userId),
      );
    }
  }
}

/** Channels with at most so many subscribers are compared, to share an event: nearly all channels of a large organization. */
const COMPARED_SUBSCRIBERS = 100;

/**
 * Emits all subscribers of channels as `peer_add`, to users who gained access to them. Channels with the same subscribers
 * share an event: a new member of an organization with thousands of channels gets few.
 */
export function emitSubscribersTo(
  tx: Transaction,
  channels: readonly ChannelDocument[],
  users: readonly number[],
): void {
  const alike = new Map<string, { channels: ChannelDocument[]; subscribers: number[] }>();
  for (const channel of channels) {
    const subscribers = activeSubscribers(tx.org, channel.stream_id).sort((a, b) => a - b);
    if (subscribers.length === 0) continue;
    const isCompared = subscribers.length <= COMPARED_SUBSCRIBERS;
    const key = isCompared ? subscribers.join() : `of ${channel.stream_id}`;
    const found = alike.get(key);
    if (found) found.channels.push(channel);
    else alike.set(key, { channels: [channel], subscribers });
  }
  for (const one of alike.values()) {
    const data = peerData('peer_add', one.channels, one.subscribers);
    tx.emit('subscription', { to: 'users', users }, data);
  }
}

/** Emits a changed personal setting of a channel to its user. */
export function emitSubscriptionUpdate(
  tx: Transaction,
  userId: number,
  channel: ChannelDocument,
  property: SubscriptionProperty,
  value: SubscriptionUpdate['value'],
): void {
  const data = { op: 'update', stream_id: channel.stream_id, property, value } as const;
  const audience = { to: 'users', users: [userId] } as const;
  tx.emit('subscription', audience, { ...data, ...archivedMark([channel]) });
}

function peerData(
  op: 'peer_add' | 'peer_remove',
  channels: readonly ChannelDocument[],
  users: readonly number[],
) {
  return {
    op,
    stream_ids: channels.map((channel) => channel.stream_id),
    user_ids: users,
    ...archivedMark(channels),
  };
}
