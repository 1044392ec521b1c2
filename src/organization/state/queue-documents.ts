import type { QueueDocument } from '../../../schemas/queues/register.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { QueueRequest, Queues } from '../../journal/queues/queues.js';
import type { Document } from '../../store/port.js';
import type { Keyed } from './document-check.js';
import type { Organization } from './organization.js';

/** The part of a transaction that these functions use. */
interface QueueTransaction {
  readonly org: Organization;
  /** Position of the transaction's entry. */
  readonly seq: number;
}

/** Collection of queue documents; {@link Queues} has the live queues. */
export const QUEUE_COLLECTION = 'queue';

/** How queue documents name themselves. */
export const QUEUES: Keyed = {
  name: QUEUE_COLLECTION,
  idOf: (document) => (document as QueueDocument).context.queue_id,
};

/**
 * Registers a queue in a transaction: it gets every event after this transaction's entry, so a snapshot
 * read in the same transaction matches exactly (event-queues.md#registration).
 */
export function registerQueue(
  tx: QueueTransaction,
  queues: Queues,
  request: QueueRequest,
): EventQueue {
  const queue = queues.create(request, tx.seq);
  tx.org.watchers.record(request.userId, request.filter);
  return queue;
}

/** Keeps a queue's document in the transaction that is open. */
export function keepQueue(org: Organization, document: QueueDocument, undo: () => void): void {
  const key = { collection: QUEUE_COLLECTION, id: document.context.queue_id };
  org.unit.record({ op: 'set', key, document }, undo);
}

/** Deletes the documents of ended queues, with the idempotency keys of the messages they sent. */
export function forgetQueues(tx: QueueTransaction, queueIds: readonly string[]): void {
  for (const id of queueIds) {
    tx.org.idempotencyKeys.forget(id);
    tx.org.unit.record(
      { op: 'delete', key: { collection: QUEUE_COLLECTION, id } },
      () => undefined,
    );
  }
}

/**
 * Ends queues with a transaction: their documents go with it, and they themselves once it is durable. One that is refused
 * ends nothing.
 */
export function endQueues(
  tx: QueueTransaction & { onceDurable(work: () => void): void },
  queues: Pick<Queues, 'end'>,
  ended: readonly EventQueue[],
  type: 'delete' | 'overflow',
): void {
  forgetQueues(
    tx,
    ended.map(({ queueId }) => queueId),
  );
  tx.onceDurable(() => ended.forEach((queue) => queues.end(queue, type)));
}

/** Version 2 of queues: the document, which had a snapshot that nobody read, is the snapshot of its actor. */
export function queueToSnapshot({ actor: _, ...context }: Document): Document {
  return { machine: 'event-queue', version: 3, value: 'live', context };
}

/** Version 3 of queues: their documents have no deadline, which nobody read. What is no queue of version 2 stays. */
export function queueWithoutDeadline(document: Document): Document {
  const { version, context } = document;
  if (version !== 3 || typeof context !== 'object' || context === null) return document;
  const { deadline: _, ...stored } = context as Record<string, unknown>;
  return { ...document, version: 4, context: stored } as Document;
}
