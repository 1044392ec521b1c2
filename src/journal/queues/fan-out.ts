import { monotonicTime } from '../../platform/time.js';
import { setTimeout } from '../../platform/timers.js';
import { Delivery, type Recipients, type ResolvedEvent } from './delivery.js';
import type { EventQueue, EventText, QueueLimits } from './event-queue.js';
import { QueueIndex } from './queue-index.js';
import { round } from '../../turns/round.js';

/** How delivery shares the event loop. */
export interface DeliveryPace {
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Queues visited between looks at the clock. */
  readonly visits: number;
  /** Consumers woken between looks at the clock. */
  readonly wakes: number;
}

/** 256 queues take 0.03 to 0.2 ms, 16 consumers up to 0.6 ms. */
const PACE: DeliveryPace = { clock: () => monotonicTime(), visits: 256, wakes: 16 };

/** How long events are added to queues in one turn of the event loop, milliseconds. */
const DELIVER_MS = 2;
/** How long consumers are woken after that, milliseconds; a turn divides its time in the same way. */
const WAKE_MS = 2;
/**
 * Deliveries that are late by this many milliseconds get one millisecond more per turn: events that come faster
 * than they can be delivered must slow down what causes them.
 */
const LAG_PER_MS = 200;
/** Longest time for late deliveries in one turn, milliseconds, and as much for waking: nearly a round (`ROUND_MS`). */
const LATE_MS = 14;
/**
 * Once all consumers were woken, they rest for as long as that took, so that events which come faster than they are sent
 * go out together: one frame and one call into the system for several. No longer than this, milliseconds, and not at all
 * where waking took less than the shortest timer: an event that comes alone, or to few, never waits.
 */
const MAX_REST_MS = 5;
const MIN_REST_MS = 1;
/** Events that wait to be delivered; beyond it they are delivered at once, even if requests wait. */
const MAX_BACKLOG = 10_000;

/** A delivery that goes on in a later turn, or something to do once those before it are complete. */
interface Delayed {
  /** Position of the event; that of the one before it where there is none. */
  readonly seq: number;
  /** When it began to wait, by the clock of the pace. */
  readonly since: number;
  readonly delivery: Delivery | null;
  readonly then: (() => void) | null;
}

/**
 * FanOut adds events to the queues of their audience. Its cost depends on the audience and its queues that admit
 * the event, not on the number of all queues.
 *
 * An event with a large audience is delivered in slices, a few milliseconds per turn of the event loop; what
 * comes meanwhile waits behind it. So "durable" and "delivered" are different moments, and what follows holds:
 *
 * 1. Every queue gets its events in journal order: one event is delivered at a time, and the next one begins when
 *    every queue has the one before.
 * 2. A queue that exists, and is live, when an event becomes durable gets it once, unless it ends before. Users
 *    and queues keep their places while a delivery walks over them; lists are replaced and not changed.
 * 3. A queue that comes later gets no event that waits: its registration's position (`since`), or the newest id
 *    of its replay (`EventQueue.newestId`), is not before any durable event.
 * 4. `EventQueue.newestId` passes no event that the queue has yet to get. Whoever raises it, or `since`, by the
 *    journal's head (heartbeats, retention), first awaits `whenDelivered`, with the head as it was before that.
 * 5. Whoever may conclude from an empty queue that nothing has happened (a poll that does not block) awaits
 *    `whenDelivered` too.
 * 6. What waits is durable. A process that ends before it is delivered loses nothing: clients come back with the
 *    cursors of what they got, and the rest is replayed. A node that follows reports to the leader that it needs the
 *    journal from `oldestUndelivered` on.
 * 7. A consumer that is woken takes all that its queue has then: a rest before changes how many events it takes.
 * 8. The wait is bounded: late deliveries get longer slices, and no more than `MAX_BACKLOG` events wait.
 */
export class FanOut implements Recipients {
  /** Events that queues were given; an event counts for each. */
  delivered = 0;
  /** Of these, those for queues with such a consumer at that time. */
  readonly deliveredBy = { poll: 0, socket: 0, stream: 0 };
  private readonly index = new QueueIndex();
  /** In journal order; the first one is under way. */
  private readonly backlog: Delayed[] = [];
  /** Queues whose consumers wait to be woken, from `next` on. */
  private ready: EventQueue[] = [];
  private next = 0;
  private scheduled = false;
  /** How long consumers have been woken since they last rested, milliseconds. */
  private waking = 0;
  /** Until then nobody is woken, by the clock of the pace; 0: they may be. */
  private restsUntil = 0;
  /** Whether a timer ends the rest: only where somebody waits for that. */
  private restIsTimed = false;
  /** When deliveries of this turn pause; null before the first one. */
  private until: number | null = null;
  /** Queues to visit before the next look at the clock. */
  private visitsLeft = 0;
  private readonly pace: DeliveryPace;

  constructor(
    private readonly limits: QueueLimits,
    private readonly overflowed: (queue: EventQueue) => void,
    pace: Partial<DeliveryPace> = {},
  ) {
    this.pace = { ...PACE, ...pace };
  }

  /** A queue was registered or loaded. */
  admit(queue: EventQueue): void {
    this.index.add(queue);
  }

  /** A queue ended. */
  remove(queue: EventQueue): void {
    this.index.remove(queue);
  }

  /** The queues of one user. */
  of(userId: number): readonly EventQueue[] {
    return this.index.of(userId);
  }

  /** Number of queues of one user. */
  countOf(userId: number): number {
    return this.index.countOf(userId);
  }

  /** Position of the oldest event that some queue has yet to get; null where every queue has everything. */
  get oldestUndelivered(): number | null {
    return this.backlog[0]?.seq ?? null;
  }

  /**
   * Adds the event to the queues of its audience, after those before it; at once, unless this turn has had its
   * share of work. `wake` wakes their consumers.
   */
  deliver(event: ResolvedEvent): void {
    const groups = this.index.admitting(event.shared.type);
    // Nobody listens to events of this type.
    if (groups.length === 0) return;
    const delivery = new Delivery(event, groups, this);
    if (this.until === null) {
      this.until = this.pace.clock() + DELIVER_MS;
      this.visitsLeft = this.pace.visits;
    }
    if (this.backlog.length === 0 && this.proceed(delivery, this.until)) return;
    this.delay({ seq: delivery.seq, since: this.pace.clock(), delivery, then: null });
    while (this.backlog.length > MAX_BACKLOG) this.deliverOldest(Infinity);
  }

  /** Calls `then` once every queue has every event that was delivered before this call; at once where that is so. */
  whenDelivered(then: () => void): void {
    const { backlog } = this;
    if (backlog.length === 0) then();
    else
      this.delay({ seq: backlog[backlog.length - 1]!.seq, since: Infinity, delivery: null, then });
  }

  /** Wakes the consumers of all queues that got events. */
  wake(): void {
    const until = (this.until ?? this.pace.clock() + DELIVER_MS) + WAKE_MS;
    this.until = null;
    // A turn that is to come wakes them.
    if (this.scheduled || this.ready.length === 0 || this.isResting()) return;
    this.wakeUntil(until);
    this.schedule();
  }

  private delay(delayed: Delayed): void {
    this.backlog.push(delayed);
    this.schedule();
  }

  private schedule(): void {
    const mayWake = this.ready.length > 0 && !this.isResting();
    if (this.scheduled || (this.backlog.length === 0 && !mayWake)) return;
    this.scheduled = true;
    round.schedule('delivery', () => this.turn());
  }

  /**
   * A turn of the event loop: some deliveries, and some consumers that are woken, so that neither waits for the other.
   */
  private turn(): void {
    const began = this.pace.clock();
    const lag = began - (this.backlog[0]?.since ?? began);
    const late = Math.min(lag / LAG_PER_MS, LATE_MS);
    const share = round.share(2 * Math.max(DELIVER_MS, late));
    while (this.backlog.length > 0 && this.deliverOldest(began + share / 2));
    if (this.ready.length > 0 && !this.isResting()) this.wakeUntil(began + share);
    this.scheduled = false;
    this.schedule();
  }

  /** Goes on with the first of the backlog. @returns whether there is time for more */
  private deliverOldest(until: number): boolean {
    const { delivery, then } = this.backlog[0]!;
    if (delivery && !this.proceed(delivery, until)) return false;
    this.backlog.shift();
    if (!then) return true;
    then();
    return this.pace.clock() < until;
  }

  /** Goes on with a delivery. @returns whether it is complete */
  private proceed(delivery: Delivery, until: number): boolean {
    for (;;) {
      this.visitsLeft = delivery.proceed(this.visitsLeft);
      if (this.visitsLeft >= 0) return true;
      this.visitsLeft = this.pace.visits;
      if (this.pace.clock() >= until) return false;
    }
  }

  /** At least some are woken, however late it is. */
  private wakeUntil(until: number): void {
    const { ready, pace } = this;
    if (ready.length === 0) return;
    const began = pace.clock();
    let now = began;
    while (this.next < ready.length) {
      const end = Math.min(ready.length, this.next + pace.wakes);
      while (this.next < end) {
        const queue = ready[this.next++]!;
        queue.ready = false;
        queue.consumer?.wake();
      }
      now = pace.clock();
      if (this.next < ready.length && now >= until) {
        this.waking += now - began;
        return;
      }
    }
    this.ready = [];
    this.next = 0;
    const rest = Math.min(this.waking + now - began, MAX_REST_MS);
    if (rest >= MIN_REST_MS) this.restsUntil = now + rest;
    this.waking = 0;
  }

  /** Whether nobody is to be woken yet; then a timer wakes who is ready. */
  private isResting(): boolean {
    if (this.restsUntil === 0 || this.restIsTimed) return this.restIsTimed;
    const left = this.restsUntil - this.pace.clock();
    if (left <= 0) this.restsUntil = 0;
    else this.timeRest(left);
    return left > 0;
  }

  private timeRest(ms: number): void {
    this.restIsTimed = true;
    setTimeout(() => {
      this.restIsTimed = false;
      this.restsUntil = 0;
      this.schedule();
    }, ms).unref();
  }

  /** Adds an event to a queue, whose consumer is to be woken. */
  add(queue: EventQueue, text: EventText): void {
    this.delivered += 1;
    text.queues += 1;
    const { consumer } = queue;
    if (consumer) this.deliveredBy[consumer.kind] += 1;
    if (!queue.push(text, this.limits)) {
      this.overflowed(queue);
    } else if (consumer && !queue.ready) {
      queue.ready = true;
      this.ready.push(queue);
    }
  }
}
