import type { QueueDocument } from '../../schemas/documents/queue.js';
import type { EventQueue } from './event-queue.js';
import type { QueueTraits } from './traits.js';

/** Persisted form of a queue; consumers do not survive, so it is always idle. */
export function queueDocument(queue: EventQueue): QueueDocument {
  return {
    queue_id: queue.queueId,
    user_id: queue.userId,
    since: queue.since,
    idle_timeout_ms: queue.idleTimeoutMs,
    traits: queue.traits as unknown as QueueDocument['traits'],
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

/** Different traits remembered; at the bound all are forgotten, which costs memory only. */
const MAX_TRAITS = 1000;

/** Most queues are registered alike; they share one object. */
export class TraitsPool {
  private readonly known = new Map<string, QueueTraits>();

  /** Traits equal to those given. */
  shared(traits: QueueTraits): QueueTraits {
    const key = JSON.stringify(traits);
    const known = this.known.get(key);
    if (known) return known;
    if (this.known.size >= MAX_TRAITS) this.known.clear();
    this.known.set(key, traits);
    return traits;
  }
}
