import { CHANNEL_PERMISSIONS, type ChannelDocument } from '../../../schemas/channels/channel.js';
import {
  emitArchived,
  emitChannelDeleted,
  emitChannelUpdate,
  emitDefaultChannels,
} from '../views/channel-events.js';
import {
  captureVisibility,
  visibilityChange,
  emitGained,
  emitPolicies,
  markIntroduced,
} from './channel-visibility.js';
import { dropLostStarsIn } from './lost-stars.js';
import { markRead, unreadOf, type ChannelUnread, markReadInParts } from './channel-unread.js';
import { canReadChannel, channelAudience, without } from '../access/permissions.js';
import { mutersIn, emitMutedTopics } from '../topics/topic-policy.js';
import { forgetPlaces } from '../access/group-setting.js';
import type { Transaction } from '../state/transaction.js';
import type { StreamChange } from '../../journal/renderers/stream.js';
import { activeSubscribers } from '../views/channel-view.js';
import { chunksOf, type PartedChange, type Parts } from '../state/parted-change.js';
import { emitPeerChange, emitSubscribed } from './subscription-events.js';

/** New values of a channel's fields, those only that differ; `is_archived` can only be false. */
export type ChannelChange = Partial<Omit<ChannelDocument, 'stream_id' | 'recipient_id'>>;

/** Fields that decide who sees the channel, or reads it. */
const VISIBILITY_FIELDS: readonly (keyof ChannelDocument)[] = [
  'invite_only',
  'is_web_public',
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_subscribe_group',
];

/** Fields whose changes share one event, with the property `invite_only`. */
const PRIVACY_FIELDS: readonly (keyof ChannelDocument)[] = [
  'invite_only',
  'history_public_to_subscribers',
  'is_web_public',
];

/** Fields with an event each, in the order of their events. */
const PLAIN_FIELDS = [
  'name',
  'description',
  'message_retention_days',
  'folder_id',
  'topics_policy',
  ...CHANNEL_PERMISSIONS,
] as const satisfies readonly (keyof ChannelDocument)[];

/**
 * Changes a channel and emits its events in the order of events.md#order: users who gained access to
 * it get `stream` create with its subscribers, users who already saw it one event per property, users who
 * lost access to it `stream` delete. The caller has checked rights and values.
 */
export function changeChannel(
  tx: Transaction,
  former: ChannelDocument,
  { is_archived, ...change }: ChannelChange,
): ChannelDocument {
  const { org } = tx;
  const before = is_archived === false ? unarchiveChannel(tx, former) : former;
  if (Object.keys(change).length === 0) return before;
  const changes = (field: keyof ChannelDocument): boolean => field in change;
  // Costs one check per active user, so only for fields that decide who sees the channel.
  const watched = VISIBILITY_FIELDS.some(changes) ? [...org.users.active] : [];
  const visibility = captureVisibility(org, watched, [before]);
  const unread = watched.length > 0 ? unreadOfLeavers(tx, before) : [];
  const channel = org.channels.update(before.stream_id, change);
  forgetPlaces(tx, `channel ${channel.stream_id}`, CHANNEL_PERMISSIONS.filter(changes));
  const { gained, lost } = visibilityChange(org, visibility);
  emitGained(tx, gained);
  emitProperties(tx, before, channel, [...(gained.get(channel) ?? [])]);
  emitPolicies(tx, visibility);
  emitChannelDeleted(tx, lost);
  if ([...VISIBILITY_FIELDS, ...PRIVACY_FIELDS].some(changes)) dropLostStarsIn(tx, channel);
  if (changes('name') && channel.is_archived) {
    // Clients that do not list archived channels drop the event of the new name.
    emitMutedTopics(tx, new Map([[channel, mutersIn(org, channel)]]));
  }
  markRead(
    tx,
    unread.filter((one) => !canReadChannel(org, org.users.get(one.userId)!, channel)),
  );
  if (changes('is_default')) emitDefaultChannels(tx);
  return channel;
}

/** Unread messages of former subscribers, to be marked as read for those who lose access. */
function unreadOfLeavers(tx: Transaction, channel: ChannelDocument): ChannelUnread[] {
  const { subscriptions, users } = tx.org;
  const left = [...subscriptions.formerSubscribers(channel.stream_id)];
  return unreadOf(
    tx,
    channel,
    left.filter((id) => users.active.has(id)),
  );
}

/** Emits one event per changed property, to users who saw the channel before. */
function emitProperties(
  tx: Transaction,
  before: ChannelDocument,
  channel: ChannelDocument,
  introduced: readonly number[],
): void {
  const audience = without(channelAudience(tx.org, channel), introduced);
  const emitUpdate = (
    property: StreamChange['property'],
    value: StreamChange['value'],
    more: Partial<StreamChange> = {},
  ): void =>
    // A client finds a renamed channel by the name it knows (events-channels.md#channels).
    emitChannelUpdate(
      tx,
      channel,
      { ...(property === 'name' ? { name: before.name } : {}), property, value, ...more },
      audience,
    );
  if (PRIVACY_FIELDS.some((field) => before[field] !== channel[field])) {
    const { invite_only, history_public_to_subscribers, is_web_public } = channel;
    emitUpdate('invite_only', invite_only, { history_public_to_subscribers, is_web_public });
  }
  for (const field of PLAIN_FIELDS) {
    if (before[field] === channel[field]) continue;
    const { rendered_description } = channel;
    emitUpdate(field, channel[field], field === 'description' ? { rendered_description } : {});
  }
}

/** Readers whose unread messages are searched in one part: some milliseconds of work. */
const READERS = 500;

/**
 * Archives a channel (events.md#order): it stops being a default channel, clients see it deleted or
 * marked as archived, and its unread messages are marked as read. Subscriptions stay.
 */
export function archiveChannel(tx: Transaction, channel: ChannelDocument): void {
  markRead(tx, closeChannel(tx, channel));
}

/** As `archiveChannel`, with the readers in parts; nobody can post there between two of them. */
export function* archiveInParts(change: PartedChange, channel: ChannelDocument): Parts<void> {
  const readers = archive(change.tx, channel);
  for (const some of chunksOf(readers, READERS)) {
    if (change.isOver) yield* change.nextPart();
    // Another request may have unarchived it between two parts.
    const archived = change.org.channels.get(channel.stream_id);
    if (!archived?.is_archived) return;
    const active = some.filter((id) => change.org.users.active.has(id));
    yield* markReadInParts(change, unreadOf(change.tx, archived, active));
  }
}

/** Archives a channel. @returns the unread messages there, which the caller marks as read */
export function closeChannel(tx: Transaction, channel: ChannelDocument): ChannelUnread[] {
  const readers = archive(tx, channel);
  return unreadOf(tx, tx.org.channels.get(channel.stream_id)!, readers);
}

/** Archives a channel. @returns active present and former subscribers, who may have unread messages there */
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
 * Unarchives a channel. Clients that had deleted it get it again, with the reader's own subscription,
 * if any, and the other subscribers.
 */
export function unarchiveChannel(tx: Transaction, channel: ChannelDocument): ChannelDocument {
  const { org } = tx;
  const { stream_id } = channel;
  const live = org.channels.update(stream_id, { is_archived: false });
  emitArchived(tx, live);
  const subscribers = activeSubscribers(org, stream_id).sort((a, b) => a - b);
  const channels = [live];
  emitSubscribed(tx, new Map(subscribers.map((id) => [id, channels])), { revived: true });
  emitPeerChange(tx, 'peer_add', new Map([[live, subscribers]]), { revived: true });
  for (const userId of org.subscriptions.formerSubscribers(stream_id)) {
    markIntroduced(tx, userId, stream_id, 'legacy');
  }
  return live;
}
