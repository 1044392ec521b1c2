import type { ScheduledState } from '../../../schemas/scheduling/scheduled-messages.js';
import type { Organization } from '../state/organization.js';
import type { ScheduleIndex, ScheduleRow } from '../state/scheduled/schedule-index.js';

/** A parsed key of the due index. */
interface ScheduledItemKey {
  readonly kind: 'scheduled_message' | 'reminder';
  readonly id: number;
}

/** The deadline of an item, milliseconds since 1970; null when its state has none, undefined when there is no item. */
export type Deadline = number | null | undefined;

/** Scheduled messages and reminders, by their keys in the due index. */
export class ScheduledItems {
  constructor(private readonly org: Organization) {}

  /** Number of items, failed ones included. */
  get size(): number {
    return this.org.scheduledMessages.size + this.org.reminders.size;
  }

  /** How many items are in each state. */
  countByState(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { index } of this.collections) {
      for (const [state, count] of Object.entries(index.countByState())) {
        counts[state] = (counts[state] ?? 0) + count;
      }
    }
    return counts;
  }

  /** Calls `listener` with the key of every item that changes. */
  watch(listener: ((key: string) => void) | undefined): void {
    for (const collection of this.collections) collection.watch(listener);
  }

  /** When an item is due. */
  deadlineOf(key: string): Deadline {
    return this.find(key, (index, id) => index.deadlineOf(id));
  }

  /** What the index has of an item. */
  rowOf(key: string): ScheduleRow | undefined {
    return this.find(key, (index, id) => index.get(id));
  }

  /** The state of an item. */
  stateOf(key: string): ScheduledState | undefined {
    return this.find(key, (index, id) => index.stateOf(id));
  }

  /** Keys of the items in these states. */
  keysIn(states: readonly ScheduledState[]): string[] {
    return this.collections.flatMap((collection) =>
      collection.index.idsIn(states).map((id) => collection.keyOf(id)),
    );
  }

  /** Number of items that wait for their time. */
  get waiting(): number {
    return this.org.scheduledMessages.index.waiting + this.org.reminders.index.waiting;
  }

  /** Keys of the items that wait for their time. */
  *waitingKeys(): Generator<string> {
    for (const collection of this.collections) {
      for (const { id } of collection.index.rows()) {
        if (typeof collection.index.deadlineOf(id) === 'number') yield collection.keyOf(id);
      }
    }
  }

  /** When those that wait are due. */
  *deadlines(): Generator<number> {
    for (const { index } of this.collections) {
      for (const { id } of index.rows()) {
        const deadline = index.deadlineOf(id);
        if (typeof deadline === 'number') yield deadline;
      }
    }
  }

  /** Keys of items whose last change is not durable yet. */
  uncommittedKeys(): string[] {
    return this.collections.flatMap((collection) => collection.uncommittedKeys());
  }

  private get collections() {
    const { scheduledMessages, reminders } = this.org;
    return [scheduledMessages, reminders] as const;
  }

  private find<T>(key: string, look: (index: ScheduleIndex, id: number) => T): T | undefined {
    const item = parseKey(key);
    if (!item) return undefined;
    const { reminders, scheduledMessages } = this.org;
    return look((item.kind === 'reminder' ? reminders : scheduledMessages).index, item.id);
  }
}

/** Null for a key of another form. */
export function parseKey(key: string): ScheduledItemKey | null {
  const [, kind, id] = /^(scheduled_message|reminder):(\d+)$/.exec(key) ?? [];
  if (kind === undefined) return null;
  return { kind: kind as ScheduledItemKey['kind'], id: Number(id) };
}
