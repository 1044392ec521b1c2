import type { QueueDocument } from '../../../schemas/queues/queue-document.js';
import type { EventQueue } from './event-queue.js';
import type { QueueFilter } from './queue-filter.js';

/** Persisted form of a queue; consumers do not survive, so it is always idle. */
export function queueDocument(queue: EventQueue): QueueDocument {
  return {
    queue_id: queue.queueId,
    user_id: queue.userId,
    since: queue.since,
    idle_timeout_ms: queue.idleTimeoutMs,
    traits: queue.filter as unknown as QueueDocument['traits'],
    actor: {
      machine: 'event-queue',
      version: 1,
      value: 'idle',
      context: {
        queue_id: queue.queueId,
        idle_timeout_ms: queue.idleTimeoutMs,
        touched_at: queue.touchedAt,
        deadline: queue.touchedAt + queue.idleTimeoutMs,
      },
    },
  };
}

/** Different filters remembered; at the bound all are forgotten, which costs memory only. */
const MAX_TRAITS = 1000;

/** Most queues are registered alike; they share one object. */
export class QueueFilterPool {
  private readonly known = new Map<string, QueueFilter>();

  /** Traits equal to those given. */
  shared(filter: QueueFilter): QueueFilter {
    const key = JSON.stringify(filter);
    const known = this.known.get(key);
    if (known) return known;
    if (this.known.size >= MAX_TRAITS) this.known.clear();
    this.known.set(key, filter);
    return filter;
  }
}
