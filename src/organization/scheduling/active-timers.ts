import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { ActorHost } from '../../../actors/host.js';
import {
  createScheduledMessageMachine,
  type ScheduledMessageMachine,
} from '../../../actors/scheduled-message.js';

/** How far ahead of its time a scheduled item gets an actor. */
export const LOOK_AHEAD_MS = 10_000;
/** Maximal number of actors; later items stay in the store until these are done. */
export const MAX_ACTORS = 1000;

/** Dependencies of {@link ActiveTimers}. */
interface ActiveTimersOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  readonly onError: (id: string, error: unknown) => void;
  /** Called when an item is due. */
  readonly deliver: (key: string) => void;
}

/** When an item is due, milliseconds since 1970; null when it no longer waits, undefined when it was deleted. */
export type DueTime = number | null | undefined;

/**
 * Actors of the scheduled items that are due before the horizon, at most {@link MAX_ACTORS}.
 */
export class ActiveTimers {
  /** Times of the live actors, by key. */
  private readonly live = new Map<string, number>();
  private readonly host: ActorHost<ScheduledMessageMachine>;
  private readonly clock: Clock;
  /** Every item due before this has an actor. Milliseconds since 1970. */
  horizon = -Infinity;

  constructor({ clock, wheel, onError, deliver }: ActiveTimersOptions) {
    this.clock = clock;
    this.host = new ActorHost(createScheduledMessageMachine({ deliver }), {
      clock,
      wheel,
      onError: (id, error) => {
        this.live.delete(id);
        onError(id, error);
      },
      onDone: (id) => this.live.delete(id),
    });
  }

  /** Actors in memory. */
  get size(): number {
    return this.live.size;
  }

  /** Live actors by state, for metrics and tests. */
  countByState(): Record<string, number> {
    return this.host.countByState();
  }

  /** Whether an item is being delivered, or is queued for it. */
  isDelivering(key: string): boolean {
    return this.host.valueOf(key) === 'delivering';
  }

  /** When an item with an actor is due; Infinity without one. */
  timeOf(key: string): number {
    return this.live.get(key) ?? Infinity;
  }

  /** Applies a change of an item: moves, cancels or creates its actor. */
  changed(key: string, at: DueTime): void {
    if (this.live.has(key)) {
      if (at === undefined || at === null) this.host.send(key, { type: 'cancel' });
      else this.move(key, at);
    } else if (at !== undefined && at !== null && at < this.horizon) {
      // At the bound this item, and every later one, waits in the store.
      if (this.live.size >= MAX_ACTORS) this.horizon = at;
      else this.spawn(key, at);
    }
  }

  /** Creates an actor unless the item has one. */
  add(key: string, at: number): void {
    if (!this.live.has(key)) this.spawn(key, at);
  }

  /** Sends the outcome of a delivery to its actor. */
  ended(key: string, how: 'delivered' | 'refused'): void {
    this.host.send(key, { type: how });
  }

  /** Wakes pending actors that were due before a moment. */
  wakeMissed(before: number): void {
    const now = this.clock.now();
    for (const [key, at] of this.live) {
      if (at < before && !this.isDelivering(key)) this.host.send(key, { type: 'deadline', now });
    }
  }

  /** Drops actors that wait for a time beyond the horizon. */
  evict(): void {
    for (const [key, at] of this.live) {
      if (at > this.horizon && !this.isDelivering(key)) this.drop(key);
    }
  }

  /** Drops an actor; its document and its entry in the due index stay in the store. */
  drop(key: string): void {
    this.live.delete(key);
    this.host.stop(key);
  }

  /** Drops all actors, for good. */
  stop(): void {
    this.host.stopAll();
    this.live.clear();
  }

  private move(key: string, at: number): void {
    if (this.live.get(key) === at) return;
    this.live.set(key, at);
    this.host.send(key, { type: 'edit', due_at: at, now: this.clock.now() });
    if (at >= this.horizon && !this.isDelivering(key)) this.drop(key);
  }

  private spawn(key: string, at: number): void {
    this.live.set(key, at);
    this.host.spawn(key, { id: key, due_at: at, now: this.clock.now() });
  }
}
