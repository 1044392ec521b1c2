import type { CancelTimer, Clock } from '../../../actors/clock.js';
import type { Deadlines, DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { LATE_DELIVERY_MINUTES } from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { isOutage, type Store } from '../../store/port.js';
import type { Runtime } from '../state/runtime.js';
import { countDifferences, dueDifferences } from './due-comparison.js';
import { DeliveryWorker } from './delivery-worker.js';
import { DueSoon, LOOK_AHEAD_MS, MAX_SOON } from './due-soon.js';
import { earliest, NOW } from '../state/scheduled/next-due.js';
import { DELIVERY_INDEX } from '../state/scheduled/scheduled-collection.js';
import { parseKey, ScheduledItems } from './scheduled-items.js';

/** Dependencies of {@link Scheduler}. */
export interface SchedulerOptions {
  readonly runtime: Runtime;
  readonly store: Pick<Store, 'due' | 'scanDue'>;
  readonly markdown: Markdown;
  readonly clock: Clock;
  /** By the wall clock. */
  readonly wheel: Pick<DeadlineWheel, 'keySet'>;
  /** Receives errors that no client gets. */
  readonly onError: (key: string, error: unknown) => void;
  /** Told how many items the due index had otherwise than their documents, once it was made anew. */
  readonly remade: (counts: ReturnType<typeof countDifferences>) => void;
  /** A message later than this is not sent. Milliseconds. */
  readonly lateLimitMs?: number;
}

/** Pause between two reads of the due index at least. */
const REFILL_MS = 500;
/** Pause until an item that could be neither read nor ended is tried again. */
const STUCK_MS = 60_000;
/** Below this number of items, more of a backlog are armed. */
const FEW = MAX_SOON / 2;
/** Items that are put in their place in the due index together. */
const REMADE_TOGETHER = 500;
/** Left documents of items that have ended, removed together. */
const REMOVED_TOGETHER = 500;
/** The timer of the next read of the due index. */
const REFILL = 'refill';

/**
 * Delivers scheduled messages and reminders on time. The store's due index has all that wait; the deadlines of those that
 * are due soon are armed ({@link DueSoon}). The index is derived from the documents, and compared with them when it is first
 * read: what differs is made anew. Documents are read for delivery only ({@link DeliveryWorker}). A crash at any
 * moment loses and repeats nothing: the delivered message and the end of its actor are one journal entry.
 */
export class Scheduler {
  private readonly items: ScheduledItems;
  private readonly soon: DueSoon;
  private readonly worker: DeliveryWorker;
  private readonly timer: Deadlines;
  /** Items that are tried again later. */
  private readonly stuck: Deadlines;
  /** Keys whose change is not applied yet. */
  private readonly changed = new Set<string>();
  /** Keys that changed while the due index was read. */
  private readonly recheck = new Set<string>();
  private cancelApply: CancelTimer | undefined;
  private refilling = false;
  /** The due index has what the documents say. */
  private compared = false;
  /** When the due index was read last; the epoch before. */
  private refilledAt = 0;
  /** Whether the due index had more items than may be armed. */
  private backlog = false;
  private stopped = false;

  constructor(private readonly options: SchedulerOptions) {
    const { runtime, clock, wheel, markdown, onError } = options;
    this.items = new ScheduledItems(runtime.org);
    this.timer = wheel.keySet();
    this.stuck = wheel.keySet();
    this.soon = new DueSoon({
      wheel,
      now: () => clock.now(),
      due: (key) => this.worker.add(key),
      beingDelivered: () => this.worker.size,
    });
    this.worker = new DeliveryWorker({
      runtime,
      clock,
      markdown,
      onError,
      items: this.items,
      lateLimitMs: options.lateLimitMs ?? LATE_DELIVERY_MINUTES * 60_000,
      notDue: (key) => this.apply(key),
      stuck: (key) => this.tryLater(key),
      progressed: () => this.refillIfFew(),
    });
  }

  /** All items by the state of their actors, those in the store included. */
  countByState(): Record<string, number> {
    return this.items.countByState();
  }

  /** Items whose deadline is armed, or whose delivery is due. */
  get active(): number {
    return this.soon.size + this.worker.size;
  }

  /** When the next item is due, in memory or not; one that is being delivered is under way. */
  nextDue(): number {
    const { items, worker } = this;
    if (worker.size > 0 || items.keysIn(['delivering']).length > 0) return NOW;
    return earliest(items.deadlines());
  }

  /** Starts deliveries, and goes on with those that had begun; call when the organization is loaded. */
  start(): void {
    this.items.watch((key) => this.onChange(key));
    this.removeEnded();
    for (const key of this.items.keysIn(['delivering'])) this.worker.add(key);
    this.refill();
  }

  /** Stops at once; nothing is delivered afterwards. */
  stop(): void {
    this.stopped = true;
    this.items.watch(undefined);
    this.cancelApply?.();
    this.timer.disarm(REFILL);
    this.soon.keepOnly(new Set());
    this.worker.stop();
  }

  /** Removes documents of items that have ended, should there be any: an actor's end removes its own. */
  private removeEnded(): void {
    const { runtime, onError } = this.options;
    const keys = this.items.keysIn(['sent', 'cancelled']);
    try {
      for (let i = 0; i < keys.length; i += REMOVED_TOGETHER) {
        runtime.transact((tx) => {
          const { scheduledMessages, reminders } = tx.org;
          for (const key of keys.slice(i, i + REMOVED_TOGETHER)) {
            const { kind, id } = parseKey(key)!;
            (kind === 'reminder' ? reminders : scheduledMessages).delete(tx, id);
          }
        });
      }
    } catch (error) {
      if (!isOutage(error)) onError(keys[0]!, error);
    }
  }

  /** Records a change. It is applied after the transaction, which may still fail. */
  private onChange(key: string): void {
    this.worker.changed(key);
    this.changed.add(key);
    if (this.refilling) this.recheck.add(key);
    this.cancelApply ??= this.options.clock.defer(() => {
      this.cancelApply = undefined;
      this.applyChanges(this.changed);
      this.refillLater();
    });
  }

  private applyChanges(keys: Set<string>): void {
    for (const key of keys) this.apply(key);
    keys.clear();
  }

  /** Arms an item, or hands it to the worker, as the state of its actor says. */
  private apply(key: string): void {
    if (this.stuck.has(key) || this.stopped) return;
    if (this.items.stateOf(key) === 'delivering') this.worker.add(key);
    this.soon.set(key, this.items.deadlineOf(key));
  }

  private tryLater(key: string): void {
    if (this.stopped) return;
    this.stuck.arm(key, this.options.clock.now() + STUCK_MS, () => {
      this.apply(key);
      this.refillLater();
    });
  }

  /** Reads the due index in time; never while nothing is scheduled, so that an idle server stays idle. */
  private refillLater(): void {
    if (this.items.size === 0) this.timer.disarm(REFILL);
    else if (!this.stopped) {
      // The clock may have been set back.
      const last = Math.min(this.refilledAt, this.options.clock.now());
      const at = Math.max(last + REFILL_MS, this.soon.horizon - LOOK_AHEAD_MS / 2);
      if (!(this.timer.dueAt(REFILL)! <= at)) this.timer.arm(REFILL, at, () => this.refill());
    }
  }

  private refillIfFew(): void {
    if (this.backlog && this.active < FEW) this.refill();
  }

  private refill(): void {
    if (this.refilling || this.stopped) return;
    this.refilling = true;
    this.timer.disarm(REFILL);
    // A store that does not answer is asked again a little later.
    this.takeDue()
      .finally(() => {
        this.refilling = false;
        this.refilledAt = this.options.clock.now();
        this.applyChanges(this.recheck);
        this.refillLater();
      })
      .catch((error: unknown) => {
        if (!isOutage(error)) this.options.onError(DELIVERY_INDEX, error);
      });
  }

  /** Makes the due index anew where it differs from the documents. */
  private async compare(): Promise<void> {
    const { runtime, store, remade } = this.options;
    const uncommitted = new Set(this.items.uncommittedKeys());
    const found = await dueDifferences(
      () => store.scanDue(DELIVERY_INDEX),
      this.items,
      (key) => uncommitted.has(key) || this.recheck.has(key),
    );
    for (let i = 0; i < found.length; i += REMADE_TOGETHER) {
      if (this.stopped) return;
      runtime.transact((tx) => {
        for (const { id, was } of found.slice(i, i + REMADE_TOGETHER)) {
          // As it is now: it may have changed since it was compared.
          tx.schedule(DELIVERY_INDEX, id, this.items.deadlineOf(id) ?? null, was ?? undefined);
        }
      });
      await runtime.journal.barrier();
    }
    this.compared = true;
    if (found.length > 0) remade(countDifferences(found));
  }

  /** Arms the earliest items of the due index, up to the look-ahead. */
  private async takeDue(): Promise<void> {
    const { runtime, store, clock } = this.options;
    if (!this.compared) await this.compare();
    if (this.stopped) return;
    // The index lags behind uncommitted changes: it may list delivered items and lack new ones.
    const uncommitted = this.items.uncommittedKeys();
    const { worker, soon, stuck, items } = this;
    const limit = MAX_SOON + runtime.journal.pending + stuck.size + worker.size;
    const until = clock.now() + LOOK_AHEAD_MS;
    const slots = await store.due(DELIVERY_INDEX, until, limit);
    if (this.stopped) return;
    const waiting = slots.filter(
      ({ id }) => typeof items.deadlineOf(id) === 'number' && !stuck.has(id) && !worker.has(id),
    );
    const taken = waiting.slice(0, Math.max(0, MAX_SOON - worker.size));
    this.backlog = slots.length === limit || waiting.length > taken.length;
    soon.horizon = this.backlog ? (waiting[taken.length] ?? slots.at(-1)!).at : until;
    if (this.backlog) soon.keepOnly(new Set(taken.map(({ id }) => id)));
    // An item may have changed since the index was read; memory is current.
    for (const { id } of taken) soon.arm(id, items.deadlineOf(id)!);
    this.applyChanges(new Set(uncommitted));
  }
}
