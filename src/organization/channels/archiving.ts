import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { StreamArchived } from '../../journal/renderers/stream.js';
import { emitDefaultChannels, emitPeerChange } from './channel-events.js';
import { markIntroduced } from './channel-visibility.js';
import { markRead, markReadInParts, unreadOf, type ChannelUnread } from './channel-unread.js';
import { activeSubscribers, channelView } from '../views/channel-view.js';
import { chunksOf, type PartedChange, type Parts } from '../state/parted-change.js';
import { channelAudience } from '../access/permissions.js';
import { emitAdded } from './subscribing.js';
import type { Transaction } from '../state/transaction.js';

/** Readers whose unread messages are looked for in one part. */
const READERS = 500;

/**
 * Archives a channel (events.md#order): it is no default channel any more, clients see it go or
 * marked as archived, and what was unread there is marked as read. Subscriptions stay.
 */
export function archiveChannel(tx: Transaction, channel: ChannelDocument): void {
  markRead(tx, closeChannel(tx, channel));
}

/** As `archiveChannel`, its readers in parts: nothing more comes that they could miss. */
export function* archiveInParts(change: PartedChange, channel: ChannelDocument): Parts<void> {
  const readers = archive(change.tx, channel);
  for (const some of chunksOf(readers, READERS)) {
    if (change.isOver) yield* change.nextPart();
    // It may have been deleted, or brought back, meanwhile.
    const archived = change.org.channels.get(channel.stream_id);
    if (!archived?.is_archived) return;
    const active = some.filter((id) => change.org.users.active.has(id));
    yield* markReadInParts(change, unreadOf(change.tx, archived, active));
  }
}

/** Archives a channel, and says what is unread there, to be marked as read. */
export function closeChannel(tx: Transaction, channel: ChannelDocument): ChannelUnread[] {
  const readers = archive(tx, channel);
  return unreadOf(tx, tx.org.channels.get(channel.stream_id)!, readers);
}

/** Archives a channel. @returns the active users who subscribe or did, to whom something may be unread */
function archive(tx: Transaction, channel: ChannelDocument): number[] {
  const { org } = tx;
  const { stream_id } = channel;
  const archived = org.channels.update(stream_id, { is_archived: true, is_default: false });
  if (channel.is_default) emitDefaultChannels(tx);
  emitArchived(tx, archived);
  const readers = [
    ...org.subscriptions.subscribers(stream_id),
    ...org.subscriptions.formerSubscribers(stream_id),
  ];
  return readers.filter((id) => org.users.active.has(id));
}

/**
 * Brings an archived channel back. Clients that had seen it go are introduced to it anew, with the
 * caller's own subscription where there is one, and the other subscribers.
 */
export function unarchiveChannel(tx: Transaction, channel: ChannelDocument): ChannelDocument {
  const { org } = tx;
  const { stream_id } = channel;
  const live = org.channels.update(stream_id, { is_archived: false });
  emitArchived(tx, live);
  const subscribers = activeSubscribers(org, stream_id).sort((a, b) => a - b);
  const channels = [live];
  emitAdded(tx, new Map(subscribers.map((id) => [id, channels])), { revived: true });
  emitPeerChange(tx, 'peer_add', new Map([[live, subscribers]]), { revived: true });
  for (const userId of org.subscriptions.formerSubscribers(stream_id)) {
    markIntroduced(tx, userId, stream_id, 'legacy');
  }
  return live;
}

function emitArchived(tx: Transaction, channel: ChannelDocument): void {
  const data: StreamArchived = {
    op: 'update',
    stream_id: channel.stream_id,
    name: channel.name,
    property: 'is_archived',
    value: channel.is_archived,
    // Shown to those only who are introduced to it; peer events then count its subscribers up.
    channel: channelView(tx.org, channel, 0),
  };
  tx.emit('stream', channelAudience(tx.org, channel), data);
}
