import type { EventQueueEnd } from '../../../actors/event-queue.js';
import type { QueueDocument } from '../../../schemas/queues/queue-document.js';
import { ApiError, badEventQueueId, badRequest } from '../../errors.js';
import { cursorBefore, endOfIds } from '../entry.js';
import { EventQueue, type Consumer, type EndReason, type QueueLimits } from './event-queue.js';
import { FanOut, type ResolvedEvent } from './fan-out.js';
import type { Journal } from '../journal.js';
import type { QueueActors } from './queue-actors.js';
import { censusOf, type QueueCensus } from './queue-census.js';
import { queueDocument, QueueFilterPool } from './queue-document.js';
import type { Replay } from './replay.js';
import { isAllPublic, type QueueFilter } from './queue-filter.js';

/** What a registration asks for. */
export interface QueueRequest {
  readonly userId: number;
  readonly filter: QueueFilter;
  readonly idleTimeoutMs: number;
}

/** What the queues need of others. */
interface QueuesOptions {
  readonly limits: QueueLimits;
  readonly now: () => number;
  /** Unguessable id of a new queue. */
  readonly newId: () => string;
  /**
   * A queue ended: its document must go, in a transaction of the owner's making, later, because one
   * may be open now.
   */
  readonly forget: (queueId: string) => void;
  /** An empty entry is needed, because heartbeats used up the ids of the newest one. */
  readonly tick: () => Promise<void>;
}

/**
 * Queues of one user at most, far above what devices, bots and browser tabs need: every event to the user
 * goes to each of them, at 0.1 to 0.7 µs.
 */
export const MAX_QUEUES_PER_USER = 300;

/** All event queues of this node: registration, consumers, replay, ending. */
export class Queues {
  private readonly byId = new Map<string, EventQueue>();
  private readonly fanOut: FanOut;
  private readonly restoring = new Map<EventQueue, Promise<void>>();
  private readonly filters = new QueueFilterPool();
  /** Set when all consumers were let go: later ones are not taken. */
  private released: EndReason | null = null;
  private ticking: Promise<void> | null = null;
  private actors!: QueueActors;
  private journal!: Journal;
  private replay!: Replay;

  constructor(private readonly options: QueuesOptions) {
    this.fanOut = new FanOut(options.limits, (queue) => this.overflow(queue));
  }

  /** Connects the parts that need this object to exist first. */
  connect(parts: { actors: QueueActors; journal: Journal; replay: Replay }): void {
    this.actors = parts.actors;
    this.journal = parts.journal;
    this.replay = parts.replay;
  }

  /** How many there are. */
  get size(): number {
    return this.byId.size;
  }

  /** The queue of an id, whoever owns it. */
  get(queueId: string): EventQueue | undefined {
    return this.byId.get(queueId);
  }

  /**
   * Makes a queue that starts after the entry at `seq`, and its document. Where the user has as many as one
   * may have, the one ends that nobody reads from and that was not used for longest.
   * @throws ApiError when somebody reads from each of them
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

  /** Takes a stored queue over at start-up; its events are replayed at its first poll. */
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

  /** Takes a registration back whose transaction failed. */
  discard(queue: EventQueue): void {
    this.remove(queue);
    this.actors.host.stop(queue.queueId);
    queue.close();
  }

  /**
   * The user's queue of that id, touched: its expiry counts from now.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, also for another user's queue
   */
  find(queueId: string, userId: number): EventQueue {
    const queue = this.byId.get(queueId);
    if (!queue || queue.userId !== userId) throw badEventQueueId(queueId);
    queue.touchedAt = this.options.now();
    return queue;
  }

  /**
   * Makes a queue from before a restart usable; see {@link Replay.restore}. A refusal ends it; when
   * the store fails it stays as it was, and the next request tries again.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, also when it ended meanwhile
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

  /** @throws ApiError `BAD_EVENT_QUEUE_ID` when the queue ended while somebody waited for it */
  private assertThere(queue: EventQueue): void {
    if (!this.has(queue)) throw badEventQueueId(queue.queueId);
  }

  /** Whether the queue has not ended. */
  has(queue: EventQueue): boolean {
    return this.byId.get(queue.queueId) === queue;
  }

  /**
   * Gives the queue to a consumer; an older one is let go (event-queues.md#two-clients). Where there is
   * nothing to give, because the queue ended or the server stops, the consumer is let go at once.
   */
  attach(queue: EventQueue, consumer: Consumer): void {
    if (!this.has(queue) || this.released) {
      consumer.end(this.released ?? 'deleted');
      return;
    }
    const former = queue.consumer;
    queue.hold(consumer);
    former?.end('superseded');
    if (queue.consumer !== consumer) return;
    queue.touchedAt = this.options.now();
    this.actors.changed(queue);
  }

  /** Lets go of a socket, because a poll reads the queue: the newest consumer wins. */
  supersedeSocket(queue: EventQueue): void {
    const { consumer } = queue;
    if (consumer?.kind !== 'socket') return;
    this.release(queue, consumer);
    consumer.end('superseded');
  }

  /** The consumer is done; does nothing when the queue has another one by now. */
  release(queue: EventQueue, consumer: Consumer): void {
    if (queue.consumer !== consumer) return;
    queue.hold(null);
    queue.touchedAt = this.options.now();
    if (this.has(queue)) this.actors.changed(queue);
  }

  /** Ends a queue: at its client's wish, because it overflowed, or because its user may not read it. */
  end(queue: EventQueue, type: 'delete' | 'overflow' | 'revoke'): void {
    if (this.has(queue)) this.actors.end(queue, type);
  }

  /** Ends all queues of a user who was deactivated: polls get 401, sockets close with 4003. */
  revokeAllOf(userId: number): void {
    for (const queue of [...this.fanOut.of(userId)]) this.end(queue, 'revoke');
  }

  /**
   * Closes a user's sockets with 4003, because their key changed; the queues stay, and waiting polls may
   * finish (endpoints-users.md#user-administration).
   */
  closeSocketsOf(userId: number): void {
    for (const queue of this.fanOut.of(userId)) {
      const { consumer } = queue;
      if (consumer?.kind !== 'socket') continue;
      this.release(queue, consumer);
      consumer.end('revoked');
    }
  }

  /** Lets go of every consumer, keeping the queues, and takes no new ones (shutdown). */
  releaseAll(reason: EndReason): void {
    this.released = reason;
    for (const queue of this.byId.values()) {
      const { consumer } = queue;
      if (!consumer) continue;
      queue.hold(null);
      consumer.end(reason);
    }
  }

  /** What queues there are, for metrics: looks at each. */
  census(): QueueCensus {
    return censusOf(this.byId.values());
  }

  /** Adds a durable event to its queues. */
  deliver(event: ResolvedEvent): void {
    this.fanOut.deliver(event);
  }

  /** Wakes the consumers of queues that got events. */
  wake(): void {
    this.fanOut.wake();
  }

  /** Oldest journal position a queue may still ask for, or null when none asks for any. */
  oldestNeeded(): number | null {
    let oldest: number | null = null;
    for (const queue of this.byId.values()) {
      const needed = queue.oldestNeeded;
      if (needed !== null && (oldest === null || needed < oldest)) oldest = needed;
    }
    return oldest;
  }

  /** Queues whose stored start is before `seq`. */
  startingBefore(seq: number): EventQueue[] {
    const found: EventQueue[] = [];
    for (const queue of this.byId.values()) if (queue.since < seq) found.push(queue);
    return found;
  }

  /** Ends the queues that need entries before `seq`, which are about to be forgotten. */
  endOlderThan(seq: number): void {
    for (const queue of this.byId.values()) {
      const needed = queue.oldestNeeded;
      if (needed !== null && needed < seq) this.end(queue, 'overflow');
    }
  }

  /** Persisted form of a queue. */
  document(queue: EventQueue): QueueDocument {
    return queueDocument(queue);
  }

  /** Nothing came for a while: the consumer gets a heartbeat (event-queues.md#heartbeat). */
  heartbeat(queue: EventQueue, consumer: Consumer): void {
    const id = Math.max(queue.newestId, this.journal.lastId) + 1;
    if (id < endOfIds(this.journal.durableHead)) {
      consumer.heartbeat(queue.issueHeartbeat(id));
      return;
    }
    // The poller's own deadline is far away: a heartbeat that waits for one commit is in time. Without
    // a store there is none; the client's own time limit then ends its poll.
    this.ticked().then(
      () => {
        if (queue.consumer === consumer) this.heartbeat(queue, consumer);
      },
      () => undefined,
    );
  }

  /** One empty entry for all queues whose heartbeats wait. */
  private ticked(): Promise<void> {
    this.ticking ??= this.options.tick().finally(() => (this.ticking = null));
    return this.ticking;
  }

  /** Effect of the queue machine: the queue reached its end. */
  ended(queueId: string, reason: EventQueueEnd): void {
    const queue = this.byId.get(queueId);
    if (!queue) return;
    this.remove(queue);
    const { consumer } = queue;
    queue.hold(null);
    consumer?.end(reason);
    queue.close();
    this.options.forget(queueId);
  }

  /** Ends queues of a user until there is room for one more. @throws ApiError when all are being read */
  private makeRoom(userId: number): void {
    for (;;) {
      const own = this.fanOut.of(userId);
      if (own.length < MAX_QUEUES_PER_USER) return;
      let oldest: EventQueue | undefined;
      for (const queue of own) {
        if (queue.consumer) continue;
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
    this.fanOut.add(queue, isAllPublic(queue.filter));
    this.actors.adopt(queue);
  }

  private remove(queue: EventQueue): void {
    this.byId.delete(queue.queueId);
    this.actors.forget(queue);
    this.fanOut.remove(queue);
  }
}
