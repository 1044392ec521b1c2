import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { SubscriptionDocument } from '../../../schemas/channels/subscriptions.js';
import { placeIn } from '../../journal/entry.js';
import type { Organization } from '../state/organization.js';
import {
  ALL_IDS,
  intersect,
  intervalAtOrAfter,
  NO_IDS,
  subtract,
  unite,
  type Interval,
  type Intervals,
  intersectIds,
} from '../state/message-index/intervals.js';
import type { Subscribers } from '../state/collections/channels.js';
import type { MovedGroup, MovedMessages } from '../state/message-index/moved-messages.js';
import { PostingList } from '../state/message-index/posting-lists.js';

/*
 * Which users received which messages. Nothing is stored per recipient: a channel message was received by
 * the users subscribed at its journal position, a direct message by the participants. A message that was
 * moved to another channel counts as received by users who received it where it was sent and were
 * subscribed to each further channel when it arrived there: their unread status moves along, others have
 * none.
 */

/**
 * The ids that a subscription covered. Positions and ids ascend together, so that "received" is a few
 * intervals of ids however many messages the channel has. Ignores moved messages.
 */
export function coveredIds(org: Organization, sub: SubscriptionDocument): Intervals {
  const { columns } = org.messages.index;
  const found: Interval[] = [];
  for (const [from, to] of sub.spans) {
    const start = columns.firstIdAtSeq(from);
    const end = to === null ? Number.MAX_SAFE_INTEGER : columns.firstIdAtSeq(to) - 1;
    if (start <= end) found.push([start, end]);
  }
  return found;
}

/** The messages of a channel that the user received by a subscription. */
export function receivedIds(
  org: Organization,
  channel: ChannelDocument,
  sub: SubscriptionDocument,
): Intervals {
  return withMoved(org, channel, coveredIds(org, sub), (group) => {
    if (!wasAtEach(org, sub.user_id, stationsOf(org, group.hops))) return NO_IDS;
    const first = org.subscriptions.of(sub.user_id, group.from);
    return first ? coveredIds(org, first) : NO_IDS;
  });
}

/**
 * The messages of a channel without shared history that a subscriber may read: the received ones, and those
 * moved there during the subscription.
 */
export function readableIds(
  org: Organization,
  channel: ChannelDocument,
  sub: SubscriptionDocument,
): Intervals {
  return withMoved(org, channel, coveredIds(org, sub), (group) => {
    const [streamId, seq] = group.hops[group.hops.length - 1]!;
    const there = org.subscriptions.wasSubscribed(sub.user_id, streamId, seq);
    return there ? ALL_IDS : NO_IDS;
  });
}

/** The messages of a channel that were sent to a subscriber, without those moved in. */
export function sentThrough(
  org: Organization,
  channel: ChannelDocument,
  sub: SubscriptionDocument,
): Intervals {
  return withMoved(org, channel, coveredIds(org, sub), () => NO_IDS);
}

/** Returns whether a user received a message, or recalls it, whether or not they may still read it. */
export function receivedBy(org: Organization, messageId: number): (userId: number) => boolean {
  const { index } = org.messages;
  const row = index.columns.find(messageId);
  if (row < 0) return () => false;
  const { recipientId } = index.topicAt(row);
  const channel = org.channels.byRecipient(recipientId);
  if (!channel) return (userId) => org.conversations.ofUser(userId).has(recipientId);
  const group = index.moved.of(messageId);
  const first = group?.from ?? channel.stream_id;
  const stations = stationsOf(org, [[first, index.columns.seqAt(row)], ...(group?.hops ?? [])]);
  return (userId) => {
    if (wasAtEach(org, userId, stations)) return true;
    return placeIn(org.readState.recalled(userId, recipientId), messageId) >= 0;
  };
}

/** A channel that messages came to, and the journal position at which they did. */
interface Station {
  readonly streamId: number;
  readonly seq: number;
  readonly subscribers: Subscribers;
}

function stationsOf(org: Organization, hops: MovedGroup['hops']): Station[] {
  return hops.map(([streamId, seq]) => {
    return { streamId, seq, subscribers: org.subscriptions.in(streamId) };
  });
}

/** Whether a user was subscribed to each channel when the messages arrived there. */
function wasAtEach(org: Organization, userId: number, stations: readonly Station[]): boolean {
  // Without a callback: asked for ten thousand users in one transaction.
  for (let i = 0; i < stations.length; i++) {
    const { streamId, seq, subscribers } = stations[i]!;
    // Most subscribe since.
    if (subscribers.hasSince(userId, seq)) continue;
    if (!org.subscriptions.wasSubscribed(userId, streamId, seq)) return false;
  }
  return true;
}

/**
 * Corrects intervals of a channel's messages for the groups that were moved there. Costs the groups' share
 * of the channel's messages, and nothing where the move made no difference.
 * @param ofGroup intervals that contain the received messages of a group
 */
function withMoved(
  org: Organization,
  channel: ChannelDocument,
  sent: Intervals,
  ofGroup: (group: MovedGroup) => Intervals,
): Intervals {
  const { index } = org.messages;
  const groups = index.moved.into(channel.recipient_id);
  if (groups.length === 0) return sent;
  const list = index.conversation(channel.recipient_id);
  const gone: Intervals[] = [];
  const came: Intervals[] = [];
  for (const group of groups) {
    const received = ofGroup(group);
    const before = partOf(group.list, sent);
    const after = partOf(group.list, received);
    if (before === after && before !== 'some') continue;
    const runs = group.runsIn(list);
    if (before !== 'none') gone.push(runs);
    if (after === 'all') came.push(runs);
    else if (after === 'some') came.push(intersect(runs, received));
  }
  let intervals = sent;
  if (gone.length > 0) intervals = subtract(intervals, allOf(gone));
  if (came.length > 0) intervals = unite(intervals, allOf(came));
  return intervals.length === 0 ? NO_IDS : intervals;
}

/** How much of a non-empty list lies in the intervals, judged by its ends. */
function partOf({ first, last }: PostingList, intervals: Intervals): 'all' | 'some' | 'none' {
  const interval = intervals[intervalAtOrAfter(intervals, first!)];
  if (!interval || interval[0] > last!) return 'none';
  return interval[0] <= first! && interval[1] >= last! ? 'all' : 'some';
}

/** Disjoint intervals of several lists as one list. */
function allOf(parts: readonly Intervals[]): Intervals {
  return parts.length === 1 ? parts[0]! : parts.flat().sort(([a], [b]) => a - b);
}

/** A user's messages of a part; equal keys mean the same list. */
interface Share {
  readonly key: string;
  readonly ids: readonly number[];
}

/** Messages that arrived in the channel on the same route. */
interface Part {
  /** The channel they were sent to. */
  readonly origin: number;
  /** Undefined for messages that were sent to this channel. */
  readonly group: MovedGroup | undefined;
  /** Subscribers of the channel they were sent to. */
  readonly subscribers: Subscribers;
  /** The channels they were moved to. */
  readonly stations: readonly Station[];
  /** Created on first use. */
  list: PostingList | null;
  /** All of them. */
  readonly whole: Share;
  /** Journal positions of the first and the last message: positions and ids ascend together. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Results for other users, by the part of the subscription that covers the messages. */
  readonly known: Map<string, Share>;
}

/**
 * BulkDeliveryHistory returns which of certain messages of a channel each user received, or may read
 * without shared history. It serves many users, most of whom have the same answer.
 */
export class BulkDeliveryHistory {
  private readonly parts: readonly Part[];
  private readonly joined = new Map<string, readonly number[]>();

  /** @param ids ascending, of this channel */
  constructor(
    private readonly org: Organization,
    channel: ChannelDocument,
    private readonly ids: readonly number[],
    private readonly what: 'received' | 'readable' = 'received',
  ) {
    const { moved, columns } = org.messages.index;
    const seqOf = (id: number): number => columns.seqAt(columns.find(id));
    // Nothing was moved to most channels.
    const isOne = ids.length > 0 && moved.into(channel.recipient_id).length === 0;
    const byGroup = isOne ? new Map([[undefined, ids]]) : groupsOf(moved, ids);
    this.parts = Array.from(byGroup, ([group, part]): Part => {
      const origin = group?.from ?? channel.stream_id;
      return {
        origin,
        group,
        subscribers: org.subscriptions.in(origin),
        stations: stationsOf(org, group?.hops ?? []),
        list: null,
        whole: { key: ALL, ids: part },
        firstSeq: seqOf(part[0]!),
        lastSeq: seqOf(part[part.length - 1]!),
        known: new Map(),
      };
    });
  }

  /** The messages of a user, ascending; users with the same messages share one array. */
  of(userId: number): readonly number[] {
    const { parts } = this;
    if (parts.length === 1) return this.ofPart(userId, parts[0]!).ids;
    const found: Share[] = [];
    let whole = 0;
    for (const part of parts) {
      const share = this.ofPart(userId, part);
      if (share === part.whole) whole += 1;
      found.push(share);
    }
    // Most users have all of them.
    if (whole === parts.length) return this.ids;
    const key = found.map((one) => one.key).join('|');
    let ids = this.joined.get(key);
    if (!ids) {
      ids = found.flatMap((one) => one.ids).sort((a, b) => a - b);
      this.joined.set(key, ids);
    }
    return ids;
  }

  private ofPart(userId: number, part: Part): Share {
    const { origin, group, known, firstSeq, lastSeq } = part;
    const { subscriptions } = this.org;
    if (group && this.what === 'readable') {
      const [streamId, seq] = group.hops[group.hops.length - 1]!;
      return subscriptions.wasSubscribed(userId, streamId, seq) ? part.whole : NOTHING;
    }
    if (group && !wasAtEach(this.org, userId, part.stations)) return NOTHING;
    // Most users were subscribed all the time.
    if (part.subscribers.hasSince(userId, firstSeq)) return part.whole;
    const sub = subscriptions.of(userId, origin);
    if (!sub) return NOTHING;
    const last = sub.spans[sub.spans.length - 1];
    if (last && last[0] <= firstSeq && (last[1] === null || last[1] > lastSeq)) {
      return part.whole;
    }
    const list = (part.list ??= PostingList.from(part.whole.ids));
    const covered = clipped(coveredIds(this.org, sub), list);
    const key = covered.join(';');
    let found = known.get(key);
    if (!found) {
      const ids = intersectIds(list, covered);
      found = ids.length === list.length ? part.whole : { key, ids };
      if (ids.length === 0) found = NOTHING;
      known.set(key, found);
    }
    return found;
  }
}

/** Messages by their routes, ascending. */
function groupsOf(
  moved: MovedMessages,
  ids: readonly number[],
): Map<MovedGroup | undefined, readonly number[]> {
  const groups = new Map<MovedGroup | undefined, number[]>();
  let last: MovedGroup | undefined;
  let part: number[] | undefined;
  for (const id of ids) {
    const group = moved.of(id);
    // Nearly all came like the one before.
    if (!part || group !== last) {
      part = groups.get((last = group));
      if (!part) groups.set(group, (part = []));
    }
    part.push(id);
  }
  return groups;
}

const NOTHING: Share = { key: '', ids: [] };
const ALL = 'all';

/** Intervals cut to the ends of a list, so that equal parts compare equal. */
function clipped(intervals: Intervals, list: PostingList): Intervals {
  const first = list.first!;
  const last = list.last!;
  const kept: Interval[] = [];
  for (const [from, to] of intervals) {
    if (to >= first && from <= last) kept.push([Math.max(from, first), Math.min(to, last)]);
  }
  return kept;
}
