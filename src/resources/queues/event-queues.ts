import { deleteQueue, type getEvents } from '../../../schemas/queues/events-poll.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { unauthorized } from '../../errors.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import { botQueueDefaults } from '../../organization/users/bots.js';
import { forgetQueues, registerQueue } from '../../organization/state/queue-documents.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import { queueRequest } from './register/queue-request.js';

/** The decoded parameters of a poll or a socket. */
export type EventsParams = ParamsOf<typeof getEvents>;

/**
 * Opens queues for readers, by poll or by socket (event-queues.md#get-events, socket.md): the part of both
 * without transport.
 */
export class EventQueues {
  constructor(
    readonly queues: Queues,
    private readonly runtime: Runtime,
  ) {}

  /**
   * The queue of a request, with events up to its `last_event_id` acknowledged. Registers a queue when the
   * request names none. Synchronous unless it must wait.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, or `BAD_REQUEST` for invalid parameters of a new queue
   */
  open(user: UserDocument, params: EventsParams): EventQueue | Promise<EventQueue> {
    if (params.queue_id === undefined || params.queue_id === '') return this.register(user, params);
    const cursor = params.last_event_id ?? -1;
    return this.find(user, params.queue_id, cursor) ?? this.restored(user, params.queue_id, cursor);
  }

  /**
   * As `open` for a named queue; null where it would have to wait.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, or `BAD_REQUEST` for a cursor the queue never gave
   */
  find(user: UserDocument, queueId: string, cursor: number): EventQueue | null {
    const queue = this.queues.find(queueId, user.user_id);
    if (queue.needsReplay) return null;
    queue.acknowledge(cursor);
    return queue;
  }

  private async restored(user: UserDocument, queueId: string, cursor: number): Promise<EventQueue> {
    const queue = this.queues.find(queueId, user.user_id);
    await this.queues.restore(queue, cursor);
    queue.acknowledge(cursor);
    return queue;
  }

  private async register(user: UserDocument, params: EventsParams): Promise<EventQueue> {
    const { runtime, queues } = this;
    const queue = runtime.transact((tx) => {
      const current = tx.org.users.get(user.user_id);
      if (!current?.is_active) throw unauthorized('Account is deactivated');
      return registerQueue(
        tx,
        queues,
        queueRequest(current, params, botQueueDefaults(tx.org, current)),
      );
    });
    await runtime.journal.barrier();
    return queue;
  }
}

/** `DELETE /events` (event-queues.md#delete-queue). */
export function eventQueueHandlers(queues: Queues): AnyHandler[] {
  return [
    handle(deleteQueue, (tx, { user, params }) => {
      const queue = queues.find(params.queue_id, user.user_id);
      // Removed in this transaction, so that the reply waits for it; the queue's end then finds nothing to remove.
      forgetQueues(tx, [queue.queueId]);
      queues.end(queue, 'delete');
      return {};
    }),
  ];
}
