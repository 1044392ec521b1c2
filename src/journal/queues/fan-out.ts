import type { Audience } from '../entry.js';
import { includes, type Membership } from './audience.js';
import type { EventQueue, QueueLimits } from './event-queue.js';
import type { SharedEvent } from './shared-event.js';

/** A queue of a user outside the audience, as renderers see it. */
interface OutsideAudience {
  readonly userId: number;
  readonly queueId: string;
  readonly filter: EventQueue['filter'];
  readonly inAudience: false;
}

/** An event with the recipients that its audience had when its transaction ended. */
export interface ResolvedEvent {
  readonly shared: SharedEvent;
  /** For the audience `subscribers`: their ids. */
  readonly subscribers: readonly number[] | null;
  /** Says the same as `subscribers`, of one user, at no cost per subscriber. */
  readonly membership: EventMembership;
  /** Guests: they do not see public channels that they are not subscribed to. */
  readonly guests?: ReadonlySet<number>;
}

/** Who was subscribed to a channel when the journal stood at a position. */
export type EventMembership = Pick<Membership, 'wasSubscribed'>;

/** Consumers woken before other connections are served again, in a large fan-out. */
const WAKES_PER_SLICE = 512;

/**
 * FanOut adds events to the queues of their audience. Its cost depends on the audience and its queues, not
 * on the number of all queues.
 */
export class FanOut {
  private readonly byUser = new Map<number, readonly EventQueue[]>();
  private readonly allPublic = new Map<EventQueue, OutsideAudience>();
  /** Queues whose consumers wait to be woken, from `next` on. */
  private ready: EventQueue[] = [];
  private next = 0;
  private waking = false;

  constructor(
    private readonly limits: QueueLimits,
    private readonly overflowed: (queue: EventQueue) => void,
  ) {}

  add(queue: EventQueue, isAllPublic: boolean): void {
    // Lists are replaced instead of changed: one may be iterated over now, and none keeps spare capacity.
    const own = this.byUser.get(queue.userId);
    this.byUser.set(queue.userId, own ? [...own, queue] : [queue]);
    if (!isAllPublic) return;
    const { userId, queueId, filter } = queue;
    this.allPublic.set(queue, { userId, queueId, filter, inAudience: false });
  }

  remove(queue: EventQueue): void {
    this.allPublic.delete(queue);
    const own = this.byUser.get(queue.userId);
    if (!own) return;
    const rest = own.filter((one) => one !== queue);
    if (rest.length === 0) this.byUser.delete(queue.userId);
    else this.byUser.set(queue.userId, rest);
  }

  /** The queues of one user. */
  of(userId: number): readonly EventQueue[] {
    return this.byUser.get(userId) ?? [];
  }

  /** Adds the event to the queues of its audience; `wake` wakes their consumers. */
  deliver(event: ResolvedEvent): void {
    const { shared, subscribers } = event;
    const { audience, first } = shared.event;
    const except = exceptions(audience);
    if (first !== undefined) this.deliverFirst(event, first);
    if (audience.to === 'all') {
      for (const [userId, queues] of this.byUser) {
        if (userId !== first && !except?.has(userId)) this.pushAll(queues, shared);
      }
    } else {
      for (const userId of audience.to === 'users' ? audience.users : subscribers!) {
        if (userId === first || except?.has(userId)) continue;
        const queues = this.byUser.get(userId);
        if (queues) this.pushAll(queues, shared);
      }
    }
    if (shared.isPublic && this.allPublic.size > 0) this.deliverToAllPublic(event, except);
  }

  /** Wakes the consumers of all queues that got events. */
  wake(): void {
    if (this.waking) return;
    const end = Math.min(this.ready.length, this.next + WAKES_PER_SLICE);
    while (this.next < end) {
      const queue = this.ready[this.next++]!;
      queue.ready = false;
      queue.consumer?.wake();
    }
    if (this.next === this.ready.length) {
      this.ready = [];
      this.next = 0;
      return;
    }
    this.waking = true;
    setImmediate(() => {
      this.waking = false;
      this.wake();
    });
  }

  private deliverFirst({ shared, membership }: ResolvedEvent, first: number): void {
    const queues = this.byUser.get(first);
    if (!queues) return;
    if (includes(shared.event.audience, first, shared.seq, membership)) {
      this.pushAll(queues, shared);
    }
  }

  private deliverToAllPublic(
    { shared, membership, guests }: ResolvedEvent,
    except: ReadonlySet<number> | null,
  ): void {
    const { audience } = shared.event;
    if (audience.to === 'all') return;
    const isListed = listing(audience, shared.seq, membership);
    for (const [queue, receiver] of this.allPublic) {
      const { userId } = queue;
      if (isListed(userId) || except?.has(userId) || guests?.has(userId)) continue;
      this.push(queue, shared, receiver);
    }
  }

  private pushAll(queues: readonly EventQueue[], shared: SharedEvent): void {
    for (const queue of queues) this.push(queue, shared, queue);
  }

  private push(
    queue: EventQueue,
    shared: SharedEvent,
    receiver: EventQueue | OutsideAudience,
  ): void {
    // Earlier changes are part of the registration's snapshot.
    if (shared.seq <= queue.since || !queue.admits(shared.type)) return;
    const text = shared.textFor(receiver);
    if (!text) return;
    if (!queue.push(text, this.limits)) {
      this.overflowed(queue);
    } else if (queue.consumer && !queue.ready) {
      queue.ready = true;
      this.ready.push(queue);
    }
  }
}

function exceptions(audience: Audience): ReadonlySet<number> | null {
  if (audience.to === 'users' || !audience.except || audience.except.length === 0) return null;
  return new Set(audience.except);
}

/** Asks of many users whether an audience includes them. */
function listing(
  audience: Audience,
  seq: number,
  membership: EventMembership,
): (userId: number) => boolean {
  if (audience.to !== 'users') return (userId) => includes(audience, userId, seq, membership);
  const users = new Set(audience.users);
  return (userId) => users.has(userId);
}
