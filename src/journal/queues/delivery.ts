import {
  type Audience,
  includes,
  type JournalEvent,
  type Membership,
  type SubjectDocument,
} from '../entry.js';
import {
  plainRenderer,
  type EventRenderer,
  type EventRenderers,
  type Receiver,
  type RenderableEvent,
} from '../renderers/event-renderer.js';
import { EventText, type EventQueue } from './event-queue.js';

/** A queue of a user outside the audience, as renderers see it. */
export interface OutsideAudience {
  readonly userId: number;
  readonly queueId: string;
  readonly filter: EventQueue['filter'];
  readonly inAudience: false;
}

/** Queues that admit the same types of events, as a delivery walks over them. */
export interface QueueGroup {
  /** Lists are replaced instead of changed: a delivery may be in the middle of one. */
  readonly byUser: ReadonlyMap<number, readonly EventQueue[]>;
  readonly allPublic: ReadonlyMap<EventQueue, OutsideAudience>;
  /** Whether each queue must be asked what it admits. */
  readonly isMixed: boolean;
}

/** SharedEvent renders and serializes each variant of an event at most once. */
export class SharedEvent implements RenderableEvent {
  private readonly renderer: EventRenderer;
  private plain: EventText | undefined;
  private variants: Map<string, EventText | null> | undefined;

  constructor(
    readonly event: JournalEvent,
    readonly subject: SubjectDocument | undefined,
    /** Position of the entry. */
    readonly seq: number,
    /** Its id, the first one where some receivers get several bodies. */
    private readonly id: number,
    renderers: EventRenderers,
    /** When it happened, seconds since 1970; default: now. */
    private readonly madeAt?: number,
  ) {
    this.renderer = renderers.get(event.type) ?? plainRenderer;
  }

  /** The type on the wire. */
  get type(): string {
    return this.event.type;
  }

  get data(): JournalEvent['data'] {
    return this.event.data;
  }

  /** Newest id that any of its texts may have. */
  get lastId(): number {
    return this.id + this.event.slots - 1;
  }

  /** Whether all-public queues of users outside the audience may get it (messages of public channels). */
  get isPublic(): boolean {
    return this.event.data.public === true;
  }

  /** The text for a receiver; null where the event is not for this queue. */
  textFor(receiver: Receiver): EventText | null {
    if (this.renderer === plainRenderer) return (this.plain ??= this.serialize('')!);
    const key = this.renderer.variant(this, receiver);
    if (key === null) return null;
    this.variants ??= new Map();
    let text = this.variants.get(key);
    if (text === undefined) this.variants.set(key, (text = this.serialize(key)));
    return text;
  }

  /** The texts that were made so far, by the names that its renderer gives variants. */
  get made(): [variant: string, text: EventText][] {
    if (this.plain) return [['', this.plain]];
    return [...(this.variants ?? [])].filter((one): one is [string, EventText] => one[1] !== null);
  }

  /** Null for a variant without bodies. */
  private serialize(variant: string): EventText | null {
    const bodies = this.renderer.bodies(this, variant);
    if (bodies.length === 0) return null;
    const { id: first } = this;
    const parts = bodies.map((body, index) => JSON.stringify({ ...body, id: first + index }));
    const { seq, madeAt } = this;
    return new EventText(first + bodies.length - 1, parts.join(), seq, first, madeAt);
  }
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
