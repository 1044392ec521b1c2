import type { IdempotencyKeyDocument } from '../../../../schemas/messages/idempotency-key-document.js';
import { REMEMBERED_LOCAL_IDS } from '../../../../schemas/limits.js';
import { Collection, type Recorder } from '../collection.js';

/** The messages that one queue sent. */
interface QueueKeys {
  readonly byLocalId: Map<string, IdempotencyKeyDocument>;
  /** The next number. */
  next: number;
}

/**
 * IdempotencyKeyCollection maps the `local_id` of a queue to the message that was sent under it
 * (endpoints-messages.md#send-message). A key commits with its message, so that a retry finds it after a
 * crash, too. It keeps the newest {@link REMEMBERED_LOCAL_IDS} keys of a queue: each takes a slot and
 * replaces its previous key.
 */
export class IdempotencyKeyCollection extends Collection<string, IdempotencyKeyDocument> {
  private readonly queues = new Map<string, QueueKeys>();

  constructor(recorder: Recorder) {
    super('idempotency_key', recorder, ({ queue_id, number }) => `${queue_id}:${slotOf(number)}`);
  }

  /** The message that a queue sent under a `local_id`, if it is still known. */
  find(queueId: string, localId: string): IdempotencyKeyDocument | undefined {
    return this.queues.get(queueId)?.byLocalId.get(localId);
  }

  /** Records a message in the open transaction. */
  remember(key: Omit<IdempotencyKeyDocument, 'number'>): void {
    this.insert({ ...key, number: this.queues.get(key.queue_id)?.next ?? 0 });
  }

  /** Deletes the keys of a queue that ends, in the open transaction. */
  forget(queueId: string): void {
    for (const { number } of [...(this.queues.get(queueId)?.byLocalId.values() ?? [])]) {
      this.delete(`${queueId}:${slotOf(number)}`);
    }
  }

  protected override reindex(
    previous?: IdempotencyKeyDocument,
    next?: IdempotencyKeyDocument,
  ): void {
    const queueId = (next ?? previous)!.queue_id;
    let queue = this.queues.get(queueId);
    if (!queue) this.queues.set(queueId, (queue = { byLocalId: new Map(), next: 0 }));
    if (previous && queue.byLocalId.get(previous.local_id) === previous) {
      queue.byLocalId.delete(previous.local_id);
    }
    // Taken back: a number that is used up would let the queue forget a message for one that was refused.
    if (previous && previous.number === queue.next - 1) queue.next = previous.number;
    if (next) {
      queue.byLocalId.set(next.local_id, next);
      queue.next = Math.max(queue.next, next.number + 1);
    }
    if (queue.byLocalId.size === 0) this.queues.delete(queueId);
  }
}

function slotOf(number: number): number {
  return number % REMEMBERED_LOCAL_IDS;
}
