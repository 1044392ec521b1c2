import type { EventQueue } from './event-queue.js';
import { isAllPublic } from './queue-filter.js';
import { type Audience, includes, type Membership } from '../entry.js';
import type { EventText, SharedEvent } from './shared-event.js';

/** A queue of a user outside the audience, as renderers see it. */
export interface OutsideAudience {
  readonly userId: number;
  readonly queueId: string;
  readonly filter: EventQueue['filter'];
  readonly inAudience: false;
}

/** Queues that admit the same types of events; those of one group admit different ones (`isMixed`). */
export class QueueGroup {
  readonly byUser = new Map<number, readonly EventQueue[]>();
  readonly allPublic = new Map<EventQueue, OutsideAudience>();

  constructor(
    /** Null: all types. */
    private readonly types: ReadonlySet<string> | null,
    /** Whether each queue must be asked what it admits. */
    readonly isMixed = false,
  ) {}

  /** Whether queues of the group may admit a type. */
  mayAdmit(type: string): boolean {
    return this.types?.has(type) ?? true;
  }

  add(queue: EventQueue): void {
    // Lists are replaced instead of changed: one may be iterated over now, and none keeps spare capacity.
    const own = this.byUser.get(queue.userId);
    this.byUser.set(queue.userId, own ? [...own, queue] : [queue]);
    if (!isAllPublic(queue.filter)) return;
    const { userId, queueId, filter } = queue;
    this.allPublic.set(queue, { userId, queueId, filter, inAudience: false });
  }

  /** @returns false where the queue is not in this group */
  remove(queue: EventQueue): boolean {
    const own = this.byUser.get(queue.userId);
    if (!own?.includes(queue)) return false;
    this.allPublic.delete(queue);
    const rest = own.filter((one) => one !== queue);
    if (rest.length === 0) this.byUser.delete(queue.userId);
    else this.byUser.set(queue.userId, rest);
    return true;
  }
}

/**
 * Groups of queues with equal types. An event looks each addressed user up in every group that admits it, so
 * they must be few; an application registers all its queues with the same types, so few have nearly all queues.
 */
const MAX_GROUPS = 8;

/**
 * QueueIndex finds the queues of users that may admit an event. Queues that admit other types only are in other
 * groups, and cost the event nothing.
 *
 * A queue stays in its group for all its life, because a delivery may be walking through the groups.
 */
export class QueueIndex {
  private readonly ofAllTypes = new QueueGroup(null);
  /** By the types that their queues admit, in order. */
  private readonly restricted = new Map<string, QueueGroup>();
  /** Queues whose types came when all groups were taken. */
  private readonly mixed = new QueueGroup(null, true);
  private groups: readonly QueueGroup[] = [this.ofAllTypes, this.mixed];

  add(queue: EventQueue): void {
    this.groupFor(queue).add(queue);
  }

  remove(queue: EventQueue): void {
    const key = keyOf(queue);
    if (key === null) {
      this.ofAllTypes.remove(queue);
      return;
    }
    const group = this.restricted.get(key);
    if (!group?.remove(queue)) this.mixed.remove(queue);
    else if (group.byUser.size === 0) {
      this.restricted.delete(key);
      this.regroup();
    }
  }

  /** The queues of one user. */
  of(userId: number): readonly EventQueue[] {
    return this.groups.flatMap(({ byUser }) => byUser.get(userId) ?? []);
  }

  /** Number of queues of one user. */
  countOf(userId: number): number {
    let count = 0;
    for (const { byUser } of this.groups) count += byUser.get(userId)?.length ?? 0;
    return count;
  }

  /** The groups that have queues and may admit a type of events. */
  admitting(type: string): readonly QueueGroup[] {
    return this.groups.filter((group) => group.byUser.size > 0 && group.mayAdmit(type));
  }

  private groupFor(queue: EventQueue): QueueGroup {
    const key = keyOf(queue);
    if (key === null) return this.ofAllTypes;
    const known = this.restricted.get(key);
    if (known) return known;
    if (this.restricted.size >= MAX_GROUPS) return this.mixed;
    const group = new QueueGroup(new Set(queue.filter.event_types));
    this.restricted.set(key, group);
    this.regroup();
    return group;
  }

  private regroup(): void {
    this.groups = [this.ofAllTypes, ...this.restricted.values(), this.mixed];
  }
}

/** Keys by the lists they are of: equal filters are one object, whose key is made once. */
const keys = new WeakMap<readonly string[], string>();

/** Equal for queues that admit the same types; null where they admit all. */
function keyOf({ filter: { event_types: types } }: EventQueue): string | null {
  if (!types) return null;
  let key = keys.get(types);
  if (key === undefined) keys.set(types, (key = JSON.stringify([...new Set(types)].sort())));
  return key;
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

/** Adds the text of an event to a queue that is to have it. */
export interface Recipients {
  add(queue: EventQueue, text: EventText): void;
}

/**
 * Delivery is the walk of one event over the queues of its audience, which can pause after any user. Users who come
 * while it pauses may be visited or not: their queues are younger than the event and don't take it.
 */
export class Delivery {
  private readonly audience: Audience;
  private readonly first: number | undefined;
  /** The users addressed; null: all. */
  private readonly users: readonly number[] | null;
  private readonly except: ReadonlySet<number> | null;
  private begun = false;
  /** Index of the group that is being walked over: by users, and then by all-public queues. */
  private group = 0;
  private publicGroup = 0;
  /** Index of the next user. */
  private place = 0;
  private entries: IterableIterator<[number, readonly EventQueue[]]> | null = null;
  private publicEntries: IterableIterator<[EventQueue, OutsideAudience]> | null = null;

  /** @param groups those that admit the event, from before it was durable */
  constructor(
    private readonly event: ResolvedEvent,
    private readonly groups: readonly QueueGroup[],
    private readonly recipients: Recipients,
  ) {
    const { audience, first } = event.shared.event;
    this.audience = audience;
    this.first = first;
    this.users = usersOf(audience, event.subscribers);
    this.except = exceptions(audience);
  }

  /** Position of the event. */
  get seq(): number {
    return this.event.shared.seq;
  }

  /** Goes on for some visits. @returns how many of them are left; negative where the delivery is not complete */
  proceed(visits: number): number {
    if (!this.begun) this.begin();
    let left = visits;
    for (; this.group < this.groups.length; this.group++) {
      left = this.toGroup(this.groups[this.group]!, left);
      if (left < 0) return left;
      this.place = 0;
      this.entries = null;
    }
    if (!this.event.shared.isPublic || this.users === null) return left;
    for (; this.publicGroup < this.groups.length; this.publicGroup++) {
      left = this.toAllPublic(this.groups[this.publicGroup]!, left);
      if (left < 0) return left;
      this.publicEntries = null;
    }
    return left;
  }

  private begin(): void {
    this.begun = true;
    const { shared, membership } = this.event;
    const { first, audience } = this;
    if (first === undefined || !includes(audience, first, shared.seq, membership)) return;
    for (const group of this.groups) {
      const queues = group.byUser.get(first);
      if (queues) this.toQueues(group, queues);
    }
  }

  private toGroup(group: QueueGroup, visits: number): number {
    const { users, first, except } = this;
    if (users === null) return this.toAll(group, visits);
    let left = visits;
    for (let i = this.place; i < users.length; i++) {
      if (left < 0) {
        this.place = i;
        return left;
      }
      left -= 1;
      const userId = users[i]!;
      if (userId === first || except?.has(userId)) continue;
      const queues = group.byUser.get(userId);
      if (!queues) continue;
      this.toQueues(group, queues);
      left -= queues.length;
    }
    return Math.max(left, 0);
  }

  private toAll(group: QueueGroup, visits: number): number {
    const { first, except } = this;
    let left = visits;
    // An iterator that was left before its end continues from there.
    for (const [userId, queues] of (this.entries ??= group.byUser.entries())) {
      if (userId !== first && !except?.has(userId)) this.toQueues(group, queues);
      left -= queues.length;
      if (left < 0) return left;
    }
    return left;
  }

  private toAllPublic(group: QueueGroup, visits: number): number {
    const { except, audience } = this;
    const { shared, membership, guests } = this.event;
    let left = visits;
    for (const [queue, receiver] of (this.publicEntries ??= group.allPublic.entries())) {
      const { userId } = queue;
      const isListed = includes(audience, userId, shared.seq, membership);
      if (!isListed && !except?.has(userId) && !guests?.has(userId)) {
        this.toQueue(group, queue, receiver);
      }
      left -= 1;
      if (left < 0) return left;
    }
    return left;
  }

  private toQueues(group: QueueGroup, queues: readonly EventQueue[]): void {
    for (const queue of queues) this.toQueue(group, queue, queue);
  }

  private toQueue(
    group: QueueGroup,
    queue: EventQueue,
    receiver: EventQueue | OutsideAudience,
  ): void {
    const { shared } = this.event;
    // Earlier changes are part of the registration's snapshot.
    if (shared.seq <= queue.since || (group.isMixed && !queue.admits(shared.type))) return;
    const text = shared.textFor(receiver);
    if (text) this.recipients.add(queue, text);
  }
}

function usersOf(
  audience: Audience,
  subscribers: readonly number[] | null,
): readonly number[] | null {
  if (audience.to === 'all') return null;
  return audience.to === 'users' ? audience.users : subscribers!;
}

function exceptions(audience: Audience): ReadonlySet<number> | null {
  if (audience.to === 'users' || !audience.except || audience.except.length === 0) return null;
  return new Set(audience.except);
}
