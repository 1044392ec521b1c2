import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import {
  SUBSCRIPTION_DEFAULTS,
  type SubscriptionDocument,
} from '../../../schemas/channels/subscriptions.js';
import { nextColor } from '../views/channel-colors.js';
import { accessBefore } from './channel-access.js';
import { emitAccessChange } from '../views/access-change.js';
import { byUser, emitChannelCreated } from '../views/channel-events.js';
import { emitPeerChange, emitSubscribed } from './subscription-events.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { canSeeChannel } from '../access/permissions.js';
import { subscriptionParts } from '../state/subscription-parts.js';
import { emitMutedTopics } from '../topics/topic-policy.js';
import type { Transaction } from '../state/transaction.js';

/** Every user is subscribed to every channel. */
interface SubscribeRequest {
  readonly channels: readonly ChannelDocument[];
  /** Active users. */
  readonly userIds: readonly number[];
  /** Colours the request names, in stored form, by channel id. */
  readonly colors?: ReadonlyMap<number, string>;
}

/** Channels by user id, in the order of the request. */
export interface SubscribeResult {
  readonly subscribed: ReadonlyMap<number, readonly ChannelDocument[]>;
  readonly alreadySubscribed: ReadonlyMap<number, readonly ChannelDocument[]>;
}

type UsersByChannel = Map<ChannelDocument, number[]>;

/**
 * Subscribes users to channels, with events in the order of events.md#order: `stream` create,
 * `subscription` add, `realm_user` add to guests who share a channel from now on, `subscription` peer_add. The caller
 * has checked rights.
 */
export function subscribeUsers(tx: Transaction, request: SubscribeRequest): SubscribeResult {
  const { org } = tx;
  const added: UsersByChannel = new Map();
  const already: UsersByChannel = new Map();
  const hidden: UsersByChannel = new Map();
  for (const channel of request.channels) {
    const [subscribed, fresh] = partition(request.userIds, (userId) =>
      org.subscriptions.isSubscribed(userId, channel.stream_id),
    );
    already.set(channel, subscribed);
    added.set(channel, fresh);
    hidden.set(
      channel,
      fresh.filter((userId) => !canSeeChannel(org, org.users.get(userId)!, channel)),
    );
  }
  emitChannelCreated(tx, hidden);
  const access = accessBefore(org, added);
  const channelsByUser = byUser(added);
  for (const [userId, channels] of channelsByUser) {
    addSubscriptions(tx, userId, channels, request.colors);
  }
  emitSubscribed(tx, channelsByUser);
  emitAccessChange(tx, access);
  emitMutedTopics(tx, hidden);
  emitPeerChange(tx, 'peer_add', ascending(added));
  return { subscribed: channelsByUser, alreadySubscribed: byUser(already) };
}

/** As `subscribeUsers`, in parts. */
export function* subscribeInParts(
  change: PartedChange,
  request: SubscribeRequest,
): Parts<SubscribeResult> {
  const subscribed = new Map<number, ChannelDocument[]>();
  const alreadySubscribed = new Map<number, ChannelDocument[]>();
  let isFirst = true;
  for (const { channels, userIds } of subscriptionParts(change.org, request)) {
    if (!isFirst) yield* change.nextPart();
    isFirst = false;
    const part = { channels, userIds, colors: request.colors };
    const result = subscribeUsers(change.tx, part);
    addTo(subscribed, result.subscribed);
    addTo(alreadySubscribed, result.alreadySubscribed);
  }
  return { subscribed, alreadySubscribed };
}

function addTo(
  all: Map<number, ChannelDocument[]>,
  part: ReadonlyMap<number, readonly ChannelDocument[]>,
): void {
  for (const [userId, channels] of part) {
    const known = all.get(userId);
    if (known) known.push(...channels);
    else all.set(userId, [...channels]);
  }
}

function addSubscriptions(
  tx: Transaction,
  userId: number,
  channels: readonly ChannelDocument[],
  colors: ReadonlyMap<number, string> | undefined,
): void {
  const { subscriptions } = tx.org;
  const used = new Set<string>();
  for (const sub of subscriptions.ofUser(userId).values()) used.add(sub.color);
  for (const channel of channels) {
    const former = subscriptions.of(userId, channel.stream_id);
    const asked = colors?.get(channel.stream_id);
    const color = asked ?? former?.color ?? nextColor(used, subscriptions.ofUser(userId).size);
    used.add(color);
    if (former) {
      const { introduced_again: _ended, ...kept } = former;
      const spans = reopened(tx, channel, former.spans);
      subscriptions.insert({ ...kept, active: true, color, spans });
    } else {
      subscriptions.insert(newSubscription(userId, channel.stream_id, color, tx.seq));
    }
  }
}

function newSubscription(
  user_id: number,
  stream_id: number,
  color: string,
  seq: number,
): SubscriptionDocument {
  return {
    user_id,
    stream_id,
    active: true,
    spans: [[seq, null]],
    color,
    ...SUBSCRIPTION_DEFAULTS,
  };
}

/**
 * Subscription spans of a user who subscribes again. If nothing was sent meanwhile the last span
 * continues, so that a channel never has more spans than messages.
 */
function reopened(
  tx: Transaction,
  channel: ChannelDocument,
  spans: SubscriptionDocument['spans'],
): SubscriptionDocument['spans'] {
  const last = spans[spans.length - 1];
  if (last && last[1] !== null) {
    const { index } = tx.org.messages;
    if (!index.hadTraffic(channel, last[1])) return [...spans.slice(0, -1), [last[0], null]];
  }
  return [...spans, [tx.seq, null]];
}

function ascending(usersByChannel: UsersByChannel): UsersByChannel {
  return new Map([...usersByChannel].map(([channel, ids]) => [channel, ids.sort((a, b) => a - b)]));
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const yes: T[] = [];
  const no: T[] = [];
  for (const item of items) (test(item) ? yes : no).push(item);
  return [yes, no];
}
