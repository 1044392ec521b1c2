import type { Organization } from '../state/organization.js';
import type { DueTime } from './active-timers.js';

/** A parsed key of the due index. */
interface ScheduledItemKey {
  readonly kind: 'scheduled_message' | 'reminder';
  readonly id: number;
}

/** Scheduled messages and reminders, by their keys in the due index. */
export class ScheduledItems {
  constructor(private readonly org: Organization) {}

  /** Number of items, failed ones included. */
  get size(): number {
    return this.org.scheduledMessages.size + this.org.reminders.size;
  }

  /** Calls `listener` with the key of every item that changes. */
  watch(listener: ((key: string) => void) | undefined): void {
    this.org.scheduledMessages.watch(listener);
    this.org.reminders.watch(listener);
  }

  /** When an item is due. */
  dueTime(key: string): DueTime {
    const item = parseKey(key);
    if (!item) return undefined;
    const { kind, id } = item;
    const { reminders, scheduledMessages } = this.org;
    const row = (kind === 'reminder' ? reminders : scheduledMessages).index.get(id);
    return row ? row.at : undefined;
  }

  /** Keys of items whose last change is not durable yet. */
  uncommittedKeys(): string[] {
    return [
      ...this.org.scheduledMessages.uncommittedKeys(),
      ...this.org.reminders.uncommittedKeys(),
    ];
  }
}

/** Null for a key of another form. */
export function parseKey(key: string): ScheduledItemKey | null {
  const [, kind, id] = /^(scheduled_message|reminder):(\d+)$/.exec(key) ?? [];
  if (kind === undefined) return null;
  return { kind: kind as ScheduledItemKey['kind'], id: Number(id) };
}
