import { CHANNEL_PERMISSIONS, type ChannelDocument } from '../../../schemas/channels/channel.js';
import type { GroupSettingValue } from '../../../schemas/groups/user-group.js';
import {
  batchesByChannel,
  emitChannelDeleted,
  emitChannelsTo,
  emitChannelUpdate,
} from '../views/channel-events.js';
import { postPolicy } from '../views/channel-view.js';
import type { Organization } from '../state/organization.js';
import { emitMutedTopics } from '../topics/topic-policy.js';
import { dropLostStars } from './lost-stars.js';
import type { Transaction } from '../state/transaction.js';
import { ChannelViewers } from './channel-viewers.js';
import { emitSubscribersTo } from './subscription-events.js';

/** The value of `stream_post_policy` that `is_announcement_only` repeats. */
const ADMINISTRATORS_ONLY = 2;

/** Which of some users see which of some channels, at one moment. */
export interface ChannelVisibility {
  readonly userIds: readonly number[];
  readonly channels: readonly ChannelDocument[];
  /** Users who see the channel, by channel id. */
  readonly seeing: ReadonlyMap<number, ReadonlySet<number>>;
  /** `stream_post_policy` by channel id. */
  readonly policies: ReadonlyMap<number, number>;
}

/**
 * Captures who sees which channels, before a change of a role, a group or full membership. Costs one
 * check per user and distinct permissions of the channels ({@link ChannelViewers}).
 */
export function captureVisibility(
  org: Organization,
  userIds: readonly number[],
  channels: readonly ChannelDocument[],
): ChannelVisibility {
  const viewers = new ChannelViewers(org, userIds);
  const seeing = new Map<number, ReadonlySet<number>>();
  const policies = new Map<number, number>();
  for (const channel of channels) {
    seeing.set(channel.stream_id, viewers.of(channel));
    policies.set(channel.stream_id, postPolicy(org, channel.can_send_message_group));
  }
  return { userIds, channels, seeing, policies };
}

/**
 * Emits what the change did: `stream` create and `subscription` peer_add to users who gained access to a
 * channel, `stream` delete to users who lost it (events-people.md#people, `user_group`), the stars lost with the messages
 * that one cannot read any more, and the deprecated posting policies that follow from memberships.
 */
export function emitVisibilityDiff(tx: Transaction, former: ChannelVisibility): void {
  const { gained, lost } = visibilityChange(tx.org, former);
  emitGained(tx, gained);
  emitChannelDeleted(tx, lost);
  dropLostStars(tx, former.userIds, former.channels);
  emitPolicies(tx, former);
}

/** Active users who gained or lost access to a channel. */
interface VisibilityChange {
  readonly gained: ReadonlyMap<ChannelDocument, readonly number[]>;
  readonly lost: ReadonlyMap<ChannelDocument, readonly number[]>;
}

/** Users who gained or lost access to a channel since the capture. */
export function visibilityChange(org: Organization, former: ChannelVisibility): VisibilityChange {
  const viewers = new ChannelViewers(org, former.userIds);
  const gained = new Map<ChannelDocument, readonly number[]>();
  const lost = new Map<ChannelDocument, readonly number[]>();
  const differences = new Differences(org);
  for (const { stream_id } of former.channels) {
    const channel = org.channels.get(stream_id);
    if (!channel) continue;
    const before = former.seeing.get(stream_id)!;
    const difference = differences.of(before, viewers.of(channel));
    gained.set(channel, difference.gained);
    lost.set(channel, difference.lost);
  }
  return { gained, lost };
}

/** Differences between sets of users, each made once: channels with the same permissions share their sets. */
class Differences {
  private readonly made = new Map<ReadonlySet<number>, Map<ReadonlySet<number>, Difference>>();

  constructor(private readonly org: Organization) {}

  of(before: ReadonlySet<number>, after: ReadonlySet<number>): Difference {
    let ofBefore = this.made.get(before);
    if (!ofBefore) {
      ofBefore = new Map<ReadonlySet<number>, Difference>();
      this.made.set(before, ofBefore);
    }
    let difference = ofBefore.get(after);
    if (!difference) {
      const { active } = this.org.users;
      difference = {
        gained: [...after].filter((id) => !before.has(id)),
        // Deactivated users have no queues.
        lost: [...before].filter((id) => !after.has(id) && active.has(id)),
      };
      ofBefore.set(after, difference);
    }
    return difference;
  }
}

interface Difference {
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** Channels whose permissions name one of the groups, directly or through a group that contains it. */
export function channelsNaming(org: Organization, groupIds: readonly number[]): ChannelDocument[] {
  const reached = new Set(groupIds.flatMap((id) => [...org.groups.containing(id)]));
  return [...org.channels.values()].filter((channel) =>
    CHANNEL_PERMISSIONS.some((name) => names(channel[name], reached)),
  );
}

/**
 * As {@link channelsNaming}, for many groups one after the other: looks at all groups and channels once. Holds as long
 * as subgroups and permissions stay.
 */
export function channelsNamingEach(org: Organization): (groupId: number) => ChannelDocument[] {
  const channels = [...org.channels.values()];
  const naming = new Map<number, Set<number>>();
  channels.forEach((channel, place) => {
    for (const name of CHANNEL_PERMISSIONS) {
      const value = channel[name];
      for (const id of typeof value === 'number' ? [value] : value.direct_subgroups) {
        const places = naming.get(id);
        if (places) places.add(place);
        else naming.set(id, new Set([place]));
      }
    }
  });
  const containing = org.groups.containingEach();
  return (groupId) => {
    const places = new Set<number>();
    for (const id of containing(groupId)) {
      for (const place of naming.get(id) ?? []) places.add(place);
    }
    return [...places].sort((a, b) => a - b).map((place) => channels[place]!);
  };
}

function names(value: GroupSettingValue, groupIds: ReadonlySet<number>): boolean {
  if (typeof value === 'number') return groupIds.has(value);
  return value.direct_subgroups.some((id) => groupIds.has(id));
}

/** Emits `stream` create and the subscribers of each channel to users who gained access to it. */
export function emitGained(
  tx: Transaction,
  usersByChannel: ReadonlyMap<ChannelDocument, readonly number[]>,
): void {
  for (const { channels, users } of batchesByChannel(usersByChannel)) {
    // Shown without subscribers: the `peer_add` events that follow count them up.
    emitChannelsTo(tx, { channels, users }, 0);
    const ids = new Set(channels.map(({ stream_id }) => stream_id));
    for (const userId of users) markAllIntroduced(tx, userId, ids);
    emitSubscribersTo(tx, channels, users);
  }
  emitMutedTopics(tx, usersByChannel);
}

/** Records that clients got `stream` create for a channel the user had left (`introduced_again`). */
export function markIntroduced(
  tx: Transaction,
  userId: number,
  streamId: number,
  introduced_again: 'all' | 'legacy',
): void {
  const sub = tx.org.subscriptions.of(userId, streamId);
  if (!sub || sub.active || sub.introduced_again === 'all') return;
  if (sub.introduced_again === introduced_again) return;
  tx.org.subscriptions.update(`${userId}:${streamId}`, { introduced_again });
}

/** As `markIntroduced` with `all`, for some channels: most users have left none of them. */
function markAllIntroduced(tx: Transaction, userId: number, ids: ReadonlySet<number>): void {
  const left: number[] = [];
  for (const { stream_id, active } of tx.org.subscriptions.ofUser(userId).values()) {
    if (!active && ids.has(stream_id)) left.push(stream_id);
  }
  for (const streamId of left) markIntroduced(tx, userId, streamId, 'all');
}

/** The deprecated posting policies, where they are others than before. */
export function emitPolicies(tx: Transaction, former: ChannelVisibility): void {
  const { org } = tx;
  for (const [streamId, before] of former.policies) {
    const channel = org.channels.get(streamId);
    if (!channel) continue;
    const after = postPolicy(org, channel.can_send_message_group);
    if (after === before) continue;
    emitChannelUpdate(tx, channel, { property: 'stream_post_policy', value: after });
    const wasAnnouncing = before === ADMINISTRATORS_ONLY;
    if (wasAnnouncing !== (after === ADMINISTRATORS_ONLY)) {
      emitChannelUpdate(tx, channel, { property: 'is_announcement_only', value: !wasAnnouncing });
    }
  }
}
