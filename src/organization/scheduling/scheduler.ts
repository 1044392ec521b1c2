import { EventLoopYield } from '../../event-loop-yield.js';
import type { CancelTimer, Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { LATE_DELIVERY_MINUTES } from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import type { Store } from '../../store/port.js';
import type { Runtime } from '../state/runtime.js';
import { DeliveryWorker, isOutage } from './delivery-worker.js';
import { ActiveTimers, LOOK_AHEAD_MS, MAX_ACTORS } from './active-timers.js';
import { DELIVERY_INDEX } from '../state/scheduled/scheduled-collection.js';
import { ScheduledItems } from './scheduled-items.js';

/** What delivery is connected to. */
export interface SchedulerOptions {
  readonly runtime: Runtime;
  readonly store: Pick<Store, 'due'>;
  readonly markdown: Markdown;
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** Something went wrong that nobody else is told of. */
  readonly onError: (key: string, error: unknown) => void;
  /** A message later than this is not sent any more. Milliseconds. */
  readonly lateLimitMs?: number;
}

/** How often the clock and the horizon are looked at while anything is scheduled. */
const BEAT_MS = 500;
/** With fewer actors than this, more are taken from a backlog. */
const FEW_ACTORS = MAX_ACTORS / 2;

/**
 * Delivers scheduled messages and reminders on time. The store's due index knows all of them; those
 * due soon have an actor each ({@link ActiveTimers}), which says when a delivery begins. Documents are read
 * when they are needed. Nothing is lost when this process ends at any moment: the delivered message and
 * the end of its schedule are one journal entry.
 */
export class Scheduler {
  private readonly things: ScheduledItems;
  private readonly soon: ActiveTimers;
  private readonly deliveries: DeliveryWorker;
  /** Keys that changed and were not looked at yet. */
  private readonly changed = new Set<string>();
  /** Keys that changed while the store was asked what is due. */
  private readonly recheck = new Set<string>();
  /** Keys that could neither be delivered nor marked; they wait for the next start. */
  private readonly broken = new Set<string>();
  private cancelBeat: CancelTimer | undefined;
  private cancelLook: CancelTimer | undefined;
  private refilling = false;
  /** Whether the store had more that is due than there may be actors. */
  private backlog = false;
  private stopped = false;

  constructor(private readonly options: SchedulerOptions) {
    const { runtime, clock, wheel, markdown, onError } = options;
    this.things = new ScheduledItems(runtime.org);
    this.soon = new ActiveTimers({
      clock,
      wheel,
      onError,
      deliver: (key) => this.deliveries.add(key),
    });
    this.deliveries = new DeliveryWorker({
      runtime,
      clock,
      markdown,
      onError,
      things: this.things,
      soon: this.soon,
      lateLimitMs: options.lateLimitMs ?? LATE_DELIVERY_MINUTES * 60_000,
      broken: (key) => this.broken.add(key),
      progressed: () => this.refillIfFew(),
    });
  }

  /** Actors in memory by state, for metrics. */
  countByState(): Record<string, number> {
    return this.soon.countByState();
  }

  /** Actors in memory. */
  get actors(): number {
    return this.soon.size;
  }

  /** Begins to deliver; the organization is loaded. */
  start(): void {
    this.things.watch((key) => this.note(key));
    this.refill();
    this.beatWhileNeeded();
  }

  /** Ends at once; nothing is delivered afterwards. */
  stop(): void {
    this.stopped = true;
    this.things.watch(undefined);
    this.cancelBeat?.();
    this.cancelLook?.();
    this.deliveries.stop();
    this.soon.stop();
  }

  /** Something changed, perhaps in a transaction that will fail: it is looked at afterwards. */
  private note(key: string): void {
    this.deliveries.forget(key);
    this.changed.add(key);
    if (this.refilling) this.recheck.add(key);
    this.cancelLook ??= this.options.clock.defer(() => {
      this.cancelLook = undefined;
      this.look(this.changed);
      this.beatWhileNeeded();
    });
  }

  private look(keys: Set<string>): void {
    for (const key of keys) {
      if (!this.broken.has(key)) this.soon.changed(key, this.things.dueTime(key));
    }
    keys.clear();
  }

  /** Beats only while anything is scheduled, so that an idle server stays idle. */
  private beatWhileNeeded(): void {
    if (this.stopped || this.cancelBeat || this.things.size === 0) return;
    this.cancelBeat = this.options.clock.setTimer(BEAT_MS, () => this.beat());
  }

  private beat(): void {
    this.cancelBeat = undefined;
    const now = this.options.clock.now();
    // Timers count elapsed time: after the clock was set they would fire as late as it was wrong.
    this.soon.wakeMissed(now - BEAT_MS);
    if (now >= this.soon.horizon - LOOK_AHEAD_MS / 2) this.refill();
    else this.refillIfFew();
    this.beatWhileNeeded();
  }

  private refillIfFew(): void {
    if (this.backlog && this.soon.size < FEW_ACTORS) this.refill();
  }

  private refill(): void {
    if (this.refilling || this.stopped) return;
    this.refilling = true;
    // A store that does not answer is asked again at the next beat.
    this.takeDue()
      .catch((error: unknown) => {
        if (!isOutage(error)) this.options.onError(DELIVERY_INDEX, error);
      })
      .finally(() => {
        this.refilling = false;
        if (this.stopped) this.recheck.clear();
        else this.look(this.recheck);
        this.beatWhileNeeded();
      });
  }

  /** Makes actors of the earliest things in the store's index, up to the look-ahead. */
  private async takeDue(): Promise<void> {
    const { runtime, store, clock } = this.options;
    // The index does not know yet what is not durable: it may name what was delivered already, and
    // lacks what was scheduled a moment ago.
    const uncommitted = this.things.uncommittedKeys();
    const limit = MAX_ACTORS + runtime.journal.pending;
    const until = clock.now() + LOOK_AHEAD_MS;
    const slots = await store.due(DELIVERY_INDEX, until, limit);
    if (this.stopped) return;
    const waiting = slots.filter(({ id }) => typeof this.things.dueTime(id) === 'number');
    const taken = waiting.slice(0, MAX_ACTORS);
    this.backlog = slots.length === limit || waiting.length > taken.length;
    this.soon.horizon = this.backlog ? (taken.at(-1) ?? slots.at(-1)!).at : until;
    if (this.backlog) this.soon.evict();
    await this.addAll(taken.map(({ id }) => id));
    if (!this.stopped) this.look(new Set(uncommitted));
  }

  private async addAll(keys: readonly string[]): Promise<void> {
    const pause = new EventLoopYield();
    for (const key of keys) {
      // Memory knows of changes that came after the index was read.
      const at = this.things.dueTime(key);
      if (typeof at === 'number' && !this.broken.has(key)) this.soon.add(key, at);
      if (pause.isDue) await pause.take();
      if (this.stopped) return;
    }
  }
}
