import type { Clock } from '../../../actors/clock.js';
import type { Consumer, EndReason, EventQueue } from './event-queue.js';
import type { QueueActors } from './queue-actors.js';

/**
 * Consumers attaches polls, sockets and streams to the queues of this node, and detaches them. A queue has one
 * consumer at a time, and the newest wins (event-queues.md#two-clients).
 */
export class Consumers {
  /** Set once all consumers were detached: no new ones are attached. */
  private released: EndReason | null = null;

  /** @param exists whether a queue has not ended */
  constructor(
    private readonly exists: (queue: EventQueue) => boolean,
    private readonly actors: QueueActors,
    private readonly clock: Clock,
  ) {}

  /**
   * Attaches a consumer and detaches the former one. Where the queue has ended or the server stops, the
   * consumer is ended at once.
   */
  attach(queue: EventQueue, consumer: Consumer): void {
    if (!this.exists(queue) || this.released) {
      consumer.end(this.released ?? 'deleted');
      return;
    }
    const former = queue.consumer;
    queue.setConsumer(consumer);
    former?.end('superseded');
    if (queue.consumer !== consumer) return;
    queue.touchedAt = this.clock.now();
    this.actors.changed(queue);
  }

  /** Detaches the consumer; does nothing where the queue has another one by now. */
  release(queue: EventQueue, consumer: Consumer): void {
    if (queue.consumer !== consumer) return;
    queue.setConsumer(null);
    queue.touchedAt = this.clock.now();
    if (this.exists(queue)) this.actors.changed(queue);
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
