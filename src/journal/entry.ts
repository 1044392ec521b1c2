import type { MessageDocument } from '../../schemas/messages/message.js';
import type { DueChange, Write } from '../store/port.js';

/**
 * Who receives an event, resolved when the entry is made (architecture.md#audiences).
 *
 * - `all`: every queue of the organization, except those of the users named.
 * - `users`: the users named.
 * - `subscribers`: who was subscribed to the channel at the entry's position, and the users named beside
 *   them, who are not. Stored by name only, so that a message to ten thousand people costs the journal
 *   nothing per person.
 */
export type Audience =
  | { readonly to: 'all'; readonly except?: readonly number[] }
  | { readonly to: 'users'; readonly users: readonly number[] }
  | {
      readonly to: 'subscribers';
      readonly channel: number;
      readonly also?: readonly number[];
      readonly except?: readonly number[];
    };

/** What replay needs to know of channel membership; implemented by the organization. */
export interface Membership {
  /** Subscribers at this moment, as a list that does not change. */
  subscribers(channel: number): readonly number[];
  /** Whether the user was subscribed when the journal stood at `seq`. */
  wasSubscribed(userId: number, channel: number, seq: number): boolean;
}

/** Whether the audience excludes the user by name; such a user gets the event on no queue. */
export function excludes(audience: Audience, userId: number): boolean {
  return audience.to !== 'users' && (audience.except?.includes(userId) ?? false);
}

/** Whether a user belongs to an audience of the entry at `seq`; for replay. */
export function includes(
  audience: Audience,
  userId: number,
  seq: number,
  membership: Pick<Membership, 'wasSubscribed'>,
): boolean {
  if (audience.to === 'users') return audience.users.includes(userId);
  if (excludes(audience, userId)) return false;
  if (audience.to === 'all' || audience.also?.includes(userId)) return true;
  return membership.wasSubscribed(userId, audience.channel, seq);
}

/** The data of an event before a renderer adapts it to a receiver; plain JSON. */
export type EventData = Readonly<Record<string, unknown>>;

/** The collections whose documents events show, and what their documents are. */
interface SubjectDocuments {
  readonly message: MessageDocument;
}

/** A document that an event shows. */
export type SubjectDocument = SubjectDocuments[keyof SubjectDocuments];

/**
 * Names a document that the event's own entry sets. Kept once, in the entry's changes; stored as
 * `collection:id`.
 */
export interface SubjectReference {
  readonly collection: keyof SubjectDocuments;
  readonly id: number;
}

/** One event as a transaction emits it and the journal keeps it. */
export interface JournalEvent {
  readonly type: string;
  readonly audience: Audience;
  readonly data: EventData;
  /** Ids the event takes; above 1 where some receivers get several bodies (one-by-one deletions). */
  readonly slots: number;
  /** The document the event shows, such as the message of a `message` event. */
  readonly subject?: SubjectReference;
  /** This user's queues are served before the others (events.md#order). */
  readonly first?: number;
}

/** The documents and events of one transaction, which commit together. */
export interface EntryContent {
  readonly writes: readonly Write[];
  readonly events: readonly JournalEvent[];
  readonly due: readonly DueChange[];
  /** Ids that it leaves free behind its position, for heartbeats; absent: none. */
  readonly room?: number;
}

/** The position of an entry in the journal and its distance to the next entry. */
export interface Position {
  readonly seq: number;
  /** The next entry's position is `seq + span`. */
  readonly span: number;
  /** Ids taken by the entry's events. */
  readonly slots: number;
}

/** An entry that is applied to memory and not yet durable. */
export interface PendingEntry {
  readonly position: Position;
  /**
   * The writes of a large entry are folded when it is encoded: until then a document may occur in several
   * writes.
   */
  content: EntryContent;
  /** Reverts the entry in memory. */
  readonly undo: () => void;
  /** Called after `undo` where the store refused the entry for good. */
  readonly dropped: () => void;
}

/** Ids that the events of an entry take. */
export function slotsOf({ events }: Pick<EntryContent, 'events'>): number {
  let slots = 0;
  for (const event of events) slots += event.slots;
  return slots;
}

/** Positions that an entry occupies: one for each id of its events, and at least one. */
export function spanOf(content: Pick<EntryContent, 'events' | 'room'>): number {
  return Math.max(1, slotsOf(content), content.room ?? 0);
}

/**
 * EventIds says which ids the events of an entry have: the positions that the entry occupies, counted from the origin
 * (architecture.md#event-ids). So they stay below 2^31, which clients read as 32-bit integers need, although positions
 * jump. Where the origin moves, all queues of before have ended.
 */
export class EventIds {
  /** @param origin position from which ids count */
  constructor(private readonly origin: () => number = () => 0) {}

  /** Id of the first event of the entry at `seq`. */
  at(seq: number): number {
    return seq - this.origin();
  }

  /** Cursor of a queue that begins with the entry at `seq`, and so gets none of its events: their ids serve heartbeats. */
  before(seq: number): number {
    return this.at(seq) - 1;
  }

  /** The newest event id of an entry; that of its position where it has no events. */
  newestOf({ seq, span, slots }: Position): number {
    // Entries of earlier software have more ids than positions; no queue has any of them.
    return this.at(seq) + Math.max(1, Math.min(slots, span)) - 1;
  }

  /** The first id that belongs to a later entry. */
  endOf({ seq, span }: Position): number {
    return this.at(seq) + span;
  }

  /** Journal position of an event id or cursor: where its entry begins, or a later one of its positions. */
  seqOf(id: number): number {
    return id + this.origin();
  }
}

/** The document of a reference, set by the same entry. */
export function subjectOf(
  { writes }: EntryContent,
  { collection, id }: SubjectReference,
): SubjectDocument | undefined {
  const text = String(id);
  for (const write of writes) {
    if (write.op === 'set' && write.key.id === text && write.key.collection === collection) {
      return write.document as SubjectDocument;
    }
  }
  return undefined;
}

/**
 * Position of an id in an ascending list, or -1; binary search, because lists may have ten thousand
 * entries.
 */
export function placeIn(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

/** Somebody who waits for a position of the journal. */
export interface PositionWaiter {
  readonly seq: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * PositionWaiters has the callbacks that wait for positions of the journal, and calls them in the order of the
 * positions.
 */
export class PositionWaiters {
  /** Ascending by position, as nearly all come. */
  private readonly waiting: PositionWaiter[] = [];

  add(waiter: PositionWaiter): void {
    const last = this.waiting.at(-1);
    if (!last || last.seq <= waiter.seq) this.waiting.push(waiter);
    else this.waiting.splice(this.placeOf(waiter.seq + 1), 0, waiter);
  }

  /** It waits no longer. Of those that wait for the same position the first to come is the cheapest to remove. */
  remove(waiter: PositionWaiter): void {
    const place = this.waiting.indexOf(waiter, this.placeOf(waiter.seq));
    if (place !== -1) this.waiting.splice(place, 1);
  }

  /** Where the first is that waits for a position or a later one. */
  private placeOf(seq: number): number {
    let low = 0;
    let high = this.waiting.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.waiting[middle]!.seq < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Everything up to a position is there. */
  reached(seq: number): void {
    let count = 0;
    while (count < this.waiting.length && this.waiting[count]!.seq <= seq) count++;
    if (count === 0) return;
    for (const { done } of this.waiting.splice(0, count)) done();
  }

  /** Nothing more is awaited in vain: all go on. */
  release(): void {
    for (const { done } of this.waiting.splice(0)) done();
  }

  /** What they wait for does not come, or not in time. */
  fail(error: unknown): void {
    for (const { failed } of this.waiting.splice(0)) failed(error);
  }
}
