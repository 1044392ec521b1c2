import type { EventQueue } from './event-queue.js';

/** Numbers of queues by state, and of their events. */
export interface QueueCensus {
  /** Without a consumer. */
  readonly idle: number;
  readonly polling: number;
  readonly streaming: number;
  /** Loaded from the store and not used since. */
  readonly unattached: number;
  /** Unacknowledged events; an event in several queues counts once for each. */
  readonly events: number;
  /** Their length, UTF-16 units. */
  readonly bytes: number;
  /**
   * Queues with events whose client has not asked for longer than so many seconds, and has no connection: it is away,
   * or too slow.
   */
  readonly behind: Readonly<Record<BehindSeconds, number>>;
  /** The longest such time. Milliseconds. */
  readonly longestBehindMs: number;
}

/** Times of {@link QueueCensus.behind}, seconds: a moment, a lost connection, a closed program. */
export const BEHIND_SECONDS = [10, 60, 600] as const;
type BehindSeconds = (typeof BEHIND_SECONDS)[number];

/** Counts queues and their events; visits every queue. @param now milliseconds since 1970 */
export function censusOf(queues: Iterable<EventQueue>, now: number): QueueCensus {
  const census = {
    ...{ idle: 0, polling: 0, streaming: 0, unattached: 0, events: 0, bytes: 0 },
    behind: { 10: 0, 60: 0, 600: 0 },
    longestBehindMs: 0,
  };
  for (const queue of queues) {
    census[stateOf(queue)] += 1;
    census.events += queue.length;
    census.bytes += queue.bufferedBytes;
    if (queue.length === 0 || queue.consumer) continue;
    const behind = now - queue.touchedAt;
    census.longestBehindMs = Math.max(census.longestBehindMs, behind);
    for (const seconds of BEHIND_SECONDS) {
      if (behind > seconds * 1000) census.behind[seconds] += 1;
    }
  }
  return census;
}

function stateOf({ needsReplay, consumer }: EventQueue) {
  if (needsReplay) return 'unattached';
  if (!consumer) return 'idle';
  return consumer.kind === 'poll' ? 'polling' : 'streaming';
}
