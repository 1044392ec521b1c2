import { acknowledgeEvents } from '../../../schemas/queues/event-stream.js';
import { deleteQueue, type getEvents } from '../../../schemas/queues/events-poll.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badEventQueueId, unauthorized } from '../../errors/index.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { QueueRequest, Queues } from '../../journal/queues/queues.js';
import { botQueueDefaults } from '../../organization/users/bots.js';
import { endQueues, registerQueue } from '../../organization/state/queue-documents.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import type { OtherNodesNow } from './other-nodes.js';
import { queueRequest } from './register/queue-request.js';

/** The decoded parameters of a poll or a socket. */
export type EventsParams = ParamsOf<typeof getEvents>;

/**
 * Opens queues for readers, by poll or by socket (event-queues.md#get-events, socket.md): the part of both
 * without transport.
 */
export class QueueAccess {
  constructor(
    readonly queues: Queues,
    private readonly runtime: Runtime,
    /** Null on the leader. */
    private readonly others: OtherNodesNow = () => null,
    /** Asks the store whether the leader still leads. @throws FencedError */
    private readonly confirm = (): Promise<void> => Promise.resolve(),
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
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, or `BAD_REQUEST` for a cursor the queue never gave, where no other node can have
   */
  find(user: UserDocument, queueId: string, cursor: number): EventQueue | null {
    // A follower may not have heard of the queue yet.
    if (this.others() !== null && !this.queues.get(queueId)) return null;
    const queue = this.queues.find(queueId, user.user_id);
    return this.isReady(queue, cursor) ? queue : null;
  }

  /**
   * As `find` for a queue that is at hand.
   * @returns whether it is open: not where it would have to wait
   */
  openNow(user: UserDocument, queue: EventQueue, cursor: number): boolean {
    this.queues.use(queue, user.user_id);
    return this.isReady(queue, cursor);
  }

  /** Acknowledges up to the cursor, where the queue need not wait for anything. */
  private isReady(queue: EventQueue, cursor: number): boolean {
    if (queue.needsReplay) return false;
    if (this.isAhead(queue, cursor)) return false;
    // Another node may have given it that has not reported yet.
    if (cursor > queue.newestId && this.isBehind(cursor)) return false;
    queue.acknowledge(cursor);
    return true;
  }

  /** Whether the user has a queue with this id, or another node may know of one. That is no use of it. */
  has(user: UserDocument, queueId: string): boolean {
    const queue = this.queues.get(queueId);
    return queue ? queue.userId === user.user_id : this.others() !== null;
  }

  /** Whether a cursor names an event or a heartbeat that another node may have given. */
  private isAhead(queue: EventQueue, cursor: number): boolean {
    return cursor > queue.newestId && this.queues.isShared;
  }

  private async restored(user: UserDocument, queueId: string, cursor: number): Promise<EventQueue> {
    await this.reach(queueId, cursor);
    const queue = this.queues.find(queueId, user.user_id);
    if (this.isAhead(queue, cursor)) {
      // Behind everything that is durable: another node may have given it before the store lost it. Whoever had it would
      // miss what takes its place, and this refusal alone makes every client register again. The queue itself stays.
      if (this.isBehind(cursor)) throw badEventQueueId(queueId);
      this.queues.moveAway(queueId);
    }
    await this.queues.restore(queue, cursor);
    queue.acknowledge(cursor);
    return queue;
  }

  /** Waits until this node has the queue and the entry of the cursor, where another node may have them already. */
  private async reach(queueId: string, cursor: number): Promise<void> {
    const others = this.others();
    const isBehind = this.isBehind(cursor);
    if (others && (isBehind || !this.queues.get(queueId))) await others.catchUp();
    // A follower can read an entry before the leader hears that it is durable.
    else if (!others && isBehind) {
      await this.runtime.journal.barrier();
      // Or another node leads by now, and has written it.
      if (this.isBehind(cursor)) await this.confirm();
    }
  }

  /** Whether this node does not have the entry of the cursor. */
  private isBehind(cursor: number): boolean {
    return cursor >= this.queues.ids.endOf(this.runtime.journal.durableHead);
  }

  /** Checks the parameters of a new queue, and registers none. @throws ApiError `BAD_REQUEST` */
  checkRequest(user: UserDocument, params: EventsParams): void {
    this.requestOf(user, params);
  }

  private requestOf(user: UserDocument, params: EventsParams): QueueRequest {
    const { org } = this.runtime;
    const current = activeUser(org, user.user_id);
    return queueRequest(current, params, botQueueDefaults(org, current));
  }

  private async register(user: UserDocument, params: EventsParams): Promise<EventQueue> {
    const request = this.requestOf(user, params);
    const others = this.others();
    if (others) return this.queues.beginHere(await others.register(request), user.user_id);
    return this.registerHere(request);
  }

  /** Registers a queue on the leader. @throws ApiError */
  async registerHere(request: QueueRequest): Promise<EventQueue> {
    const { runtime, queues } = this;
    const queue = runtime.transact((tx) => {
      activeUser(tx.org, request.userId);
      return registerQueue(tx, queues, request);
    });
    await runtime.journal.barrier();
    return queue;
  }
}

/** @throws ApiError `UNAUTHORIZED` */
function activeUser(org: Organization, userId: number): UserDocument {
  const user = org.users.get(userId);
  if (!user?.is_active) throw unauthorized('Account is deactivated');
  return user;
}

/** `POST /events/ack` (socket.md#server-sent-events), `DELETE /events` (event-queues.md#delete-queue). */
export function eventQueueHandlers(queues: Queues, others: OtherNodesNow): AnyHandler[] {
  return [
    handlePrepared(
      acknowledgeEvents,
      async (_org, { params }) => {
        // A follower may not have heard of the queue yet.
        if (!queues.get(params.queue_id)) await others()?.catchUp();
      },
      (_tx, { user, params }) => {
        queues.acknowledge(params.queue_id, user.user_id, params.last_event_id);
        return {};
      },
    ),
    handle(deleteQueue, (tx, { user, params }) => {
      const queue = queues.find(params.queue_id, user.user_id);
      endQueues(tx, queues, [queue], 'delete');
      return {};
    }),
  ];
}
