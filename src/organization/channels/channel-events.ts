import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { Audience } from '../../journal/entry.js';
import type { StreamCreated, StreamDeleted } from '../../journal/renderers/stream.js';
import { channelView } from '../views/channel-view.js';
import { channelAudience, without } from '../access/permissions.js';
import { emitMutedTopics } from '../topics/topic-policy.js';
import type { Transaction } from '../state/transaction.js';

/** Channels and users, each pair of them affected: one event covers all. */
interface Batch {
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
export function batchesOf(channelsByUser: ChannelsByUser): Batch[] {
  const batches = new Map<string, { channels: readonly ChannelDocument[]; users: number[] }>();
  for (const [userId, all] of channelsByUser) {
    for (const channels of [all.filter(isLive), all.filter(isArchived)]) {
      if (channels.length === 0) continue;
      const key = channels.map((channel) => channel.stream_id).join();
      const batch = batches.get(key);
      if (batch) batch.users.push(userId);
      else batches.set(key, { channels, users: [userId] });
    }
  }
  for (const batch of batches.values()) batch.users.sort((a, b) => a - b);
  return [...batches.values()];
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

/**
 * Emits `stream` create to users who gain sight of channels. It shows the present number of
 * subscribers: call it before subscriptions change.
 */
export function emitChannelCreated(tx: Transaction, usersByChannel: UsersByChannel): void {
  for (const { channels, users } of batchesOf(byUser(usersByChannel))) {
    const streams = channels.map((channel) => channelView(tx.org, channel));
    tx.emit('stream', { to: 'users', users }, { op: 'create', streams } satisfies StreamCreated);
  }
}

/** Emits `stream` delete to users who lost sight of channels. */
export function emitChannelDeleted(tx: Transaction, usersByChannel: UsersByChannel): void {
  for (const { channels, users } of batchesOf(byUser(usersByChannel))) {
    const data: StreamDeleted = {
      op: 'delete',
      stream_ids: channels.map((channel) => channel.stream_id),
      ...archivedMark(channels),
    };
    tx.emit('stream', { to: 'users', users }, data);
  }
  emitMutedTopics(tx, usersByChannel);
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
  for (const [channel, users] of usersByChannel) {
    if (users.length === 0) continue;
    const audience = without(channelAudience(tx.org, channel), users);
    const key = JSON.stringify([channel.is_archived, users, audience]);
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

/** Emits the complete list of default channels to everybody but guests. */
export function emitDefaultChannels(tx: Transaction): void {
  const audience = without({ to: 'all' }, [...tx.org.users.activeGuests]);
  tx.emit('default_streams', audience, { default_streams: tx.org.channels.defaults() });
}

/** Marks an event about archived channels for queues that hide them. */
export function archivedMark(channels: readonly ChannelDocument[]): { archived?: true } {
  return channels[0]?.is_archived ? { archived: true } : {};
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

function isArchived(channel: ChannelDocument): boolean {
  return channel.is_archived;
}

function isLive(channel: ChannelDocument): boolean {
  return !channel.is_archived;
}
