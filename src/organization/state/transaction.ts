import type { EventType } from '../../../schemas/events.js';
import type { StoredEventData } from '../../journal/renderers/registry.js';
import type { DueChange } from '../../store/port.js';
import type { Audience, JournalEvent, SubjectReference } from '../../journal/entry.js';
import type { Organization } from './organization.js';

/** What `emit` may say beside the event itself. */
export interface EmitOptions {
  /** Ids the event takes, where some receivers get several bodies. */
  slots?: number;
  /** A document this transaction set and the event shows. */
  subject?: SubjectReference;
  /** This user's queues are served first. */
  first?: number;
}

/**
 * The unit of work: everything a handler changes and tells, as one journal entry (architecture.md#unit-of-work).
 * A handler runs without `await` between its first check and its last write, so at most
 * one transaction is open at any time, and collections record into it.
 */
export class Transaction {
  readonly events: JournalEvent[] = [];
  /** Changes of the store's due indexes, in order; of several of one id the last counts. */
  readonly due: DueChange[] = [];
  /** What is to be done once this transaction is durable, before its events go out. */
  readonly afterwards: (() => void)[] = [];

  constructor(
    readonly org: Organization,
    /** Position this transaction's entry will have. */
    readonly seq: number,
    /** Milliseconds since 1970, the same for everything this transaction does. */
    readonly now: number,
  ) {}

  /** UNIX seconds. */
  get seconds(): number {
    return Math.floor(this.now / 1000);
  }

  /**
   * Has something outside the collections done once the transaction is durable, just before its events
   * go out: ending queues, removing files. It must not throw, and is lost in a crash.
   */
  onceDurable(work: () => void): void {
    this.afterwards.push(work);
  }

  /** Has the store wake an id of a due index at a time (milliseconds since 1970), or never (null). */
  schedule(index: string, id: string, at: number | null): void {
    this.due.push({ index, id, at });
  }

  /** Announces a change; delivered once the transaction is durable. */
  emit<T extends EventType>(
    type: T,
    audience: Audience,
    data: StoredEventData<T>,
    options: EmitOptions = {},
  ): void {
    if (audience.to === 'users' && audience.users.length === 0) return;
    const { slots = 1 } = options;
    this.events.push({ ...options, type, audience, data, slots });
  }
}
