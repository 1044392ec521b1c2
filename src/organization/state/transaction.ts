import type { EventType } from '../../../schemas/events.js';
import type { StoredEventData } from '../../journal/renderers/registry.js';
import type { DueChange } from '../../store/port.js';
import { type Audience, type JournalEvent, type SubjectReference } from '../../journal/entry.js';
import type { AuditChange } from '../../../schemas/realm/audit-log.js';
import { SERVER, type Actor } from './audited.js';
import type { Organization } from './organization.js';
import { Hooks } from './hooks.js';

/** Options of `emit`. */
export interface EmitOptions {
  /** Ids the event takes, where some receivers get several bodies. */
  slots?: number;
  /** A document this transaction set and the event shows. */
  subject?: SubjectReference;
  /** This user's queues are served first. */
  first?: number;
}

const NOBODY: ReadonlySet<number> = new Set();

/**
 * Transaction has everything that a handler changes and emits, as one journal entry
 * (architecture.md#unit-of-work). A handler runs without `await` between its first check and its last
 * write, so at most one transaction is open at any time, and collections record into it.
 */
export class Transaction {
  readonly events: JournalEvent[] = [];
  /** What the audit log tells of it besides the documents that changed. */
  readonly deeds: AuditChange[] = [];
  /** Changes of the store's due indexes, in order; the last one of an id counts. */
  readonly due: DueChange[] = [];
  /** Work to run once this transaction is durable, before its events are delivered. */
  readonly afterwards: (() => void)[] = [];
  /** Work to run where the store refuses this transaction for good, once memory was reverted. */
  readonly takenBack: (() => void)[] = [];
  /** See `withoutQueues`; null for nearly all transactions. */
  private ending: Set<number> | null = null;
  /** How long the commit may be deferred, milliseconds; 0: the reply waits for it. */
  deferMs = 0;

  constructor(
    readonly org: Organization,
    /** Position this transaction's entry will have. */
    readonly seq: number,
    /** Milliseconds since 1970, the same for everything this transaction does. */
    readonly now: number,
    readonly actor: Actor = SERVER,
    readonly hooks = new Hooks(),
  ) {}

  /** UNIX seconds. */
  get seconds(): number {
    return Math.floor(this.now / 1000);
  }

  /**
   * Runs work outside the collections once the transaction is durable, just before its events are
   * delivered, such as ending queues or removing files. It must not throw, and a crash loses it.
   */
  onceDurable(work: () => void): void {
    this.afterwards.push(work);
  }

  /**
   * Runs work outside the collections where the store refused the transaction for good, so that nobody will have what it
   * changed, such as removing files that were stored for it. It must not throw, and a crash loses it.
   */
  onceTakenBack(work: () => void): void {
    this.takenBack.push(work);
  }

  /**
   * Ends the queues that a user has now, so that their clients get `BAD_EVENT_QUEUE_ID` and register again: where what
   * they know has changed by more than one transaction can tell them. The queues' documents are deleted by this
   * transaction.
   */
  endQueuesOf(userId: number): void {
    (this.ending ??= new Set()).add(userId);
  }

  /** Users whose queues end with this transaction. */
  get withoutQueues(): ReadonlySet<number> {
    return this.ending ?? NOBODY;
  }

  /**
   * Lets this transaction wait for others to share a commit with, while its caller is answered at once and all
   * may read what it changed. A crash within the time loses it: only for what nobody would miss
   * (architecture.md#deferred).
   * @param ms at most
   */
  defer(ms: number): void {
    this.deferMs = ms;
  }

  /**
   * Schedules an id of a due index for a time (milliseconds since 1970), or unschedules it (null).
   * @param was a time at which the index has it and should not, where it is made anew
   */
  schedule(index: string, id: string, at: number | null, was?: number): void {
    this.due.push(was === undefined ? { index, id, at } : { index, id, at, was });
  }

  /** Emits an event, which is delivered once the transaction is durable. */
  emit<T extends EventType>(
    type: T,
    audience: Audience,
    data: StoredEventData<T>,
    options: EmitOptions = {},
  ): void {
    if (audience.to === 'users' && audience.users.length === 0) return;
    const { slots = 1, subject, first } = options;
    this.events.push({ type, audience, data, slots, subject, first });
  }
}
