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
}

/** Counts queues and their events; visits every queue. */
export function censusOf(queues: Iterable<EventQueue>): QueueCensus {
  const census = { idle: 0, polling: 0, streaming: 0, unattached: 0, events: 0, bytes: 0 };
  for (const queue of queues) {
    census[stateOf(queue)] += 1;
    census.events += queue.length;
    census.bytes += queue.bufferedBytes;
  }
  return census;
}

function stateOf({ needsReplay, consumer }: EventQueue) {
  if (needsReplay) return 'unattached';
  if (!consumer) return 'idle';
  return consumer.kind === 'poll' ? 'polling' : 'streaming';
}
