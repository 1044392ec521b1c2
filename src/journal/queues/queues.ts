import type { EventQueueEnd } from '../../../actors/event-queue.js';
import type { QueueDocument } from '../../../schemas/queues/queue-document.js';
import { ApiError, badEventQueueId, badRequest } from '../../errors.js';
import { cursorBefore, endOfIds } from '../entry.js';
import {
  queueDocument,
  EventQueue,
  type Consumer,
  type EndReason,
  type QueueLimits,
} from './event-queue.js';
import type { ResolvedEvent } from './delivery.js';
import { FanOut, type DeliveryPace } from './fan-out.js';
import type { EntryLog } from '../followed-journal.js';
import type { QueueActors } from './queue-actors.js';
import { censusOf, type QueueCensus } from './queue-census.js';
import type { Replay } from './replay.js';
import { QueueFilterPool, type QueueFilter } from './queue-filter.js';

/** The parameters of a registration. */
export interface QueueRequest {
  readonly userId: number;
  readonly filter: QueueFilter;
  readonly idleTimeoutMs: number;
}

/** Dependencies of the queues. */
interface QueuesOptions {
  readonly limits: QueueLimits;
  readonly now: () => number;
  /** Unguessable id of a new queue. */
  readonly newId: () => string;
  /**
   * Deletes the document of a queue that ended, later in a transaction of its own, because one may be open
   * now.
   */
  readonly forget: (queueId: string) => void;
  /** Commits an empty entry: heartbeats have used up the event ids of the newest entry. */
  readonly tick: () => Promise<void>;
  /** How delivery shares the event loop; default: see {@link FanOut}. */
  readonly pace?: Partial<DeliveryPace>;
}

/** What other nodes learn of the use of queues on this one; nothing where there are none. */
export interface QueueSharing {
  /** Whether other nodes serve queues now. */
  readonly hasOthers: boolean;
  /** A request of its client uses the queue on this node. */
  used(queue: EventQueue): void;
  /**
   * A client says at this node what it has received, and this node has no consumer of the queue.
   * @returns whether it is passed on to the node that serves the queue
   */
  acknowledged(queue: EventQueue, id: number): boolean;
}

/**
 * Most queues per user, far above what devices, bots and browser tabs need: every event for the user is
 * added to each of them, 0.1 to 0.7 µs each.
 */
export const MAX_QUEUES_PER_USER = 300;

/** Queues manages the event queues of this node: registration, consumers, replay, ending. */
export class Queues {
  private readonly byId = new Map<string, EventQueue>();
  private readonly fanOut: FanOut;
  private readonly restoring = new Map<EventQueue, Promise<void>>();
  private readonly filters = new QueueFilterPool();
  /** Set once all consumers were detached: no new ones are attached. */
  private released: EndReason | null = null;
  private ticking: Promise<void> | null = null;
  private sharing: QueueSharing | null = null;
  private actors!: QueueActors;
  private journal!: () => Pick<EntryLog, 'lastId' | 'durableHead'>;
  private replay!: Replay;

  constructor(private readonly options: QueuesOptions) {
    this.fanOut = new FanOut(options.limits, (queue) => this.overflow(queue), options.pace);
  }

  /** Connects the parts that are constructed with this object. */
  connect(parts: {
    actors: QueueActors;
    journal: () => Pick<EntryLog, 'lastId' | 'durableHead'>;
    replay: Replay;
  }): void {
    this.actors = parts.actors;
    this.journal = parts.journal;
    this.replay = parts.replay;
  }

  /** Other nodes serve the same queues from now on. */
  shareWith(sharing: QueueSharing): void {
    this.sharing = sharing;
  }

  /** Whether other nodes may have served a queue of this one. */
  get isShared(): boolean {
    return this.sharing?.hasOthers ?? false;
  }

  /** Number of queues. */
  get size(): number {
    return this.byId.size;
  }

  /** The queue with this id, whatever its owner. */
  get(queueId: string): EventQueue | undefined {
    return this.byId.get(queueId);
  }

  /**
   * Creates a queue that starts after the entry at `seq`, and its document. A user at the limit loses the
   * queue without a consumer that was unused for longest.
   * @throws ApiError when every queue of the user has a consumer
   */
  create(request: QueueRequest, seq: number): { queue: EventQueue; document: QueueDocument } {
    this.makeRoom(request.userId);
    const now = this.options.now();
    const filter = this.filters.shared(request.filter);
    const queue = new EventQueue(
      this.options.newId(),
      request.userId,
      filter,
      seq,
      request.idleTimeoutMs,
      {
        cursor: cursorBefore(seq),
        now,
        live: true,
      },
    );
    this.add(queue);
    return { queue, document: this.document(queue) };
  }

  /** Adds or updates a queue whose document another node wrote. */
  put(document: QueueDocument): void {
    const queue = this.byId.get(document.queue_id);
    if (!queue) {
      this.load(document);
      return;
    }
    const advance = (): void => {
      queue.since = Math.max(queue.since, document.since);
    };
    // At the leader the queue has what came before that position; here some of it may wait to be delivered.
    if (queue.needsReplay) advance();
    else this.fanOut.whenDelivered(advance);
  }

  /** Removes a queue whose document another node deleted: the queue has ended. */
  drop(queueId: string): void {
    const queue = this.byId.get(queueId);
    if (!queue) return;
    this.actors.host.stop(queueId);
    this.close(queue, 'deleted');
  }

  /** The client of a queue uses another node: its consumer here ends, and its events are dropped. */
  moveAway(queueId: string): void {
    const queue = this.byId.get(queueId);
    if (!queue) return;
    this.detach(queue, 'superseded');
    queue.suspend();
  }

  /**
   * Idle times start anew: this node takes the lead and does not know how long others have served queues.
   * @param graceMs until the other nodes have reported
   */
  touchAll(graceMs: number): void {
    const at = this.options.now() + graceMs;
    for (const queue of this.byId.values()) queue.touchedAt = at;
  }

  /** Adds a stored queue at start-up; its events are replayed at its first poll. */
  load(document: QueueDocument): void {
    const { queue_id, user_id, since, idle_timeout_ms } = document;
    const filter = this.filters.shared(document.traits);
    const queue = new EventQueue(queue_id, user_id, filter, since, idle_timeout_ms, {
      cursor: cursorBefore(since),
      now: this.options.now(),
      live: false,
    });
    this.add(queue);
  }

  /** Reverts the registration of a failed transaction. */
  discard(queue: EventQueue): void {
    this.remove(queue);
    this.actors.host.stop(queue.queueId);
    queue.close();
  }

  /**
   * The user's queue with this id; its idle time starts anew.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, also for another user's queue
   */
  find(queueId: string, userId: number): EventQueue {
    const queue = this.byId.get(queueId);
    if (!queue || queue.userId !== userId) throw badEventQueueId(queueId);
    queue.touchedAt = this.options.now();
    this.sharing?.used(queue);
    return queue;
  }

  /**
   * The user's queue that was just registered at the leader: it begins here, at the present position of this
   * node, and at that of the snapshot where its client gets one.
   * @throws ApiError `BAD_EVENT_QUEUE_ID` where it has ended already
   */
  beginHere(queueId: string, userId: number): EventQueue {
    const queue = this.find(queueId, userId);
    const { lastId } = this.journal();
    if (queue.needsReplay) queue.replayed([], lastId, lastId);
    return queue;
  }

  /**
   * Replays the events of a queue that was loaded from the store; see {@link Replay.restore}. A refusal
   * ends the queue. When the store fails, the queue stays as it was and the next request tries again.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, also when the queue ended meanwhile
   */
  async restore(queue: EventQueue, cursor: number): Promise<void> {
    while (queue.needsReplay) {
      const underWay = this.restoring.get(queue);
      if (underWay) {
        await underWay.catch(() => undefined);
        this.assertThere(queue);
        continue;
      }
      const replay = this.replay.restore(queue, cursor);
      this.restoring.set(queue, replay);
      try {
        await replay;
      } catch (error) {
        if (error instanceof ApiError) this.end(queue, 'overflow');
        throw error;
      } finally {
        this.restoring.delete(queue);
      }
      this.assertThere(queue);
    }
  }

  /** @throws ApiError `BAD_EVENT_QUEUE_ID` when the queue ended during a wait */
  private assertThere(queue: EventQueue): void {
    if (!this.has(queue)) throw badEventQueueId(queue.queueId);
  }

  /** Whether the queue still exists. */
  has(queue: EventQueue): boolean {
    return this.byId.get(queue.queueId) === queue;
  }

  /**
   * Attaches a consumer and detaches the former one (event-queues.md#two-clients). Where the queue has
   * ended or the server stops, the consumer is ended at once.
   */
  attach(queue: EventQueue, consumer: Consumer): void {
    if (!this.has(queue) || this.released) {
      consumer.end(this.released ?? 'deleted');
      return;
    }
    const former = queue.consumer;
    queue.setConsumer(consumer);
    former?.end('superseded');
    if (queue.consumer !== consumer) return;
    queue.touchedAt = this.options.now();
    this.actors.changed(queue);
  }

  /** Detaches a socket or a stream, because a poll reads the queue: the newest consumer wins. */
  supersedePush(queue: EventQueue): void {
    if (queue.consumer && queue.consumer.kind !== 'poll') this.detach(queue, 'superseded');
  }

  /** Detaches the consumer; does nothing where the queue has another one by now. */
  release(queue: EventQueue, consumer: Consumer): void {
    if (queue.consumer !== consumer) return;
    queue.setConsumer(null);
    queue.touchedAt = this.options.now();
    if (this.has(queue)) this.actors.changed(queue);
  }

  /**
   * Drops what the client of a queue has received, on the node that serves it.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`; `BAD_REQUEST` for an id that the queue never gave, where this node serves it
   */
  acknowledge(queueId: string, userId: number, id: number): void {
    const queue = this.byId.get(queueId);
    if (queue?.userId !== userId) throw badEventQueueId(queueId);
    if (!queue.consumer && this.sharing?.acknowledged(queue, id)) return;
    this.acknowledgedHere(queue, id);
  }

  /** Another node was told what the client of a queue has received; nothing where that is of no use here. */
  acknowledgedElsewhere(queueId: string, id: number): void {
    const queue = this.byId.get(queueId);
    if (queue && id <= queue.newestId) this.acknowledgedHere(queue, id);
  }

  private acknowledgedHere(queue: EventQueue, id: number): void {
    queue.touchedAt = this.options.now();
    // A queue without events in memory is read from the cursor of the next request.
    if (!queue.needsReplay && id > queue.acknowledgedId) queue.acknowledge(id);
  }

  /** Ends a queue: on its client's request, because it overflowed, or because its user lost access. */
  end(queue: EventQueue, type: 'delete' | 'overflow' | 'revoke'): void {
    if (this.has(queue)) this.actors.end(queue, type);
  }

  /** Ends all queues of a deactivated user: polls get 401, sockets close with 4003. */
  revokeAllOf(userId: number): void {
    for (const queue of [...this.fanOut.of(userId)]) this.end(queue, 'revoke');
  }

  /**
   * Closes a user's sockets and streams with 4003, because their key changed; the queues stay, and waiting polls may
   * finish (endpoints-users.md#user-administration).
   */
  closeSocketsOf(userId: number): void {
    for (const queue of this.fanOut.of(userId)) {
      if (queue.consumer && queue.consumer.kind !== 'poll') this.detach(queue, 'revoked');
    }
  }

  /** Detaches every consumer, whose clients go on elsewhere: this node does not have what is new. */
  detachAll(): void {
    for (const queue of this.byId.values()) this.detach(queue, 'draining');
  }

  /** Detaches every consumer, keeps the queues and attaches no new consumers (shutdown). */
  releaseAll(reason: EndReason): void {
    this.released = reason;
    for (const queue of this.byId.values()) {
      const { consumer } = queue;
      if (!consumer) continue;
      queue.setConsumer(null);
      consumer.end(reason);
    }
  }

  /** Counts the queues, for metrics; visits every queue. */
  census(): QueueCensus {
    return censusOf(this.byId.values());
  }

  /** Adds a durable event to the queues of its audience. */
  deliver(event: ResolvedEvent): void {
    this.fanOut.deliver(event);
  }

  /** Wakes the consumers of queues that got events. */
  wake(): void {
    this.fanOut.wake();
  }

  /**
   * Calls `then` once the queues have every event that is durable now; at once where they do, as nearly always
   * ({@link FanOut}).
   */
  whenDelivered(then: () => void): void {
    this.fanOut.whenDelivered(then);
  }

  /** Oldest journal position that a queue needs of what was delivered to it; null where none needs any. */
  oldestNeeded(): number | null {
    let oldest: number | null = null;
    for (const queue of this.byId.values()) {
      const needed = queue.oldestNeeded;
      if (needed !== null && (oldest === null || needed < oldest)) oldest = needed;
    }
    return oldest;
  }

  /** Oldest journal position that one queue may still need; `head` where it has everything up to there. */
  oldestNeededBy(queue: EventQueue, head: number): number {
    return queue.oldestNeeded ?? this.fanOut.oldestUndelivered ?? head;
  }

  /** Queues whose stored start lies before `seq`. */
  startingBefore(seq: number): EventQueue[] {
    const found: EventQueue[] = [];
    for (const queue of this.byId.values()) if (queue.since < seq) found.push(queue);
    return found;
  }

  /** Ends the queues that need entries before `seq`, which are about to be trimmed. */
  endOlderThan(seq: number): void {
    for (const queue of this.byId.values()) {
      const needed = queue.oldestNeeded;
      if (needed !== null && needed < seq) this.end(queue, 'overflow');
    }
  }

  /** The stored form of a queue. */
  document(queue: EventQueue): QueueDocument {
    return queueDocument(queue, this.actors.documentOf(queue));
  }

  /** Sends a heartbeat, because no event came during the interval (event-queues.md#heartbeat). */
  heartbeat(queue: EventQueue, consumer: Consumer): void {
    const { lastId, durableHead } = this.journal();
    // Its id is after those of all durable events, which a queue must have: it takes no smaller ones afterwards.
    this.fanOut.whenDelivered(() => {
      if (queue.consumer === consumer)
        this.sendHeartbeat(queue, consumer, lastId, endOfIds(durableHead));
    });
  }

  /** @param lastId newest id of the events that were delivered; `end`: first one of those that come next */
  private sendHeartbeat(queue: EventQueue, consumer: Consumer, lastId: number, end: number): void {
    const id = Math.max(queue.newestId, lastId) + 1;
    if (id < end) {
      consumer.heartbeat(queue.issueHeartbeat(id));
      return;
    }
    // The client's own timeout is far away, so a heartbeat that waits for one commit is in time. Without a
    // store there is no heartbeat; the client's timeout then ends its poll.
    this.ticked().then(
      () => {
        if (queue.consumer === consumer) this.heartbeat(queue, consumer);
      },
      () => undefined,
    );
  }

  /** Commits one empty entry for all queues whose heartbeats wait. */
  private ticked(): Promise<void> {
    this.ticking ??= this.options.tick().finally(() => (this.ticking = null));
    return this.ticking;
  }

  /** Effect of the queue machine: the queue ended. */
  ended(queueId: string, reason: EventQueueEnd): void {
    const queue = this.byId.get(queueId);
    if (!queue) return;
    this.close(queue, reason);
    this.options.forget(queueId);
  }

  /** Detaches and ends the consumer, if there is one; the queue stays. */
  private detach(queue: EventQueue, reason: EndReason): void {
    const { consumer } = queue;
    if (!consumer) return;
    this.release(queue, consumer);
    consumer.end(reason);
  }

  private close(queue: EventQueue, reason: EndReason): void {
    this.remove(queue);
    const { consumer } = queue;
    queue.setConsumer(null);
    consumer?.end(reason);
    queue.close();
  }

  /** Ends queues of a user until one more fits. @throws ApiError when every queue has a consumer */
  private makeRoom(userId: number): void {
    for (;;) {
      const own = this.fanOut.of(userId);
      if (own.length < MAX_QUEUES_PER_USER) return;
      let oldest: EventQueue | undefined;
      for (const queue of own) {
        if (queue.consumer || queue.heldElsewhere) continue;
        if (!oldest || queue.touchedAt < oldest.touchedAt) oldest = queue;
      }
      if (oldest) this.end(oldest, 'overflow');
      if (!oldest || this.has(oldest)) throw badRequest('Could not allocate event queue');
    }
  }

  private overflow(queue: EventQueue): void {
    this.end(queue, 'overflow');
  }

  private add(queue: EventQueue): void {
    this.byId.set(queue.queueId, queue);
    this.fanOut.admit(queue);
    this.actors.adopt(queue);
  }

  private remove(queue: EventQueue): void {
    this.byId.delete(queue.queueId);
    this.actors.forget(queue);
    this.fanOut.remove(queue);
  }
}
