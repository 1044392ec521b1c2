import type { ActorSnapshot } from '../../../actors/host.js';
import {
  compactContext,
  EVENT_QUEUE,
  hasQueueEnded,
  resumedQueue,
  type EventQueueContext,
  type EventQueueEnd,
} from '../../../actors/event-queue.js';
import type { QueueDocument } from '../../../schemas/queues/register.js';
import { storedTime } from '../../../schemas/store/stored-time.js';
import { ApiError, badEventQueueId, badRequest } from '../../errors/index.js';
import type { EventIds } from '../entry.js';
import { inStretches } from '../../turns/event-loop-yield.js';
import { inNextRound } from '../../turns/next-round.js';
import { Consumers, QueueActors, type QueueActorsOptions } from './queue-actors.js';
import { EventQueue, type EndReason, type QueueLimits } from './event-queue.js';
import { FanOut, type DeliveryPace } from './fan-out.js';
import { Heartbeats, type HeartbeatOptions } from './heartbeats.js';
import type { Replay } from './replay.js';
import { QueueFilterPool, type QueueFilter } from './queue-filter.js';
import { accountOf, type Account } from '../../turns/fair-queue.js';
import { inBackground } from '../../turns/background.js';

/** The parameters of a registration. */
export interface QueueRequest {
  readonly userId: number;
  readonly filter: QueueFilter;
  readonly idleTimeoutMs: number;
}

/** Dependencies of the queues, which make their actors and heartbeats themselves. */
interface QueuesOptions extends QueueActorsOptions, Omit<HeartbeatOptions, 'ids'> {
  readonly limits: QueueLimits;
  /** Unguessable id of a new queue. */
  readonly newId: () => string;
  readonly replay: Replay;
  /** Number of the organization at this process; default 0. */
  readonly organization?: number;
  /** Milliseconds since 1970, for what is stored. */
  readonly wall: () => number;
  /** Keeps a queue's document in the transaction that is open. @param undo where that is reverted */
  readonly keep: (document: QueueDocument, undo: () => void) => void;
  /**
   * Deletes the document of a queue that ended, later in a transaction of its own, because one may be open
   * now.
   */
  readonly forget: (queueId: string) => void;
  /** How delivery shares the event loop; default: see {@link FanOut}. */
  readonly pace?: Partial<DeliveryPace>;
}

/** What other nodes learn of the use of queues on this one; nothing where there are none. */
export interface QueueSharing {
  /** Whether other nodes serve queues now. */
  readonly hasOthers: boolean;
  /** How many follow this one and told so lately. */
  readonly followers: number;
  /** A request of its client uses the queue on this node. */
  used(queue: EventQueue): void;
  /**
   * A client says at this node what it has received, and this node has no consumer of the queue.
   * @returns whether it is passed on to the node that serves the queue
   */
  acknowledged(queue: EventQueue, id: number): boolean;
  /** Whether another node serves the queue, as far as this one knows. */
  isElsewhere(queue: EventQueue): boolean;
}

/**
 * Most queues per user, far above what devices, bots and browser tabs need: every event for the user is
 * added to each of them, 0.1 to 0.7 µs each.
 */
export const MAX_QUEUES_PER_USER = 300;

/** Names of programs remembered. At the bound all are forgotten, which costs nothing but memory. */
const MAX_CLIENTS = 1000;

/** Queues has the event queues of this node: it registers, loads, finds, restores and ends them. */
export class Queues {
  /** Delivers events to the queues, and knows which of them every queue has. */
  readonly fanOut: FanOut;
  readonly actors: QueueActors;
  /** Ids of events and cursors. */
  readonly ids: EventIds;
  readonly heartbeats: Heartbeats;
  readonly consumers: Consumers;
  private readonly byId = new Map<string, EventQueue>();
  private readonly restoring = new Map<EventQueue, Promise<void>>();
  private readonly filters = new QueueFilterPool();
  private readonly clients = new Map<string, string>();
  private sharing: QueueSharing | null = null;
  /** Until then the use of queues is assumed and not known: they were loaded, or another node led. */
  private assumedAt = -Infinity;
  /**
   * Called when a queue that takes messages has ended.
   * @param unusedMs how long ago its client used it, as far as that is known; else infinite
   * @param expired whether nobody had used it for so long
   */
  onLost: (userId: number, unusedMs: number, expired: boolean) => void = () => undefined;

  constructor(private readonly options: QueuesOptions) {
    this.ids = options.replay.ids;
    this.fanOut = new FanOut(options.limits, (queue) => this.overflowed(queue), options.pace);
    this.heartbeats = new Heartbeats(this.fanOut, { ...options, ids: this.ids });
    const ofActors = {
      get: (queueId: string) => this.get(queueId),
      put: (next: ActorSnapshot<EventQueueContext>, durable: boolean) => this.keep(next, durable),
      ended: (last: ActorSnapshot<EventQueueContext>) => this.ended(last),
    };
    this.actors = new QueueActors(ofActors, this.heartbeats, options);
    this.consumers = new Consumers(this.actors, options.clock);
  }

  /** Other nodes serve the same queues from now on. */
  shareWith(sharing: QueueSharing): void {
    this.sharing = sharing;
  }

  /** How many nodes follow this one. */
  get followers(): number {
    return this.sharing?.followers ?? 0;
  }

  /** Whether other nodes may have served a queue of this one. */
  get isShared(): boolean {
    return this.sharing?.hasOthers ?? false;
  }

  /** Notes which program registered a queue; equal names are one text. */
  nameClient(queue: EventQueue, name: string): void {
    if (this.clients.size >= MAX_CLIENTS) this.clients.clear();
    if (!this.clients.has(name)) this.clients.set(name, name);
    queue.client = this.clients.get(name)!;
  }

  /** Whether another node serves the queue, as far as this one knows. */
  isElsewhere(queue: EventQueue): boolean {
    return this.sharing?.isElsewhere(queue) ?? false;
  }

  /** Number of queues. */
  get size(): number {
    return this.byId.size;
  }

  /** Queues by the state of their actors. One that has ended is here no longer. */
  countByState(): Record<string, number> {
    return { live: this.byId.size };
  }

  /** On whose account turns of a queue's consumers are. */
  accountOf({ userId }: EventQueue): Account {
    return accountOf(this.options.organization ?? 0, userId);
  }

  /** The queue with this id, whatever its owner. */
  get(queueId: string): EventQueue | undefined {
    return this.byId.get(queueId);
  }

  /**
   * Creates a queue that starts after the entry at `seq`, and its document, in the transaction that is open. A user at
   * the limit loses the queue without a consumer that was unused for longest.
   * @throws ApiError when every queue of the user has a consumer
   */
  create({ userId, filter, idleTimeoutMs }: QueueRequest, seq: number): EventQueue {
    this.makeRoom(userId);
    const queue_id = this.options.newId();
    this.actors.begin({
      queue_id,
      user_id: userId,
      since: seq,
      idle_timeout_ms: idleTimeoutMs,
      traits: this.filters.shared(filter) as EventQueueContext['traits'],
    });
    return this.byId.get(queue_id)!;
  }

  /** Keeps what a queue's actor decided: the snapshot here, and the document where that must follow. */
  private keep(next: ActorSnapshot<EventQueueContext>, durable: boolean): void {
    const { queue_id, since } = next.context;
    const queue = this.byId.get(queue_id);
    if (queue) {
      const { since: former } = queue;
      queue.snapshot = compact(next);
      // Nothing else that is stored changes: what the actor decided since stays.
      if (durable) this.options.keep(this.document(queue), () => beginAt(queue, former));
      return;
    }
    const cursor = this.ids.before(since);
    const now = this.options.clock.now();
    const begun = new EventQueue(compact(next), { cursor, now, live: true });
    this.add(begun);
    this.options.keep(this.document(begun), () => this.drop(queue_id));
  }

  /** Adds or updates a queue whose document another node wrote. */
  put(document: QueueDocument): void {
    const queue = this.byId.get(document.context.queue_id);
    if (!queue) {
      this.load(document);
      return;
    }
    const advance = (): void => beginAt(queue, Math.max(queue.since, document.context.since));
    // At the leader the queue has what came before that position; here some of it may wait to be delivered.
    if (queue.needsReplay) advance();
    else this.fanOut.whenDelivered(advance);
  }

  /**
   * Ends a queue whose document is gone: another node deleted it, or the registration was taken back. Nobody is to be told
   * of that, nor to delete it.
   */
  drop(queueId: string): void {
    const queue = this.byId.get(queueId);
    if (!queue) return;
    queue.hasDocument = false;
    this.end(queue, 'delete');
  }

  /** The client of a queue uses another node: its consumer here ends, and its events are dropped. */
  moveAway(queueId: string): void {
    const queue = this.byId.get(queueId);
    if (!queue) return;
    this.consumers.detach(queue, 'superseded');
    queue.suspend();
  }

  /**
   * Idle times start anew: this node takes the lead and does not know how long others have served queues.
   * @param graceMs until the other nodes have reported
   */
  touchAll(graceMs: number): void {
    const at = this.options.clock.now() + graceMs;
    this.assumedAt = at;
    for (const queue of this.byId.values()) queue.touchedAt = at;
  }

  /**
   * Adds a stored queue at start-up; its events are replayed at its first poll.
   * @param now when it was used last, by the clock of the queues
   * @returns false for a queue that has ended, or expired meanwhile, whose document is left
   * @throws ActorRestoreError for a snapshot that is not one of the machine
   */
  load(document: QueueDocument, now = this.options.clock.now()): boolean {
    const { queue_id, since } = document.context;
    this.assumedAt = Math.max(this.assumedAt, this.options.clock.now());
    const context = resumedQueue(document.context, now);
    context.traits = this.filters.shared(context.traits) as EventQueueContext['traits'];
    if (context.deadline <= this.options.clock.now()) return false;
    const snapshot = compact({ ...document, context });
    this.actors.host.restore(queue_id, snapshot);
    if (hasQueueEnded(document)) return false;
    this.add(new EventQueue(snapshot, { cursor: this.ids.before(since), now, live: false }));
    return true;
  }

  /**
   * The user's queue with this id; its idle time starts anew.
   * @throws ApiError `BAD_EVENT_QUEUE_ID`, also for another user's queue
   */
  find(queueId: string, userId: number): EventQueue {
    const queue = this.byId.get(queueId);
    if (!queue) throw badEventQueueId(queueId);
    this.use(queue, userId);
    return queue;
  }

  /** As `find` for a queue that is at hand. @throws ApiError `BAD_EVENT_QUEUE_ID` for another user's queue */
  use(queue: EventQueue, userId: number): void {
    if (queue.userId !== userId) throw badEventQueueId(queue.queueId);
    queue.touchedAt = this.options.clock.now();
    queue.usedAt = queue.touchedAt;
    this.sharing?.used(queue);
  }

  /**
   * The user's queue that was just registered at the leader: it begins here, at the present position of this
   * node, and at that of the snapshot where its client gets one.
   * @throws ApiError `BAD_EVENT_QUEUE_ID` where it has ended already
   */
  beginHere(queueId: string, userId: number): EventQueue {
    const queue = this.find(queueId, userId);
    const newest = this.ids.newestOf(this.options.journal().durableHead);
    if (queue.needsReplay) queue.replayed([], newest, newest);
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
      const replay = this.options.replay.restore(queue, cursor);
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
    if (queue.hasEnded) throw badEventQueueId(queue.queueId);
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

  /** Applies an acknowledgement that a client sent to another node; does nothing where the queue is not here. */
  acknowledgedElsewhere(queueId: string, id: number): void {
    const queue = this.byId.get(queueId);
    if (queue && id <= queue.newestId) this.acknowledgedHere(queue, id);
  }

  private acknowledgedHere(queue: EventQueue, id: number): void {
    queue.touchedAt = this.options.clock.now();
    // A queue without events in memory is read from the cursor of the next request.
    if (!queue.needsReplay && id > queue.acknowledgedId) queue.acknowledge(id);
  }

  /** Ends a queue: on its client's request, because it overflowed, or because its user lost access. */
  end(queue: EventQueue, type: 'delete' | 'overflow' | 'revoke'): void {
    this.actors.end(queue, type);
  }

  /**
   * A queue has more events than it may. It ends, unless its client may have gone on at another node, which could not tell
   * yet: then its events are dropped, and who waits here is to come back, as the queue lives: it ends when its client comes
   * and has missed as many, or does not come.
   */
  private overflowed(queue: EventQueue): void {
    if (!this.isShared) {
      this.end(queue, 'overflow');
      return;
    }
    this.consumers.detach(queue, 'draining');
    queue.suspend();
  }

  /**
   * Whether a client of the user takes messages: one holds a queue for them, on any node, or used it within some time.
   * On the leader, to which the other nodes report.
   */
  isAttended(userId: number, withinMs: number): boolean {
    const since = this.options.clock.now() - withinMs;
    return this.fanOut.of(userId).some((queue) => {
      if (!queue.admits('message')) return false;
      return queue.consumer !== null || queue.heldElsewhere || queue.touchedAt >= since;
    });
  }

  /**
   * How long ago a client that takes messages for the user used its queue, milliseconds; 0 while one holds it, infinite
   * where that is not known. On the leader.
   */
  unusedFor(userId: number): number {
    let least = Infinity;
    for (const queue of this.fanOut.of(userId)) {
      if (queue.admits('message')) least = Math.min(least, this.unused(queue));
    }
    return least;
  }

  private unused({ consumer, heldElsewhere, touchedAt }: EventQueue): number {
    if (consumer !== null || heldElsewhere) return 0;
    return touchedAt > this.assumedAt ? this.options.clock.now() - touchedAt : Infinity;
  }

  /** The queues of a user. */
  of(userId: number): readonly EventQueue[] {
    return this.fanOut.of(userId);
  }

  /** Ends all queues of a deactivated user: polls get 401, sockets close with 4003. */
  revokeAllOf(userId: number): void {
    for (const queue of [...this.fanOut.of(userId)]) this.end(queue, 'revoke');
  }

  /**
   * Ends all queues, because the organization was deactivated, once they have the events that are durable now: polls
   * get 401, sockets close with 4003. In stretches, so that requests are refused in between.
   */
  revokeAll(): void {
    // The caller learns that an entry is durable before its events are delivered.
    inNextRound(() => {
      this.fanOut.whenDelivered(() => {
        inBackground(
          () => inStretches([...this.byId.values()], (one) => this.revoke(one)),
          (error) => this.options.onError('', error),
        );
      });
    });
  }

  private revoke(queue: EventQueue): void {
    this.consumers.detach(queue, 'organization_deactivated');
    this.end(queue, 'revoke');
  }

  /**
   * Closes a user's sockets and streams with 4003, because their key changed, and answers waiting polls, whose clients
   * learn it from the next one (endpoints-users.md#user-administration); the queues stay.
   */
  closeSocketsOf(userId: number): void {
    for (const queue of this.fanOut.of(userId)) {
      // What happens from now on is for nobody who has the former key alone.
      const isPoll = queue.consumer?.kind === 'poll';
      this.consumers.detach(queue, isPoll ? 'draining' : 'revoked');
    }
  }

  /**
   * Closes a user's streams and sockets, and answers their waiting polls, so that their clients come back at once: one of
   * the user's sessions has ended, and its client is then refused.
   */
  renewPushOf(userId: number): void {
    for (const queue of this.fanOut.of(userId)) this.consumers.detach(queue, 'draining');
  }

  /** Detaches every consumer, whose clients go on elsewhere: this node does not have what is new. */
  detachAll(): void {
    for (const queue of this.byId.values()) this.consumers.detach(queue, 'draining');
  }

  /** Detaches every consumer, keeps the queues and attaches no new consumers (shutdown). */
  releaseAll(reason: EndReason): void {
    this.consumers.releaseAll(this.byId.values(), reason);
  }

  /** All queues of this node. */
  all(): Iterable<EventQueue> {
    return this.byId.values();
  }

  /** Oldest journal position that one queue may still need; `head` where it has everything up to there. */
  oldestNeededBy(queue: EventQueue, head: number): number {
    return queue.oldestNeeded ?? this.fanOut.oldestUndelivered ?? head;
  }

  /** The client of a queue has everything up to a journal position; in the transaction that is open. */
  beginLater(queue: EventQueue, since: number): void {
    this.actors.beginLater(queue, since);
  }

  /** The stored form of a queue: the snapshot of its actor without the deadline, which ends with the process. */
  document({ snapshot: { context, ...state } }: EventQueue): QueueDocument {
    const { deadline: _, ...stored } = context;
    return { ...state, context: stored } as QueueDocument;
  }

  /** The snapshot of a queue's actor as people are shown it: with the deadline by the wall clock. */
  shown({ snapshot }: EventQueue): ActorSnapshot<EventQueueContext> {
    const { context } = snapshot;
    const { clock, wall } = this.options;
    const deadline = storedTime(wall(), context.deadline - clock.now());
    return { ...snapshot, context: { ...context, deadline } };
  }

  /** The end of a queue, whatever ended it: its actor has come to a final state. */
  private ended(last: ActorSnapshot<EventQueueContext>): void {
    const { queue_id: queueId } = last.context;
    const queue = this.byId.get(queueId);
    if (!queue) return;
    const reason = last.value as EventQueueEnd;
    const unusedMs = this.unused(queue);
    queue.snapshot = compact(last);
    this.byId.delete(queueId);
    this.fanOut.remove(queue);
    this.consumers.end(queue, reason);
    queue.suspend();
    if (!queue.hasDocument) return;
    if (queue.admits('message')) this.onLost(queue.userId, unusedMs, reason === 'expired');
    this.options.forget(queueId);
  }

  /** Ends queues of a user until one more fits. @throws ApiError when every queue has a consumer */
  private makeRoom(userId: number): void {
    while (this.fanOut.countOf(userId) >= MAX_QUEUES_PER_USER) {
      let oldest: EventQueue | undefined;
      for (const queue of this.fanOut.of(userId)) {
        if (queue.consumer || queue.heldElsewhere) continue;
        if (!oldest || queue.touchedAt < oldest.touchedAt) oldest = queue;
      }
      if (oldest) this.end(oldest, 'overflow');
      if (!oldest?.hasEnded) throw badRequest('Could not allocate event queue');
    }
  }

  private add(queue: EventQueue): void {
    this.byId.set(queue.queueId, queue);
    this.fanOut.admit(queue);
  }
}

/** Moves the position from which on a queue has events: what another node decided, or what was taken back. */
function beginAt(queue: EventQueue, since: number): void {
  const { snapshot } = queue;
  queue.snapshot = compact({ ...snapshot, context: { ...snapshot.context, since } });
}

/** A snapshot as it is kept for each queue, of which there may be a hundred thousand. */
function compact({
  machine,
  version,
  value,
  context,
}: ActorSnapshot<EventQueueContext>): ActorSnapshot<EventQueueContext> {
  // A name that was read with a document is a text of its own.
  const name = machine === EVENT_QUEUE ? EVENT_QUEUE : machine;
  return { machine: name, version, value, context: compactContext(context) };
}
