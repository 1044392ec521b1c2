import type { EventQueue } from './event-queue.js';

/** Queues by state, and what they hold. */
export interface QueueCensus {
  /** Whose client is between two requests. */
  readonly idle: number;
  readonly polling: number;
  readonly streaming: number;
  /** Taken over from the store, and not asked for since. */
  readonly unattached: number;
  /** Events not acknowledged; one in several queues counts in each. */
  readonly events: number;
  /** Their length, UTF-16 units. */
  readonly bytes: number;
}

/** Counts queues; looks at each. */
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
