import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import {
  createEventQueueMachine,
  type EventQueueMachine,
  heartbeatDelay,
  type EventQueueEvent,
  type EventQueueState,
} from '../../../actors/event-queue.js';
import { ActorHost, type PersistedActor } from '../../../actors/host.js';
import type { QueueDocument } from '../../../schemas/queues/queue-document.js';
import type { EventQueueEnd } from '../../../actors/event-queue.js';
import type { Consumer, EventQueue } from './event-queue.js';

/** The registry of the queue actors. */
export type QueueHost = ActorHost<EventQueueMachine>;

/** The queues of this node, as far as their actors use them. */
interface QueueRegistry {
  get(queueId: string): EventQueue | undefined;
  /** Whether a queue is still one of this node. */
  has(queue: EventQueue): boolean;
  document(queue: EventQueue): QueueDocument;
  /** No event came during the heartbeat interval. */
  heartbeat(queue: EventQueue, consumer: Consumer): void;
  ended(queueId: string, reason: EventQueueEnd): void;
}

/** Dependencies of the queue actors. */
interface QueueActorsOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** A random number in [0, 1), for the jitter of heartbeats. */
  readonly random: () => number;
  readonly onError: (queueId: string, error: unknown) => void;
}

/**
 * How long an actor may lag behind its queue, milliseconds. Its deadlines are tens of seconds away, and a
 * client that polls again at once leaves it in the same state: no delivery pays for a transition.
 */
const SETTLE_MS = 500;

/** An actor that got no event for this long is removed from memory, milliseconds; its deadline stays armed. */
const PASSIVATE_AFTER_MS = 60_000;

/** QueueActors keeps the actors of this node's queues in step with the consumers of the queues. */
export class QueueActors {
  readonly host: QueueHost;
  /** Queues whose consumer changed since the actors were last updated. */
  private readonly unsettled = new Set<EventQueue>();
  /** Queues whose actor is in memory. */
  private readonly resident = new Set<EventQueue>();

  constructor(
    private readonly queues: QueueRegistry,
    private readonly options: QueueActorsOptions,
  ) {
    const kind = createEventQueueMachine({
      heartbeatDelayMs: () => heartbeatDelay(options.random()),
      heartbeat: (queueId) => this.heartbeat(queueId),
      lastDeliveryAt: (queueId) => queues.get(queueId)?.deliveredAt ?? null,
      lastTouchedAt: (queueId) => queues.get(queueId)?.touchedAt ?? null,
      ended: (queueId, reason) => queues.ended(queueId, reason),
    });
    this.host = new ActorHost(kind, {
      clock: options.clock,
      wheel: options.wheel,
      onError: (queueId, error) => this.failed(queueId, error),
      restoreWith: (queueId) => this.revive(queueId),
    });
  }

  /** Adds a queue of this node. Only its deadline is armed until a consumer waits on it. */
  adopt(queue: EventQueue): void {
    this.host.adopt(queue.queueId, queue.touchedAt + queue.idleTimeoutMs);
  }

  /** Schedules the update of the queue's actor, because its consumer changed. */
  changed(queue: EventQueue): void {
    if (this.unsettled.size === 0) {
      this.options.clock.setTimer(SETTLE_MS, () => this.settle());
    }
    this.unsettled.add(queue);
  }

  /** Updates the actors of all queues whose consumers changed. */
  settle(): void {
    const queues = [...this.unsettled];
    this.unsettled.clear();
    for (const queue of queues) this.follow(queue);
  }

  /** Ends a queue through its actor. */
  end(queue: EventQueue, type: 'delete' | 'overflow' | 'revoke'): void {
    this.host.send(queue.queueId, { type });
  }

  /** Forgets a queue that ended. */
  forget(queue: EventQueue): void {
    this.unsettled.delete(queue);
    this.resident.delete(queue);
  }

  /** Removes actors of queues without a consumer from memory; called about once a minute. */
  passivate(): void {
    const before = this.options.clock.now() - PASSIVATE_AFTER_MS;
    for (const queue of this.resident) {
      if (queue.consumer || queue.actorState !== 'idle' || queue.touchedAt > before) continue;
      this.host.passivate(queue.queueId);
      this.resident.delete(queue);
    }
  }

  private follow(queue: EventQueue): void {
    const state = stateOf(queue);
    if (state === queue.actorState || !this.queues.has(queue)) return;
    this.resident.add(queue);
    this.host.send(queue.queueId, this.arrival(queue, state));
    // Set after the event, which may have restored the actor from its stored form, as idle.
    queue.actorState = state;
  }

  private arrival(queue: EventQueue, state: EventQueueState): EventQueueEvent {
    if (state === 'idle') return { type: 'release', now: queue.touchedAt };
    const now = queue.consumer?.deliveredAt ?? this.options.clock.now();
    return { type: state === 'polling' ? 'poll' : 'stream', now };
  }

  /** Effect of the machine: no event came during the heartbeat interval. */
  private heartbeat(queueId: string): void {
    const queue = this.queues.get(queueId);
    if (!queue) return;
    if (queue.consumer) this.queues.heartbeat(queue, queue.consumer);
    else this.follow(queue);
  }

  /** The stored form of an actor that is needed in memory again. */
  private revive(queueId: string): PersistedActor | undefined {
    const queue = this.queues.get(queueId);
    if (!queue) return undefined;
    // Actors restored only to check their deadline must be removed from memory again, too.
    this.resident.add(queue);
    queue.actorState = 'idle';
    if (queue.consumer) this.changed(queue);
    return this.queues.document(queue).actor as PersistedActor;
  }

  /** Handles a failed actor, which was removed from memory: the next request or its deadline restores it. */
  private failed(queueId: string, error: unknown): void {
    this.options.onError(queueId, error);
    const queue = this.queues.get(queueId);
    if (!queue) return;
    this.resident.delete(queue);
    queue.actorState = 'idle';
    this.host.adopt(queueId, this.options.clock.now() + queue.idleTimeoutMs);
    if (queue.consumer) this.changed(queue);
  }
}

function stateOf({ consumer }: EventQueue): EventQueueState {
  if (!consumer) return 'idle';
  return consumer.kind === 'poll' ? 'polling' : 'streaming';
}
