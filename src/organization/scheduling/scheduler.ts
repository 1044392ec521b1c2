import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { CancelTimer, Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { LATE_DELIVERY_MINUTES } from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import type { Store } from '../../store/port.js';
import type { Runtime } from '../state/transaction.js';
import { DeliveryWorker, isOutage } from './delivery-worker.js';
import { ActiveTimers, LOOK_AHEAD_MS, MAX_ACTORS } from './active-timers.js';
import { DELIVERY_INDEX } from '../state/scheduled/scheduled-collection.js';
import { ScheduledItems } from './scheduled-items.js';

/** Dependencies of {@link Scheduler}. */
export interface SchedulerOptions {
  readonly runtime: Runtime;
  readonly store: Pick<Store, 'due'>;
  readonly markdown: Markdown;
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** Receives errors that no client gets. */
  readonly onError: (key: string, error: unknown) => void;
  /** A message later than this is not sent. Milliseconds. */
  readonly lateLimitMs?: number;
}

/** Interval of checks of clock and horizon: how late an item may be after the clock was set forward. */
const TICK_MS = 500;
/** Below this number of actors, more items of a backlog get one. */
const FEW_ACTORS = MAX_ACTORS / 2;

/**
 * Delivers scheduled messages and reminders on time. The store's due index has all of them; each item that
 * is due soon has an actor ({@link ActiveTimers}), which decides when its delivery begins. Documents are
 * read for delivery only. A crash at any moment loses and repeats nothing: the delivered message and the
 * removal of its schedule are one journal entry.
 */
export class Scheduler {
  private readonly items: ScheduledItems;
  private readonly timers: ActiveTimers;
  private readonly worker: DeliveryWorker;
  /** Keys whose change is not applied yet. */
  private readonly changed = new Set<string>();
  /** Keys that changed while the due index was read. */
  private readonly recheck = new Set<string>();
  /** Keys of items that could neither be delivered nor marked as failed; retried at the next start. */
  private readonly broken = new Set<string>();
  private cancelTick: CancelTimer | undefined;
  private cancelApply: CancelTimer | undefined;
  private refilling = false;
  /** Whether the due index had more items than there may be actors. */
  private backlog = false;
  private stopped = false;

  constructor(private readonly options: SchedulerOptions) {
    const { runtime, clock, wheel, markdown, onError } = options;
    this.items = new ScheduledItems(runtime.org);
    this.timers = new ActiveTimers({
      clock,
      wheel,
      onError,
      deliver: (key) => this.worker.add(key),
    });
    this.worker = new DeliveryWorker({
      runtime,
      clock,
      markdown,
      onError,
      items: this.items,
      timers: this.timers,
      lateLimitMs: options.lateLimitMs ?? LATE_DELIVERY_MINUTES * 60_000,
      broken: (key) => this.broken.add(key),
      progressed: () => this.refillIfFew(),
    });
  }

  /** Actors in memory by state, for metrics. */
  countByState(): Record<string, number> {
    return this.timers.countByState();
  }

  /** Actors in memory. */
  get actors(): number {
    return this.timers.size;
  }

  /** Starts deliveries; call when the organization is loaded. */
  start(): void {
    this.items.watch((key) => this.onChange(key));
    this.refill();
    this.tickWhileNeeded();
  }

  /** Stops at once; nothing is delivered afterwards. */
  stop(): void {
    this.stopped = true;
    this.items.watch(undefined);
    this.cancelTick?.();
    this.cancelApply?.();
    this.worker.stop();
    this.timers.stop();
  }

  /** Records a change. It is applied after the transaction, which may still fail. */
  private onChange(key: string): void {
    this.worker.forget(key);
    this.changed.add(key);
    if (this.refilling) this.recheck.add(key);
    this.cancelApply ??= this.options.clock.defer(() => {
      this.cancelApply = undefined;
      this.applyChanges(this.changed);
      this.tickWhileNeeded();
    });
  }

  private applyChanges(keys: Set<string>): void {
    for (const key of keys) {
      if (!this.broken.has(key)) this.timers.changed(key, this.items.dueTime(key));
    }
    keys.clear();
  }

  /** Ticks only while items are scheduled, so that an idle server stays idle. */
  private tickWhileNeeded(): void {
    if (this.stopped || this.cancelTick || this.items.size === 0) return;
    this.cancelTick = this.options.clock.setTimer(TICK_MS, () => this.tick());
  }

  private tick(): void {
    this.cancelTick = undefined;
    const now = this.options.clock.now();
    // Timers count elapsed time, so a clock that was set forward would make them late.
    this.timers.wakeMissed(now - TICK_MS);
    if (now >= this.timers.horizon - LOOK_AHEAD_MS / 2) this.refill();
    else this.refillIfFew();
    this.tickWhileNeeded();
  }

  private refillIfFew(): void {
    if (this.backlog && this.timers.size < FEW_ACTORS) this.refill();
  }

  private refill(): void {
    if (this.refilling || this.stopped) return;
    this.refilling = true;
    // A store that does not answer is asked again at the next tick.
    this.takeDue()
      .finally(() => {
        this.refilling = false;
        if (this.stopped) this.recheck.clear();
        else this.applyChanges(this.recheck);
        this.tickWhileNeeded();
      })
      .catch((error: unknown) => {
        if (!isOutage(error)) this.options.onError(DELIVERY_INDEX, error);
      });
  }

  /** Creates actors for the earliest items of the due index, up to the look-ahead. */
  private async takeDue(): Promise<void> {
    const { runtime, store, clock } = this.options;
    // The index lags behind uncommitted changes: it may list delivered items and lack new ones.
    const uncommitted = this.items.uncommittedKeys();
    const limit = MAX_ACTORS + runtime.journal.pending;
    const until = clock.now() + LOOK_AHEAD_MS;
    const slots = await store.due(DELIVERY_INDEX, until, limit);
    if (this.stopped) return;
    const waiting = slots.filter(({ id }) => typeof this.items.dueTime(id) === 'number');
    const taken = waiting.slice(0, MAX_ACTORS);
    this.backlog = slots.length === limit || waiting.length > taken.length;
    this.timers.horizon = this.backlog ? (taken.at(-1) ?? slots.at(-1)!).at : until;
    if (this.backlog) this.timers.evict();
    await this.addAll(taken.map(({ id }) => id));
    if (!this.stopped) this.applyChanges(new Set(uncommitted));
  }

  private async addAll(keys: readonly string[]): Promise<void> {
    const yielder = new EventLoopYield();
    for (const key of keys) {
      // An item may have changed since the index was read; memory is current.
      const at = this.items.dueTime(key);
      if (typeof at === 'number' && !this.broken.has(key)) this.timers.add(key, at);
      if (yielder.isDue) await yielder.take();
      if (this.stopped) return;
    }
  }
}
