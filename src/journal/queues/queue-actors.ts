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
import type { EventQueue, Consumer, EndReason } from './event-queue.js';
import type { Heartbeats } from './heartbeats.js';
import type { QueueDocument } from '../../../schemas/queues/queue-document.js';
import { storedTime } from '../../../schemas/store/stored-time.js';

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
  /** Milliseconds since 1970, for what is stored. */
  readonly wall: () => number;
  readonly wheel: DeadlineWheel;
  /** A random number in [0, 1), for the jitter of heartbeats. */
  readonly random: () => number;
  readonly onError: (queueId: string, error: unknown) => void;
  /** Whether this node decides that a queue has expired; a follower leaves it to the leader. */
  readonly expires: () => boolean;
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

  /**
   * The actor of a queue that nobody uses yet, as it is stored. Its deadline is by the wall clock: the steady clock of
   * its actor ends with the process, and idle time starts anew after it.
   */
  documentOf(queue: EventQueue): QueueDocument['actor'] {
    const { queueId: queue_id, idleTimeoutMs: idle_timeout_ms } = queue;
    const deadline = storedTime(this.options.wall(), idle_timeout_ms);
    return { ...this.resting(queue), context: { queue_id, idle_timeout_ms, deadline } };
  }

  /** The actor of a queue that was used when the queue was. */
  private resting(queue: EventQueue): PersistedActor {
    return this.host.documentOf({
      queue_id: queue.queueId,
      idle_timeout_ms: queue.idleTimeoutMs,
      now: queue.touchedAt,
    });
  }

  /**
   * A consumer attached to a queue. The actor gets an event only if that moves its deadline forward: once per idle
   * period of a client that polls, because each deadline checks for a consumer, and moves on by 45 to 55 s while
   * one is attached.
   */
  attached(queue: EventQueue, { deliveredAt }: Consumer): void {
    const due = this.host.deadlineOf(queue.queueId);
    if (due !== undefined && due <= deliveredAt + LONGEST_HEARTBEAT_DELAY_MS) return;
    this.advance(queue, deliveredAt + heartbeatDelay(this.options.random()));
  }

  /** The consumer of a queue left. The armed deadline, a heartbeat at the latest, finds that out in time. */
  released(queue: EventQueue): void {
    if (queue.idleTimeoutMs >= LONGEST_HEARTBEAT_DELAY_MS) return;
    const due = this.host.deadlineOf(queue.queueId);
    const expiry = expiryOf(queue);
    if (due === undefined || due > expiry) this.advance(queue, expiry);
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
    const decides = expires() && queue?.heldElsewhere !== true;
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
    const resting = this.resting(queue);
    // None is armed while it fires: the machine gets an event, because a consumer may be attached by now.
    const deadline = this.host.deadlineOf(queueId) ?? this.options.clock.now();
    return { ...resting, context: { ...resting.context, deadline } };
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

/**
 * Consumers attaches polls, sockets and streams to the queues of this node, and detaches them. A queue has one
 * consumer at a time, and the newest wins (event-queues.md#two-clients).
 */
export class Consumers {
  /** Set once all consumers were detached: no new ones are attached. */
  private released: EndReason | null = null;

  constructor(
    private readonly actors: QueueActors,
    private readonly clock: Clock,
  ) {}

  /**
   * Attaches a consumer and detaches the former one. Where the queue has ended or the server stops, the
   * consumer is ended at once.
   */
  attach(queue: EventQueue, consumer: Consumer): void {
    if (queue.hasEnded || this.released) {
      consumer.end(this.released ?? 'deleted');
      return;
    }
    const former = queue.consumer;
    queue.setConsumer(consumer);
    former?.end('superseded');
    if (queue.consumer !== consumer) return;
    queue.touchedAt = this.clock.now();
    this.actors.attached(queue, consumer);
  }

  /** Detaches the consumer; does nothing where the queue has another one by now. */
  release(queue: EventQueue, consumer: Consumer): void {
    if (queue.consumer !== consumer) return;
    queue.setConsumer(null);
    queue.touchedAt = this.clock.now();
    if (!queue.hasEnded) this.actors.released(queue);
  }

  /** Detaches and ends the consumer, if there is one; the queue stays. */
  detach(queue: EventQueue, reason: EndReason): void {
    const { consumer } = queue;
    if (!consumer) return;
    this.release(queue, consumer);
    consumer.end(reason);
  }

  /** Detaches a socket or a stream, if there is one; a waiting poll stays. */
  detachPush(queue: EventQueue, reason: EndReason): void {
    if (queue.consumer && queue.consumer.kind !== 'poll') this.detach(queue, reason);
  }

  /** Detaches and ends the consumer, if there is one, of a queue that ends too. */
  end(queue: EventQueue, reason: EndReason): void {
    const { consumer } = queue;
    queue.setConsumer(null);
    consumer?.end(reason);
  }

  /** Detaches every consumer, keeps the queues and attaches no new consumers (shutdown). */
  releaseAll(queues: Iterable<EventQueue>, reason: EndReason): void {
    this.released = reason;
    for (const queue of queues) this.end(queue, reason);
  }
}
