import type { ChannelDocument } from '../../schemas/documents/channel.js';
import type { SubscriptionDocument } from '../../schemas/documents/subscription.js';
import { archiveChannel } from './archiving.js';
import {
  archivedMark,
  batchesOf,
  byUser,
  tellDeleted,
  tellLeaversOfEachOther,
  tellPeers,
} from './channel-events.js';
import { markRead, unreadOf } from './channel-unread.js';
import { activeSubscriberCount } from './channel-view.js';
import { canSeeChannel } from './permissions.js';
import type { Transaction } from './transaction.js';

/** Who is to leave what: every user every channel. */
export interface UnsubscribeRequest {
  readonly channels: readonly ChannelDocument[];
  readonly userIds: readonly number[];
}

/** What came of it: users by channel, in the order of the request. */
export interface UnsubscribeResult {
  readonly removed: ReadonlyMap<ChannelDocument, readonly number[]>;
  readonly notSubscribed: ReadonlyMap<ChannelDocument, readonly number[]>;
}

/**
 * Ends subscriptions and tells everybody concerned, in the order of events.md section 7:
 * `subscription` remove, `stream` delete, `subscription` peer_remove; then private channels without
 * subscribers are archived, and what the leavers had not read there is marked as read. Checks no
 * permissions.
 */
export function unsubscribeUsers(tx: Transaction, request: UnsubscribeRequest): UnsubscribeResult {
  const { org } = tx;
  const removed = new Map<ChannelDocument, number[]>();
  const notSubscribed = new Map<ChannelDocument, number[]>();
  for (const channel of request.channels) {
    const subscribed = (id: number) => org.subscriptions.isSubscribed(id, channel.stream_id);
    removed.set(
      channel,
      request.userIds.filter(subscribed).sort((a, b) => a - b),
    );
    notSubscribed.set(
      channel,
      request.userIds.filter((id) => !subscribed(id)),
    );
  }
  // Asked first: without the subscription there may be no access to what was received.
  const unread = [...removed].flatMap(([channel, userIds]) => unreadOf(tx, channel, userIds));
  for (const [channel, userIds] of removed) {
    for (const userId of userIds) endSubscription(tx, userId, channel.stream_id);
  }
  tellRemoved(tx, removed);
  const lost = tellLost(tx, removed);
  tellPeers(tx, 'peer_remove', removed);
  for (const [channel, userIds] of removed) {
    const blind = new Set(lost.get(channel));
    const seeing = new Set(userIds.filter((id) => !blind.has(id)));
    tellLeaversOfEachOther(tx, channel, userIds, seeing);
  }
  archiveVacated(tx, removed);
  markRead(tx, unread);
  return { removed, notSubscribed };
}

function endSubscription(tx: Transaction, userId: number, streamId: number): void {
  const { subscriptions } = tx.org;
  const { spans } = subscriptions.of(userId, streamId)!;
  const fields: Partial<SubscriptionDocument> = { active: false, spans: closed(spans, tx.seq) };
  subscriptions.update(`${userId}:${streamId}`, fields);
}

/** Spans with the last one ending at `seq`; one that would be empty is left out. */
function closed(spans: SubscriptionDocument['spans'], seq: number): SubscriptionDocument['spans'] {
  const last = spans[spans.length - 1]!;
  const former = spans.slice(0, -1);
  return last[0] < seq ? [...former, [last[0], seq]] : former;
}

function tellRemoved(tx: Transaction, removed: ReadonlyMap<ChannelDocument, number[]>): void {
  for (const { channels, users } of batchesOf(byUser(removed))) {
    const subscriptions = channels.map(({ stream_id, name }) => ({ stream_id, name }));
    const data = { op: 'remove', subscriptions, ...archivedMark(channels) };
    tx.emit('subscription', { to: 'users', users }, data);
  }
}

/** Takes the channels away that the leavers cannot see any more; says whom from. */
function tellLost(
  tx: Transaction,
  removed: ReadonlyMap<ChannelDocument, number[]>,
): ReadonlyMap<ChannelDocument, number[]> {
  const { org } = tx;
  const lost = new Map<ChannelDocument, number[]>();
  for (const [channel, userIds] of removed) {
    const blind = userIds.filter((id) => !canSeeChannel(org, org.users.get(id)!, channel));
    lost.set(channel, blind);
  }
  tellDeleted(tx, lost);
  return lost;
}

function archiveVacated(tx: Transaction, removed: ReadonlyMap<ChannelDocument, number[]>): void {
  for (const [channel, userIds] of removed) {
    if (userIds.length === 0 || !channel.invite_only || channel.is_archived) continue;
    if (activeSubscriberCount(tx.org, channel.stream_id) === 0) archiveChannel(tx, channel);
  }
}
