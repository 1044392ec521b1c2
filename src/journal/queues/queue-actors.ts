import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import {
  createEventQueueMachine,
  heartbeatDelay,
  LONGEST_HEARTBEAT_DELAY_MS,
  type EventQueueEnd,
  type EventQueueMachine,
  type EventQueueUse,
} from '../../../actors/event-queue.js';
import { ActorHost, type PersistedActor } from '../../../actors/host.js';
import type { EventQueue } from './event-queue.js';
import type { Heartbeats } from './heartbeats.js';

/** The registry of the queue actors. */
export type QueueHost = ActorHost<EventQueueMachine>;

/** The queues of this node, as far as their actors use them. */
interface QueueRegistry {
  get(queueId: string): EventQueue | undefined;
  ended(queueId: string, reason: EventQueueEnd): void;
}

/** Dependencies of the queue actors. */
export interface QueueActorsOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** A random number in [0, 1), for the jitter of heartbeats. */
  readonly random: () => number;
  readonly onError: (queueId: string, error: unknown) => void;
  /** Whether this node decides that a queue has expired; default: yes. A follower leaves it to the leader. */
  readonly expires?: () => boolean;
}

/** An actor that got no event for this long is removed from memory, milliseconds; its deadline stays armed. */
const PASSIVATE_AFTER_MS = 60_000;

/** QueueActors keeps the actors of this node's queues, and wakes each for its expiry or its heartbeat. */
export class QueueActors {
  readonly host: QueueHost;
  /** Queues whose actor is in memory. */
  private readonly resident = new Set<EventQueue>();

  constructor(
    private readonly queues: QueueRegistry,
    private readonly heartbeats: Heartbeats,
    private readonly options: QueueActorsOptions,
  ) {
    const kind = createEventQueueMachine({
      use: (queueId) => this.useOf(queueId),
      heartbeat: (queueId) => this.heartbeat(queueId),
      ended: (queueId, reason) => queues.ended(queueId, reason),
    });
    this.host = new ActorHost(kind, {
      clock: options.clock,
      wheel: options.wheel,
      onError: (queueId, error) => this.failed(queueId, error),
      restoreWith: (queueId) => this.restored(queueId),
    });
  }

  /** Adds a queue of this node: only its deadline is armed, its actor comes into memory when needed. */
  adopt(queue: EventQueue): void {
    this.host.adopt(queue.queueId, expiryOf(queue));
  }

  /** The actor of a queue without a consumer, as it is stored. */
  documentOf(queue: EventQueue): PersistedActor {
    return this.host.documentOf({
      queue_id: queue.queueId,
      idle_timeout_ms: queue.idleTimeoutMs,
      now: queue.touchedAt,
    });
  }

  /**
   * The consumer of a queue came or went. The actor hears of it only where that brings its deadline
   * forward: once per idle period of a client that polls, because the deadline finds out for itself who is
   * attached, and moves on by 45 to 55 s while somebody is.
   */
  changed(queue: EventQueue): void {
    const { consumer, queueId } = queue;
    const due = this.host.deadlineOf(queueId);
    if (!consumer) {
      const expiry = expiryOf(queue);
      if (due === undefined || due > expiry) this.advance(queue, expiry);
    } else if (due === undefined || due > consumer.deliveredAt + LONGEST_HEARTBEAT_DELAY_MS) {
      this.advance(queue, consumer.deliveredAt + heartbeatDelay(this.options.random()));
    }
  }

  /** Ends a queue through its actor. */
  end(queue: EventQueue, type: 'delete' | 'overflow' | 'revoke'): void {
    this.host.send(queue.queueId, { type });
  }

  /** Drops what is kept about a queue that ended. */
  forget(queue: EventQueue): void {
    this.resident.delete(queue);
  }

  /** Removes the actors of queues without a consumer from memory; called about once a minute. */
  passivate(): void {
    const before = this.options.clock.now() - PASSIVATE_AFTER_MS;
    for (const queue of this.resident) {
      if (queue.consumer || queue.touchedAt > before) continue;
      this.host.passivate(queue.queueId);
      this.resident.delete(queue);
    }
  }

  private advance(queue: EventQueue, deadline: number): void {
    this.host.send(queue.queueId, { type: 'advance', deadline });
  }

  /** How a queue is used now; one that is gone is not, and expires. */
  private useOf(queueId: string): EventQueueUse {
    const queue = this.queues.get(queueId);
    const { expires, clock } = this.options;
    const decides = (expires?.() ?? true) && queue?.heldElsewhere !== true;
    return {
      touchedAt: decides ? (queue?.touchedAt ?? 0) : clock.now(),
      deliveredAt: queue?.deliveredAt ?? null,
      heartbeatDelayMs: heartbeatDelay(this.options.random()),
    };
  }

  /** Effect: the consumer got no event during the heartbeat interval. */
  private heartbeat(queueId: string): void {
    const queue = this.queues.get(queueId);
    if (queue?.consumer) this.heartbeats.send(queue, queue.consumer);
  }

  /** The stored form of an actor that is about to be in memory again, with the deadline that is armed. */
  private restored(queueId: string): PersistedActor | undefined {
    const queue = this.queues.get(queueId);
    if (!queue) return undefined;
    this.resident.add(queue);
    const stored = this.documentOf(queue);
    // None is armed while it fires: the machine is to hear of it, because a consumer may be attached by now.
    const deadline = this.host.deadlineOf(queueId) ?? this.options.clock.now();
    return { ...stored, context: { ...stored.context, deadline } };
  }

  /** The actor failed and left memory: it comes back at its next deadline. */
  private failed(queueId: string, error: unknown): void {
    this.options.onError(queueId, error);
    const queue = this.queues.get(queueId);
    if (!queue) return;
    this.resident.delete(queue);
    const now = this.options.clock.now();
    this.host.adopt(queueId, now + Math.min(queue.idleTimeoutMs, LONGEST_HEARTBEAT_DELAY_MS));
  }
}

/** When a queue without a consumer expires, milliseconds since the epoch. */
function expiryOf({ touchedAt, idleTimeoutMs }: EventQueue): number {
  return touchedAt + idleTimeoutMs;
}
