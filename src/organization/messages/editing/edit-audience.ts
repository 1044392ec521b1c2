import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Audience } from '../../../journal/entry.js';
import type { FlagKinds } from '../../../journal/renderers/update-message.js';
import { flagHolders, flagBits, flagNames } from '../flags.js';
import { BulkDeliveryHistory, receivedBy } from '../delivery-history.js';
import type { Organization } from '../../state/organization.js';
import { canReadChannel } from '../../access/permissions.js';

/** Users who may read the same of some messages. */
export interface Viewers {
  /** Ascending. */
  readonly ids: readonly number[];
  readonly users: readonly number[];
  /** Those of them who do not subscribe, where all active subscribers are among the users; else null. */
  readonly outside: readonly number[] | null;
}

/**
 * The viewers of a channel's messages, who get their changes (events-messages.md#messages,
 * `update_message`): subscribers who may read one of them, and other users who have a copy of one and may
 * still read it.
 * @param ids ascending, of this channel
 */
export function viewersOf(
  org: Organization,
  channel: ChannelDocument,
  ids: readonly number[],
): Viewers[] {
  const { stream_id } = channel;
  const active = (userId: number) => org.users.active.has(userId);
  const subscribers = activeSubscribers(org, stream_id);
  const former = [...org.subscriptions.formerSubscribers(stream_id)].filter((userId) => {
    const user = active(userId) ? org.users.get(userId) : undefined;
    return user && canReadChannel(org, user, channel);
  });
  if (channel.history_public_to_subscribers) {
    const flagged = flagHolders(org, channel, ids);
    const holders = former.length > 0 ? receiversAmong(org, channel, ids, former) : former;
    for (const userId of holders) flagged.delete(userId);
    const outside = [...holders, ...flagged];
    return [{ ids, users: subscribers.concat(outside), outside }];
  }
  const readable = new BulkDeliveryHistory(org, channel, ids, 'readable');
  const groups = new Map<readonly number[], number[]>();
  for (const userId of [...subscribers, ...former]) {
    const readableIds = readable.of(userId);
    if (readableIds.length === 0) continue;
    const users = groups.get(readableIds);
    if (users) users.push(userId);
    else groups.set(readableIds, [userId]);
  }
  return Array.from(groups, ([readableIds, users]) => {
    return { ids: readableIds, users, outside: null };
  });
}

/** Subscribers of a channel whose accounts are active, in no particular order. */
export function activeSubscribers(
  { users, subscriptions }: Organization,
  streamId: number,
): readonly number[] {
  const all = subscriptions.subscribers(streamId);
  const own = subscriptions.in(streamId);
  // Most often nobody who is not active subscribes.
  const areFew = users.inactive.size < all.length;
  if (areFew && ![...users.inactive].some((userId) => own.has(userId))) return all;
  return all.filter((userId) => users.active.has(userId));
}

function receiversAmong(
  org: Organization,
  channel: ChannelDocument,
  ids: readonly number[],
  users: readonly number[],
): number[] {
  const received = new BulkDeliveryHistory(org, channel, ids);
  return users.filter((userId) => received.of(userId).length > 0);
}

interface FlagKind {
  readonly flags: readonly string[];
  readonly users: number[];
}

/** Whether the user may read messages that arrive in a channel now. */
export function mayReadArrivals(
  org: Organization,
  channel: ChannelDocument,
  user: UserDocument,
): boolean {
  if (org.subscriptions.isSubscribed(user.user_id, channel.stream_id)) return true;
  return channel.history_public_to_subscribers && canReadChannel(org, user, channel);
}

/** The audience of certain users, expressed relative to a channel's subscribers. */
export function audienceIn(
  org: Organization,
  channel: ChannelDocument,
  users: ReadonlySet<number>,
): Audience {
  const { stream_id } = channel;
  const subscribers = org.subscriptions.subscribers(stream_id);
  const rest = subscribers.filter((id) => !users.has(id));
  const except = rest.filter((id) => org.users.active.has(id));
  // Nearly always all users are subscribers.
  const areAll = subscribers.length - rest.length === users.size;
  const isOutside = (id: number): boolean => !org.subscriptions.isSubscribed(id, stream_id);
  const also = areAll ? [] : [...users].filter(isOutside);
  return {
    to: 'subscribers',
    channel: stream_id,
    ...(also.length > 0 ? { also: ascending(also) } : {}),
    ...(except.length > 0 ? { except: ascending(except) } : {}),
  };
}

/** The audience of all active subscribers of a channel, and of some others. */
export function allIn(channel: ChannelDocument, others: readonly number[]): Audience {
  return {
    to: 'subscribers',
    channel: channel.stream_id,
    ...(others.length > 0 ? { also: ascending([...others]) } : {}),
  };
}

/** The receivers' flags of a message as it is now; the most frequent combination is stored once. */
export function flagKinds(
  org: Organization,
  message: MessageDocument,
  users: readonly number[],
): FlagKinds {
  const received = receivedBy(org, message.id);
  const flagged = new Set(org.messageFlags.usersOf(message.id));
  // There are few combinations, and thousands of users.
  const kinds: FlagKind[] = [];
  const byBits: (FlagKind | undefined)[] = [];
  for (const userId of users) {
    const isFlagged = flagged.size > 0 && flagged.has(userId);
    const stored = isFlagged ? org.messageFlags.of(userId, message.id) : undefined;
    const bits = flagBits(org, userId, message, received(userId), stored);
    let kind = byBits[bits];
    if (!kind) kinds.push((byBits[bits] = kind = { flags: flagNames(bits), users: [] }));
    kind.users.push(userId);
  }
  const [first, ...others] = kinds.sort((a, b) => b.users.length - a.users.length);
  return {
    flags: first?.flags ?? [],
    ...(others.length === 0
      ? {}
      : { others: others.map((kind) => ({ ...kind, users: ascending(kind.users) })) }),
  };
}

function ascending(ids: number[]): number[] {
  return ids.sort((a, b) => a - b);
}
