import type { Organization } from '../state/organization.js';
import type { DueTime } from './active-timers.js';
import type {
  ScheduledCollection,
  ScheduledDocument,
} from '../state/scheduled/scheduled-collection.js';

/** A key of the due index, taken apart. */
export interface ScheduledItemKey {
  readonly kind: 'scheduled_message' | 'reminder';
  readonly id: number;
}

/** Everything scheduled, of all kinds, by the keys of the due index. */
export class ScheduledItems {
  constructor(private readonly org: Organization) {}

  /** How many there are, failed ones included. */
  get size(): number {
    return this.org.scheduledMessages.size + this.org.reminders.size;
  }

  /** Calls `listener` with the key of whatever changes. */
  watch(listener: ((key: string) => void) | undefined): void {
    this.org.scheduledMessages.watch(listener);
    this.org.reminders.watch(listener);
  }

  /** When the thing is due, in milliseconds since 1970. */
  dueTime(key: string): DueTime {
    const thing = parseKey(key);
    if (!thing) return undefined;
    const { kind, id } = thing;
    const row = this.collection(kind).index.get(id);
    return row ? row.at : undefined;
  }

  /** Keys of what was written and is not durable yet. */
  uncommittedKeys(): string[] {
    return [
      ...this.org.scheduledMessages.uncommittedKeys(),
      ...this.org.reminders.uncommittedKeys(),
    ];
  }

  private collection(kind: ScheduledItemKey['kind']): ScheduledCollection<ScheduledDocument> {
    const { org } = this;
    const one = kind === 'reminder' ? org.reminders : org.scheduledMessages;
    return one as unknown as ScheduledCollection<ScheduledDocument>;
  }
}

/** Null for a key that is none of ours. */
export function parseKey(key: string): ScheduledItemKey | null {
  const [, kind, id] = /^(scheduled_message|reminder):(\d+)$/.exec(key) ?? [];
  if (kind === undefined) return null;
  return { kind: kind as ScheduledItemKey['kind'], id: Number(id) };
}
