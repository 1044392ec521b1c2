import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { SubscriptionDocument } from '../../../schemas/channels/subscriptions.js';
import { accessBefore } from './channel-access.js';
import { emitAccessChange } from '../views/access-change.js';
import { closeChannel } from './channel-change.js';
import { emitChannelDeleted } from '../views/channel-events.js';
import { emitLeaversOfEachOther, emitPeerChange, emitUnsubscribed } from './subscription-events.js';
import { dropLostStars } from './lost-stars.js';
import { markReadInParts, unreadOf, type ChannelUnread } from './channel-unread.js';
import { activeSubscriberCount } from '../views/channel-view.js';
import { inOnePart, type PartedChange, type Parts } from '../state/parted-change.js';
import { canSeeChannel } from '../access/permissions.js';
import { subscriptionParts } from '../state/subscription-parts.js';
import type { Transaction } from '../state/transaction.js';

/** Every user is unsubscribed from every channel. */
interface UnsubscribeRequest {
  readonly channels: readonly ChannelDocument[];
  readonly userIds: readonly number[];
}

/** Users by channel id. */
interface UnsubscribeResult {
  readonly removed: ReadonlyMap<number, readonly number[]>;
  readonly notSubscribed: ReadonlyMap<number, readonly number[]>;
}

/**
 * Ends subscriptions, with events in the order of events.md#order: `subscription` remove, `stream` delete,
 * `subscription` peer_remove, `realm_user` remove to guests who share no channel any more. Then it archives private
 * channels without subscribers, removes stars that nothing shows any more and marks the leavers' unread messages as read.
 * The caller has checked rights.
 */
export function unsubscribeUsers(tx: Transaction, request: UnsubscribeRequest): UnsubscribeResult {
  return inOnePart(tx, (change) => unsubscribeInParts(change, request));
}

/** As `unsubscribeUsers`, in parts. */
export function* unsubscribeInParts(
  change: PartedChange,
  request: UnsubscribeRequest,
): Parts<UnsubscribeResult> {
  const removed = new Map<number, number[]>();
  const result = { removed, notSubscribed: new Map<number, number[]>() };
  let isFirst = true;
  for (const part of subscriptionParts(change.org, request)) {
    if (!isFirst) yield* change.nextPart();
    isFirst = false;
    yield* markReadInParts(change, endSubscriptions(change.tx, part, result));
  }
  return result;
}

/** Ends the subscriptions of one part. @returns unread messages to be marked as read */
function endSubscriptions(
  tx: Transaction,
  request: UnsubscribeRequest,
  result: Record<keyof UnsubscribeResult, Map<number, number[]>>,
): ChannelUnread[] {
  const { org } = tx;
  const removed = new Map<ChannelDocument, number[]>();
  for (const channel of request.channels) {
    const subscribed = (id: number) => org.subscriptions.isSubscribed(id, channel.stream_id);
    const leavers = request.userIds.filter(subscribed).sort((a, b) => a - b);
    removed.set(channel, leavers);
    addTo(result.removed, channel.stream_id, leavers);
    const others = request.userIds.filter((id) => !subscribed(id));
    addTo(result.notSubscribed, channel.stream_id, others);
  }
  // Before the subscriptions end: afterwards the users may have no access to the messages.
  const unread = [...removed].flatMap(([channel, userIds]) => unreadOf(tx, channel, userIds));
  const access = accessBefore(org, removed);
  for (const [channel, userIds] of removed) {
    for (const userId of userIds) endSubscription(tx, userId, channel.stream_id);
  }
  emitUnsubscribed(tx, removed);
  const lost = emitLost(tx, removed);
  emitPeerChange(tx, 'peer_remove', removed);
  for (const [channel, userIds] of removed) {
    const blind = new Set(lost.get(channel));
    const seeing = new Set(userIds.filter((id) => !blind.has(id)));
    emitLeaversOfEachOther(tx, channel, userIds, seeing);
  }
  emitAccessChange(tx, access);
  dropLostStars(tx, [...removed.values()].flat(), removed.keys());
  return [...archiveVacated(tx, removed), ...unread];
}

function addTo(lists: Map<number, number[]>, streamId: number, userIds: readonly number[]): void {
  const known = lists.get(streamId);
  if (known) known.push(...userIds);
  else lists.set(streamId, [...userIds]);
}

function endSubscription(tx: Transaction, userId: number, streamId: number): void {
  const { subscriptions } = tx.org;
  const { spans } = subscriptions.of(userId, streamId)!;
  const fields: Partial<SubscriptionDocument> = { active: false, spans: closed(spans, tx.seq) };
  subscriptions.update(`${userId}:${streamId}`, fields);
}

/** Spans with the last one closed at `seq`, without it where it would be empty. */
function closed(spans: SubscriptionDocument['spans'], seq: number): SubscriptionDocument['spans'] {
  const last = spans[spans.length - 1]!;
  const former = spans.slice(0, -1);
  return last[0] < seq ? [...former, [last[0], seq]] : former;
}

/** Emits `stream` delete to leavers who lost access to a channel. @returns those leavers, by channel */
function emitLost(
  tx: Transaction,
  removed: ReadonlyMap<ChannelDocument, number[]>,
): ReadonlyMap<ChannelDocument, number[]> {
  const { org } = tx;
  const lost = new Map<ChannelDocument, number[]>();
  for (const [channel, userIds] of removed) {
    const blind = userIds.filter((id) => !canSeeChannel(org, org.users.get(id)!, channel));
    lost.set(channel, blind);
  }
  emitChannelDeleted(tx, lost);
  return lost;
}

function archiveVacated(
  tx: Transaction,
  removed: ReadonlyMap<ChannelDocument, number[]>,
): ChannelUnread[] {
  const unread: ChannelUnread[] = [];
  for (const [channel, userIds] of removed) {
    if (userIds.length === 0 || !channel.invite_only || channel.is_archived) continue;
    if (activeSubscriberCount(tx.org, channel.stream_id) > 0) continue;
    unread.push(...closeChannel(tx, channel));
  }
  return unread;
}
