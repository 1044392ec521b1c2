import type { Clock } from '../../actors/clock.js';
import type { DeadlineWheel } from '../../actors/deadline-wheel.js';
import { createEventQueueMachine, heartbeatDelay } from '../../actors/event-queue.js';
import { ActorHost, type PersistedActor } from '../../actors/host.js';
import type { QueueHost, Queues } from './queues.js';

/** What the host of the queue actors is connected to. */
export interface QueueHostOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** A random number in [0, 1), for the jitter of heartbeats. */
  readonly random: () => number;
  readonly onError: (queueId: string, error: unknown) => void;
}

/** Makes the host of all queue actors of this node, around the queues they are about. */
export function createQueueHost(queues: Queues, options: QueueHostOptions): QueueHost {
  const kind = createEventQueueMachine({
    heartbeatDelayMs: () => heartbeatDelay(options.random()),
    heartbeat: (queueId) => queues.heartbeat(queueId),
    lastDeliveryAt: (queueId) => queues.get(queueId)?.deliveredAt ?? null,
    lastTouchedAt: (queueId) => queues.get(queueId)?.touchedAt ?? null,
    ended: (queueId, reason) => queues.ended(queueId, reason),
  });
  return new ActorHost(kind, {
    clock: options.clock,
    wheel: options.wheel,
    onError: (queueId, error) => {
      options.onError(queueId, error);
      queues.actorFailed(queueId);
    },
    restoreWith: (queueId) => queues.revive(queueId) as PersistedActor | undefined,
  });
}
