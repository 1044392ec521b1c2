import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import {
  createEventQueueMachine,
  heartbeatDelay,
  LONGEST_HEARTBEAT_DELAY_MS,
  type EventQueueContext,
  type EventQueueEnd,
  type EventQueueInput,
  type EventQueueMachine,
  type EventQueueUse,
} from '../../../actors/event-queue.js';
import { ActorHost, type ActorSnapshot } from '../../../actors/host.js';
import type { EventQueue, Consumer, EndReason } from './event-queue.js';
import type { Heartbeats } from './heartbeats.js';

/** The registry of the queue actors. */
export type QueueHost = ActorHost<EventQueueMachine>;

/** The queues of this node, which have the snapshots of the actors. */
interface QueueRegistry {
  get(queueId: string): EventQueue | undefined;
  /** A queue begins, or its snapshot changed. @param durable whether its document must follow */
  put(snapshot: ActorSnapshot<EventQueueContext>, durable: boolean): void;
  /** A queue has ended. @param last its snapshot, in a final state */
  ended(last: ActorSnapshot<EventQueueContext>): void;
}

/** Dependencies of the queue actors. */
export interface QueueActorsOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** A random number in [0, 1), for the jitter of heartbeats. */
  readonly random: () => number;
  readonly onError: (queueId: string, error: unknown) => void;
  /** Whether this node decides that a queue has expired; a follower leaves it to the leader. */
  readonly expires: () => boolean;
}

/** QueueActors steps the actors of this node's queues, and wakes each for its expiry or its heartbeat. */
export class QueueActors {
  readonly host: QueueHost;

  constructor(
    private readonly queues: QueueRegistry,
    private readonly heartbeats: Heartbeats,
    private readonly options: QueueActorsOptions,
  ) {
    const { clock, wheel, onError } = options;
    const kind = createEventQueueMachine({
      use: (queueId) => this.useOf(queueId),
      heartbeat: (queueId) => this.heartbeat(queueId),
    });
    this.host = new ActorHost(kind, {
      ...{ clock, wheel, onError },
      snapshots: {
        get: (queueId) => queues.get(queueId)?.snapshot,
        put: (_queueId, next, durable) => queues.put(next, durable),
        end: (_queueId, last) => queues.ended(last),
      },
    });
  }

  /** Begins a queue, in the transaction that is open. */
  begin(input: Omit<EventQueueInput, 'now'>): void {
    this.host.begin(input.queue_id, { ...input, now: this.options.clock.now() });
  }

  /**
   * A consumer attached to a queue. The actor gets an event only if that moves its deadline forward: once per idle
   * period of a client that polls, because each deadline checks for a consumer, and moves on by 45 to 55 s while
   * one is attached.
   */
  attached(queue: EventQueue, { deliveredAt }: Consumer): void {
    const latest = deliveredAt + LONGEST_HEARTBEAT_DELAY_MS;
    const { deadline } = queue.snapshot.context;
    // One that is to come is armed: nearly every poll finds that, and looks for no timer.
    if (deadline > queue.touchedAt && deadline <= latest) return;
    const due = this.host.deadlineOf(queue.queueId);
    if (due !== undefined && due <= latest) return;
    this.advance(queue, deliveredAt + heartbeatDelay(this.options.random()));
  }

  /** The consumer of a queue left. The armed deadline, a heartbeat at the latest, finds that out in time. */
  released(queue: EventQueue): void {
    if (queue.idleTimeoutMs >= LONGEST_HEARTBEAT_DELAY_MS) return;
    const due = this.host.deadlineOf(queue.queueId);
    const expiry = expiryOf(queue);
    if (due === undefined || due > expiry) this.advance(queue, expiry);
  }

  /** Ends a queue, unless it has ended. There is no other way, but for its deadline. */
  end(queue: EventQueue, type: 'delete' | 'overflow' | 'revoke'): void {
    this.host.send(queue.queueId, { type });
  }

  /** The client of a queue has everything up to a journal position; in the transaction that is open. */
  beginLater(queue: EventQueue, since: number): void {
    this.host.send(queue.queueId, { type: 'begin_later', since });
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
   * consumer is ended at once, for the same reason.
   */
  attach(queue: EventQueue, consumer: Consumer): void {
    if (queue.hasEnded || this.released) {
      consumer.end(this.released ?? (queue.snapshot.value as EventQueueEnd));
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
