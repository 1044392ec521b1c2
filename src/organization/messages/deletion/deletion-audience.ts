import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { SubscriptionDocument } from '../../../../schemas/channels/subscriptions.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Audience } from '../../../journal/entry.js';
import type { Organization } from '../../state/organization.js';
import { canReadChannel } from '../../access/permissions.js';
import { covers } from '../../state/collections/channels.js';
import { flagHolders } from '../flags.js';

/** An audience that gets a deletion event, and the messages in it. */
export interface DeletionNotice {
  readonly audience: Audience;
  /** Ascending. */
  readonly ids: readonly number[];
}

/** Messages of one channel that are about to be deleted. */
interface DeletedRange {
  /** Ascending. */
  readonly ids: readonly number[];
  /** Journal position at which each message arrived in the channel, by being sent or moved. */
  readonly seqs: readonly number[];
  /** Smallest and largest of `seqs`. */
  readonly first: number;
  readonly last: number;
}

/**
 * The audiences of the deletion of a channel's messages (events-messages.md#messages). With shared history:
 * the subscribers, users with a personal copy of one of them, and the acting user if they may read the
 * channel. Otherwise: users get only the messages that arrived while they were subscribed. Call it before
 * the messages are deleted.
 * @param ids ascending, of this channel
 */
export function deletionNotices(
  org: Organization,
  channel: ChannelDocument,
  ids: readonly number[],
  actor: UserDocument | null,
): DeletionNotice[] {
  const range = deletedRange(org, ids);
  return channel.history_public_to_subscribers
    ? sharedHistory(org, channel, range, actor)
    : ownHistory(org, channel, range);
}

function deletedRange(org: Organization, ids: readonly number[]): DeletedRange {
  const { columns, moved } = org.messages.index;
  const seqs = ids.map((id) => {
    const hops = moved.of(id)?.hops;
    return hops ? hops[hops.length - 1]![1] : columns.seqAt(columns.find(id));
  });
  return { ids, seqs, first: Math.min(...seqs), last: Math.max(...seqs) };
}

function sharedHistory(
  org: Organization,
  channel: ChannelDocument,
  range: DeletedRange,
  actor: UserDocument | null,
): DeletionNotice[] {
  const { stream_id } = channel;
  const { ids } = range;
  const others = flagHolders(org, channel, ids);
  for (const userId of org.subscriptions.formerSubscribers(stream_id)) {
    const sub = org.subscriptions.of(userId, stream_id)!;
    if (receivedOf(sub, range).length > 0 && mayRead(org, channel, userId)) others.add(userId);
  }
  if (actor && !org.subscriptions.isSubscribed(actor.user_id, stream_id)) {
    if (canReadChannel(org, actor, channel)) others.add(actor.user_id);
  }
  const also = others.size > 0 ? { also: ascending(others) } : {};
  return [{ audience: { to: 'subscribers', channel: stream_id, ...also }, ids }];
}

/** Groups users who received the same messages; nearly always that is all or none of them. */
function ownHistory(
  org: Organization,
  channel: ChannelDocument,
  range: DeletedRange,
): DeletionNotice[] {
  const { stream_id } = channel;
  const { ids } = range;
  const parts = new Map<string, { users: number[]; ids: readonly number[] }>();
  const partial: number[] = [];
  const add = (userId: number, received: readonly number[]): void => {
    const key = received.join();
    const part = parts.get(key);
    if (part) part.users.push(userId);
    else parts.set(key, { users: [userId], ids: received });
  };
  for (const userId of org.subscriptions.subscribers(stream_id)) {
    const received = receivedOf(org.subscriptions.of(userId, stream_id)!, range);
    if (received === ids) continue;
    partial.push(userId);
    if (received.length > 0) add(userId, received);
  }
  for (const userId of org.subscriptions.formerSubscribers(stream_id)) {
    const received = receivedOf(org.subscriptions.of(userId, stream_id)!, range);
    if (received.length > 0 && mayRead(org, channel, userId)) add(userId, received);
  }
  const rest = partial.length > 0 ? { except: ascending(partial) } : {};
  const notices: DeletionNotice[] = [
    { audience: { to: 'subscribers', channel: stream_id, ...rest }, ids },
  ];
  for (const { users, ids } of parts.values()) {
    notices.push({ audience: { to: 'users', users: ascending(users) }, ids });
  }
  return notices;
}

/** The messages that a user received; the same array where that is all of them. */
function receivedOf(
  sub: SubscriptionDocument,
  { ids, seqs, first, last }: DeletedRange,
): readonly number[] {
  let touched = false;
  for (const [from, to] of sub.spans) {
    if (from <= first && (to === null || to > last)) return ids;
    if (from <= last && (to === null || to > first)) touched = true;
  }
  return touched ? ids.filter((_, i) => covers(sub, seqs[i]!)) : [];
}

function mayRead(org: Organization, channel: ChannelDocument, userId: number): boolean {
  const user = org.users.get(userId);
  return user !== undefined && user.is_active && canReadChannel(org, user, channel);
}

function ascending(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}
