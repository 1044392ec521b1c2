import { PARTIAL_SUBSCRIBERS_THRESHOLD } from '../../../schemas/limits.js';
import { RANGE_SIZE } from '../state/range-versions.js';
import { activeSubscriberCount } from '../views/channel-view.js';
import type { Organization } from '../state/organization.js';
import {
  latestActivity,
  isListedAlways,
  PARTIAL_ACTIVITY_SECONDS,
} from '../views/subscription-view.js';
import type { TextSource } from './text-source.js';

/** With fewer subscribers per range than this, a list is made anew sooner than its ranges are checked. */
const SUBSCRIBERS_PER_RANGE = 4;

/** Subscribers of a channel as text: all, or those whom a long channel's `partial_subscribers` lists. */
export interface SubscriberText {
  readonly field: 'subscribers' | 'partial_subscribers';
  readonly source: TextSource;
}

/** The text of a channel's subscribers, or null where they are too few for that to be worth it. */
export function subscriberText(
  org: Organization,
  streamId: number,
  include: true | 'partial',
): SubscriberText | null {
  const count = activeSubscriberCount(org, streamId);
  if (count < SUBSCRIBERS_PER_RANGE * org.users.ranges) return null;
  const field = include === 'partial' ? 'partial_subscribers' : 'subscribers';
  const isShort = include === true || count < PARTIAL_SUBSCRIBERS_THRESHOLD;
  return { field, source: (isShort ? allSubscribers : someSubscribers)(org, streamId) };
}

function allSubscribers(org: Organization, streamId: number): TextSource {
  const changes = org.subscriptions.changesOf(streamId);
  return {
    key: `subscribers ${streamId}`,
    stamp: (range) => changes.of(range) + org.users.changes.of(range),
    encode: (range) => {
      let text = '';
      for (const id of subscribersIn(org, streamId, range)) text += `,${id}`;
      return { text };
    },
  };
}

function someSubscribers(org: Organization, streamId: number): TextSource {
  const changes = org.subscriptions.changesOf(streamId);
  return {
    key: `partial subscribers ${streamId}`,
    stamp: (range) =>
      changes.of(range) +
      org.users.changes.of(range) +
      org.presences.returns.of(range) +
      org.activities.changes.of(range),
    encode: (range) => {
      const since = Math.floor(org.now() / 1000) - PARTIAL_ACTIVITY_SECONDS;
      let text = '';
      let until = Infinity;
      for (const id of subscribersIn(org, streamId, range)) {
        if (!isListedAlways(org, id, since)) continue;
        text += `,${id}`;
        if (org.users.get(id)!.is_bot) continue;
        const seen = latestActivity(org, id);
        until = Math.min(until, (seen + PARTIAL_ACTIVITY_SECONDS + 1) * 1000 - 1);
      }
      return { text, until };
    },
  };
}

function* subscribersIn(org: Organization, streamId: number, range: number): Generator<number> {
  for (let id = range * RANGE_SIZE; id < (range + 1) * RANGE_SIZE; id++) {
    if (org.users.active.has(id) && org.subscriptions.isSubscribed(id, streamId)) yield id;
  }
}
