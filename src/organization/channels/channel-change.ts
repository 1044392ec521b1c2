import {
  CHANNEL_PERMISSIONS,
  type ChannelDocument,
} from '../../../schemas/channels/channel-document.js';
import { unarchiveChannel } from './archiving.js';
import { archivedMark, emitDefaultChannels, emitChannelDeleted } from './channel-events.js';
import {
  captureVisibility,
  visibilityChange,
  emitGained,
  emitPolicies,
} from './channel-visibility.js';
import { markRead, unreadOf, type ChannelUnread } from './channel-unread.js';
import { canReadChannel, channelAudience, without } from '../access/permissions.js';
import { mutersIn, emitMutedTopics } from '../topics/topic-policy.js';
import type { Transaction } from '../state/transaction.js';

/** New values of a channel's fields, those only that differ; `is_archived` can only be false. */
export type ChannelChange = Partial<Omit<ChannelDocument, 'stream_id' | 'recipient_id'>>;

/** Fields that say who may know of the channel, or read it. */
const SIGHT_FIELDS: readonly (keyof ChannelDocument)[] = [
  'invite_only',
  'is_web_public',
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_subscribe_group',
];

/** Fields that are announced together, as one property `invite_only`. */
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
 * Changes a channel and tells everybody concerned, in the order of events.md#order: those who see
 * it for the first time are introduced to it as it is now, with its subscribers; those who go on seeing
 * it hear of each property; from those who may not see it any more it is taken away. Checks nothing.
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
  // Who sees what is worked out for everybody only where it may be something else afterwards.
  const watched = SIGHT_FIELDS.some(changes) ? [...org.users.active] : [];
  const sight = captureVisibility(org, watched, [before]);
  const unread = watched.length > 0 ? unreadOfLeavers(tx, before) : [];
  const channel = org.channels.update(before.stream_id, change);
  const { gained, lost } = visibilityChange(org, sight);
  emitGained(tx, gained);
  emitProperties(tx, before, channel, [...(gained.get(channel) ?? [])]);
  emitPolicies(tx, sight);
  emitChannelDeleted(tx, lost);
  if (changes('name') && channel.is_archived) {
    // Clients that do not list the channel do not hear of its name.
    emitMutedTopics(tx, new Map([[channel, mutersIn(org, channel)]]));
  }
  markRead(
    tx,
    unread.filter((one) => !canReadChannel(org, org.users.get(one.userId)!, channel)),
  );
  if (changes('is_default')) emitDefaultChannels(tx);
  return channel;
}

/** What people who left the channel have not read there: whoever loses access has no use for it. */
function unreadOfLeavers(tx: Transaction, channel: ChannelDocument): ChannelUnread[] {
  const { subscriptions, users } = tx.org;
  const left = [...subscriptions.formerSubscribers(channel.stream_id)];
  return unreadOf(
    tx,
    channel,
    left.filter((id) => users.active.has(id)),
  );
}

/** One event for each property, to those who saw the channel before. */
function emitProperties(
  tx: Transaction,
  before: ChannelDocument,
  channel: ChannelDocument,
  introduced: readonly number[],
): void {
  const audience = without(channelAudience(tx.org, channel), introduced);
  const tell = (property: string, value: unknown, more: object = {}): void =>
    tx.emit('stream', audience, {
      op: 'update',
      stream_id: channel.stream_id,
      // A client finds a renamed channel by the name it knows (events-channels.md#channels).
      name: property === 'name' ? before.name : channel.name,
      property,
      value,
      ...more,
      ...archivedMark([channel]),
    });
  if (PRIVACY_FIELDS.some((field) => before[field] !== channel[field])) {
    const { invite_only, history_public_to_subscribers, is_web_public } = channel;
    tell('invite_only', invite_only, { history_public_to_subscribers, is_web_public });
  }
  for (const field of PLAIN_FIELDS) {
    if (before[field] === channel[field]) continue;
    const { rendered_description } = channel;
    tell(field, channel[field], field === 'description' ? { rendered_description } : {});
  }
}
