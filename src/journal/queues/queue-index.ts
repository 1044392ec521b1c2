import type { OutsideAudience, QueueGroup } from './delivery.js';
import type { EventQueue } from './event-queue.js';
import { isAllPublic } from './queue-filter.js';

/** Queues that admit the same types of events; those of one group admit different ones (`isMixed`). */
class IndexedGroup implements QueueGroup {
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
  private readonly ofAllTypes = new IndexedGroup(null);
  /** By the types that their queues admit, in order. */
  private readonly restricted = new Map<string, IndexedGroup>();
  /** Queues whose types came when all groups were taken. */
  private readonly mixed = new IndexedGroup(null, true);
  private groups: readonly IndexedGroup[] = [this.ofAllTypes, this.mixed];

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

  private groupFor(queue: EventQueue): IndexedGroup {
    const key = keyOf(queue);
    if (key === null) return this.ofAllTypes;
    const known = this.restricted.get(key);
    if (known) return known;
    if (this.restricted.size >= MAX_GROUPS) return this.mixed;
    const group = new IndexedGroup(new Set(queue.filter.event_types));
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
