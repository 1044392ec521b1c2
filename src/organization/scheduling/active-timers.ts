import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { ActorHost } from '../../../actors/host.js';
import {
  createScheduledMessageMachine,
  type ScheduledMessageMachine,
} from '../../../actors/scheduled-message.js';

/** How far ahead of its time a scheduled thing gets an actor. */
export const LOOK_AHEAD_MS = 10_000;
/** Actors at a time; what is due behind them stays in the store until these are done. */
export const MAX_ACTORS = 1000;

/** What the actors are connected to. */
export interface ActiveTimersOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  readonly onError: (id: string, error: unknown) => void;
  /** The time of a thing has come. */
  readonly deliver: (key: string) => void;
}

/** How a scheduled thing stands: its time, null when it waits no more, undefined when it is gone. */
export type DueTime = number | null | undefined;

/**
 * The actors of what is due soon: of all scheduled things with a time before the horizon, and at most
 * {@link MAX_ACTORS} of them.
 */
export class ActiveTimers {
  /** Times of the live actors, by key. */
  private readonly live = new Map<string, number>();
  private readonly host: ActorHost<ScheduledMessageMachine>;
  private readonly clock: Clock;
  /** Whatever is due before this has an actor. Milliseconds since 1970. */
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

  /** Whether a thing is being delivered, or waits for its turn. */
  isDelivering(key: string): boolean {
    return this.host.valueOf(key) === 'delivering';
  }

  /** When a thing with an actor is due. */
  timeOf(key: string): number {
    return this.live.get(key) ?? Infinity;
  }

  /** Takes up what became of a scheduled thing. */
  changed(key: string, at: DueTime): void {
    if (this.live.has(key)) {
      if (at === undefined || at === null) this.host.send(key, { type: 'cancel' });
      else this.move(key, at);
    } else if (at !== undefined && at !== null && at < this.horizon) {
      // Beyond the bound it waits in the store, and with it whatever is due later.
      if (this.live.size >= MAX_ACTORS) this.horizon = at;
      else this.spawn(key, at);
    }
  }

  /** Makes an actor unless there is one. */
  add(key: string, at: number): void {
    if (!this.live.has(key)) this.spawn(key, at);
  }

  /** Tells the actor of a thing how its delivery ended. */
  ended(key: string, how: 'delivered' | 'refused'): void {
    this.host.send(key, { type: how });
  }

  /** Tells those of their time that were due before a moment and still wait. */
  wakeMissed(before: number): void {
    const now = this.clock.now();
    for (const [key, at] of this.live) {
      if (at < before && !this.isDelivering(key)) this.host.send(key, { type: 'deadline', now });
    }
  }

  /** Forgets actors that wait for a time beyond the horizon. */
  evict(): void {
    for (const [key, at] of this.live) {
      if (at > this.horizon && !this.isDelivering(key)) this.drop(key);
    }
  }

  /** Forgets an actor; its document and its slot stay in the store. */
  drop(key: string): void {
    this.live.delete(key);
    this.host.stop(key);
  }

  /** Forgets all actors, for good. */
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
