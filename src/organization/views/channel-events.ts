/**
 * The only place that emits `stream` and `default_streams` (events-channels.md#channels). What happens to
 * subscriptions is emitted in ../channels/subscription-events.ts.
 */
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Audience } from '../../journal/entry.js';
import type {
  StreamArchived,
  StreamChange,
  StreamDeleted,
} from '../../journal/renderers/stream.js';
import { channelAudience, without } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { emitMutedTopics } from '../topics/topic-policy.js';
import { channelView, defaultChannelIds } from './channel-view.js';

/** Channels and users, each pair of them affected: one event covers all. */
export interface ChannelBatch {
  readonly channels: readonly ChannelDocument[];
  /** Ascending. */
  readonly users: readonly number[];
}

/** Channels by user. */
type ChannelsByUser = ReadonlyMap<number, readonly ChannelDocument[]>;

/** Users by channel. */
type UsersByChannel = ReadonlyMap<ChannelDocument, readonly number[]>;

/**
 * Groups users with the same channels. Archived channels, which some queues hide, are in batches of
 * their own.
 */
export function batchesOf(channelsByUser: ChannelsByUser): ChannelBatch[] {
  const batches = new Map<string, { channels: readonly ChannelDocument[]; users: number[] }>();
  const keyed = new Map<readonly ChannelDocument[], ReturnType<typeof keyedParts>>();
  for (const [userId, all] of channelsByUser) {
    // Users may share a list.
    const parts = keyed.get(all) ?? keyedParts(all);
    keyed.set(all, parts);
    for (const { key, channels } of parts) {
      const batch = batches.get(key);
      if (batch) batch.users.push(userId);
      else batches.set(key, { channels, users: [userId] });
    }
  }
  for (const batch of batches.values()) batch.users.sort((a, b) => a - b);
  return [...batches.values()];
}

/** The live channels of a list and the archived ones, each with a text of their ids. */
function keyedParts(all: readonly ChannelDocument[]) {
  return [all.filter(isLive), all.filter(isArchived)]
    .filter((channels) => channels.length > 0)
    .map((channels) => ({ key: channels.map(({ stream_id }) => stream_id).join(), channels }));
}

/**
 * As `batchesOf(byUser(…))`. Channels that have the same list of users are looked at as one: thousands of users who
 * gain a thousand channels at once are as many steps, not millions.
 */
export function batchesByChannel(usersByChannel: UsersByChannel): ChannelBatch[] {
  const alike = new Map<readonly number[], ChannelDocument[]>();
  for (const [channel, users] of usersByChannel) {
    const channels = alike.get(users);
    if (channels) channels.push(channel);
    else alike.set(users, [channel]);
  }
  if (alike.size === usersByChannel.size) return batchesOf(byUser(usersByChannel));
  const order = new Map([...usersByChannel.keys()].map((channel, i) => [channel, i]));
  const listsOf = new Map<number, number[]>();
  const lists = [...alike.values()];
  [...alike.keys()].forEach((users, list) => {
    for (const userId of users) {
      const found = listsOf.get(userId);
      if (found) found.push(list);
      else listsOf.set(userId, [list]);
    }
  });
  const channelsOf = new Map<string, readonly ChannelDocument[]>();
  const byKey = new Map<number, readonly ChannelDocument[]>();
  for (const [userId, found] of listsOf) {
    const key = found.join();
    let channels = channelsOf.get(key);
    if (!channels) {
      channels = found.flatMap((list) => lists[list]!);
      channels = [...channels].sort((a, b) => order.get(a)! - order.get(b)!);
      channelsOf.set(key, channels);
    }
    byKey.set(userId, channels);
  }
  return batchesOf(byKey);
}

/** Inverts the relation to channels by user. */
export function byUser(usersByChannel: UsersByChannel): Map<number, ChannelDocument[]> {
  const found = new Map<number, ChannelDocument[]>();
  for (const [channel, users] of usersByChannel) {
    for (const userId of users) {
      const channels = found.get(userId);
      if (channels) channels.push(channel);
      else found.set(userId, [channel]);
    }
  }
  return found;
}

/** Emits `stream` create of a new channel to all who may see it. */
export function emitNewChannel(tx: Transaction, channel: ChannelDocument): void {
  const streams = [channelView(tx.org, channel)];
  tx.emit('stream', channelAudience(tx.org, channel), { op: 'create', streams });
}

/**
 * Emits `stream` create to users who gain access to channels. It shows the present number of
 * subscribers: call it before subscriptions change.
 */
export function emitChannelCreated(tx: Transaction, usersByChannel: UsersByChannel): void {
  for (const batch of batchesByChannel(usersByChannel)) emitChannelsTo(tx, batch);
}

/**
 * Emits `stream` create of some channels to some users.
 * @param subscriberCount the count that the receivers start from; default: the present one
 */
export function emitChannelsTo(
  tx: Transaction,
  { channels, users }: ChannelBatch,
  subscriberCount?: number,
): void {
  const streams = channels.map((channel) => channelView(tx.org, channel, subscriberCount));
  tx.emit('stream', { to: 'users', users }, { op: 'create', streams });
}

/** Emits `stream` delete to users who lost access to channels. */
export function emitChannelDeleted(tx: Transaction, usersByChannel: UsersByChannel): void {
  for (const { channels, users } of batchesByChannel(usersByChannel)) {
    const data: StreamDeleted = {
      op: 'delete',
      stream_ids: channels.map((channel) => channel.stream_id),
      ...archivedMark(channels),
    };
    tx.emit('stream', { to: 'users', users }, data);
  }
  emitMutedTopics(tx, usersByChannel);
}

/**
 * Emits a changed property of a channel, with what comes with it.
 * @param change a `name` in it is the one that clients know so far
 * @param audience default: all who may see the channel
 */
export function emitChannelUpdate(
  tx: Transaction,
  channel: ChannelDocument,
  change: Omit<StreamChange, 'op' | 'stream_id' | 'name'> & { readonly name?: string },
  audience: Audience = channelAudience(tx.org, channel),
): void {
  const { stream_id, name } = channel;
  const mark = archivedMark([channel]);
  tx.emit('stream', audience, { op: 'update', stream_id, name, ...change, ...mark });
}

/** Emits that a channel was archived or unarchived. */
export function emitArchived(tx: Transaction, channel: ChannelDocument): void {
  const data: StreamArchived = {
    op: 'update',
    stream_id: channel.stream_id,
    name: channel.name,
    property: 'is_archived',
    value: channel.is_archived,
    // Only clients that had deleted it see this object; `peer_add` events then count its subscribers up.
    channel: channelView(tx.org, channel, 0),
  };
  tx.emit('stream', channelAudience(tx.org, channel), data);
}

/** Emits the complete list of default channels to everybody but guests. */
export function emitDefaultChannels(tx: Transaction): void {
  const audience = without({ to: 'all' }, [...tx.org.users.activeGuests]);
  tx.emit('default_streams', audience, { default_streams: tx.org.channels.defaults() });
}

/** Emits the default channels to a user who became a guest or ceased to be one: guests have none. */
export function emitDefaultChannelsTo(tx: Transaction, user: UserDocument): void {
  if (tx.org.channels.defaults().length === 0) return;
  const default_streams = defaultChannelIds(tx.org, user);
  tx.emit('default_streams', { to: 'users', users: [user.user_id] }, { default_streams });
}

/** Marks an event about archived channels for queues that hide them. */
export function archivedMark(channels: readonly ChannelDocument[]): { archived?: true } {
  return channels[0]?.is_archived ? { archived: true } : {};
}

function isArchived(channel: ChannelDocument): boolean {
  return channel.is_archived;
}

function isLive(channel: ChannelDocument): boolean {
  return !channel.is_archived;
}
