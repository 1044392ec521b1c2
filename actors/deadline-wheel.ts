import type { CancelTimer, Clock } from './clock.js';
import { Deadline, DeadlineSlots } from './deadline-slots.js';
import type { DeadlineCallback, Keys } from './deadline-slots.js';

export type { DeadlineCallback } from './deadline-slots.js';

/** A set of armed keys. Keys of different sets never collide, though they share one wheel. */
export interface Deadlines {
  /** Number of armed keys. */
  readonly size: number;
  has(key: string): boolean;
  /** When the callback of a key is called, milliseconds since the epoch; undefined where it is not armed. */
  dueAt(key: string): number | undefined;
  /**
   * Calls `fire(key)` once `atMs` (milliseconds since the epoch) has passed. Arming an armed key
   * replaces its time and callback. After the wheel has stopped nothing is armed any more.
   *
   * @throws RangeError when `atMs` is no instant a `Date` can name.
   */
  arm(key: string, atMs: number, fire: DeadlineCallback): void;
  /** Forgets `key`. Returns whether it was armed. */
  disarm(key: string): boolean;
}

/** Options of {@link DeadlineWheel}. */
interface DeadlineWheelOptions {
  /** Receives an error that a callback threw; the other callbacks still run. Must not throw itself. */
  readonly onError: (error: unknown, key: string) => void;
  /** Granularity in milliseconds, a positive integer. Default 250. */
  readonly tickMs?: number;
  /** How many deadlines one turn of the event loop fires or moves at most. Default 5000. */
  readonly sliceSize?: number;
}

/** The last instant a `Date` can name. */
const MAX_DATE_MS = 8.64e15;

/**
 * The wheel checks the clock at least every 10 minutes while anything is armed, because timers count
 * elapsed time: after a correction of the wall clock or a suspended machine, a timer for a distant
 * deadline would otherwise be late by the whole correction.
 */
const MAX_SLEEP_MS = 10 * 60 * 1000;

/** The wake-up tick while the next slice of work is already scheduled. */
const NEXT_TURN = -1;

/**
 * All deadlines of a process on one timer.
 *
 * A hierarchical timer wheel: a deadline moves down as its time comes nearer, at most once per
 * level. Arming and disarming are O(1), far deadlines need no long timer and are not looked at until
 * their slot comes up.
 *
 * Guarantees: a deadline never fires before its time, nor inside `arm`; it fires at most one tick
 * late, plus what the event loop and the slices of a mass expiry add. A deadline already past when
 * it is armed fires on the next tick. At most one timer is set, and none while nothing is armed.
 * The number of keys is bounded by the caller.
 */
export class DeadlineWheel implements Deadlines {
  readonly #clock: Clock;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #tickMs: number;
  readonly #sliceSize: number;
  /** Tick 0 of the wheel, counted in ticks since the epoch. */
  #epochTick: number;
  #slots = new DeadlineSlots();
  /** The first is the wheel's own. */
  readonly #keySets: [Keys, ...Keys[]] = [new Map()];
  #size = 0;
  #wakeTick = 0;
  #cancelTimer: CancelTimer | undefined;
  #running = false;
  #stopped = false;

  constructor(clock: Clock, options: DeadlineWheelOptions) {
    const { tickMs = 250, sliceSize = 5000, onError } = options;
    if (!Number.isSafeInteger(tickMs) || tickMs < 1) throw new RangeError('tickMs must be >= 1');
    if (!(sliceSize >= 1)) throw new RangeError('sliceSize must be >= 1');
    this.#clock = clock;
    this.#onError = onError;
    this.#tickMs = tickMs;
    this.#sliceSize = sliceSize;
    this.#epochTick = Math.floor(clock.now() / tickMs);
  }

  /** Number of armed keys, those of all sets together. */
  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#keySets[0].has(key);
  }

  dueAt(key: string): number | undefined {
    return this.#dueAt(this.#keySets[0], key);
  }

  arm(key: string, atMs: number, fire: DeadlineCallback): void {
    this.#arm(this.#keySets[0], key, atMs, fire);
  }

  disarm(key: string): boolean {
    return this.#disarm(this.#keySets[0], key);
  }

  /**
   * A new set of keys on this wheel, for a part of the program that lives as long as the wheel.
   * Cheaper than a prefix: the caller's own strings are the keys.
   */
  keySet(): Deadlines {
    const keys: Keys = new Map();
    this.#keySets.push(keys);
    return {
      get size() {
        return keys.size;
      },
      has: (key) => keys.has(key),
      dueAt: (key) => this.#dueAt(keys, key),
      arm: (key, atMs, fire) => this.#arm(keys, key, atMs, fire),
      disarm: (key) => this.#disarm(keys, key),
    };
  }

  /**
   * Checks whether the clock was set. Deadlines keep their instants: those that have passed fire now, and
   * after a step back all wait for theirs. Call it often; it costs nothing while the clock runs evenly.
   */
  checkClock(): void {
    if (this.#stopped || this.#running || this.#size === 0) return;
    const nowTick = this.#nowTick();
    if (nowTick < this.#slots.elapsed) this.#rewind();
    const slot = this.#slots.next();
    if (!slot || slot.startTick > nowTick || this.#wakeTick === NEXT_TURN) return;
    this.#clearTimer();
    this.#turn();
  }

  /** Disarms everything, for good. */
  stop(): void {
    this.#stopped = true;
    this.#clearTimer();
    for (const keys of this.#keySets) {
      for (const deadline of keys.values()) deadline.unlink();
      keys.clear();
    }
    this.#size = 0;
  }

  /** After the clock was set back: rebuilds the wheel at its time. */
  #rewind(): void {
    const epochTick = Math.floor(this.#clock.now() / this.#tickMs);
    const shift = this.#epochTick - epochTick;
    this.#epochTick = epochTick;
    this.#slots = new DeadlineSlots();
    this.#clearTimer();
    for (const keys of this.#keySets) {
      for (const deadline of keys.values()) {
        deadline.unlink();
        deadline.dueTick += shift;
        this.#slots.place(deadline);
      }
    }
    const slot = this.#slots.next();
    if (slot) this.#wakeAt(slot.startTick);
  }

  #arm(keys: Keys, key: string, atMs: number, fire: DeadlineCallback): void {
    if (!(Math.abs(atMs) <= MAX_DATE_MS)) throw new RangeError(`Not a time: ${atMs}`);
    if (this.#stopped) return;
    if (!this.#running && this.#nowTick() < this.#slots.elapsed) this.#rewind();
    const dueTick = this.#dueTick(atMs);
    let deadline = keys.get(key);
    if (deadline) {
      deadline.fire = fire;
      if (deadline.dueTick === dueTick) return;
      deadline.unlink();
      deadline.dueTick = dueTick;
    } else {
      deadline = new Deadline(keys, key, dueTick, fire);
      keys.set(key, deadline);
      this.#size++;
    }
    const startTick = this.#slots.place(deadline);
    if (!this.#running) this.#wakeAt(startTick);
  }

  #dueAt(keys: Keys, key: string): number | undefined {
    const deadline = keys.get(key);
    return deadline && (this.#epochTick + deadline.dueTick) * this.#tickMs;
  }

  #disarm(keys: Keys, key: string): boolean {
    const deadline = keys.get(key);
    if (!deadline) return false;
    deadline.unlink();
    this.#forget(deadline);
    if (this.#size === 0) this.#clearTimer();
    return true;
  }

  #forget(deadline: Deadline): void {
    deadline.keys.delete(deadline.key);
    this.#size--;
  }

  /** The first tick at which a deadline may fire; never one that has begun. */
  #dueTick(atMs: number): number {
    const nowTick = this.#nowTick();
    if (this.#size === 0 && !this.#running) this.#slots.advanceTo(nowTick);
    const tick = Math.ceil(atMs / this.#tickMs) - this.#epochTick;
    // A callback that arms a deadline in the past waits a tick; otherwise it would block the event loop.
    return Math.max(tick, nowTick + 1, this.#slots.elapsed);
  }

  /** The last tick that has begun. */
  #nowTick(): number {
    return Math.floor(this.#clock.now() / this.#tickMs) - this.#epochTick;
  }

  /** Makes sure that the wheel runs when `tick` begins, or before. */
  #wakeAt(tick: number): void {
    if (this.#cancelTimer) {
      if (this.#wakeTick <= tick) return;
      this.#cancelTimer();
    }
    this.#wakeTick = tick;
    const delayMs = (tick + this.#epochTick) * this.#tickMs - this.#clock.now();
    this.#cancelTimer = this.#clock.setTimer(Math.min(delayMs, MAX_SLEEP_MS), this.#turn);
  }

  #clearTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** One slice of work, then the timer for the next. */
  readonly #turn = (): void => {
    this.#cancelTimer = undefined;
    this.#running = true;
    const nowTick = this.#nowTick();
    try {
      this.#work(nowTick);
    } finally {
      this.#running = false;
      this.#scheduleNext(nowTick);
    }
  };

  #work(nowTick: number): void {
    let budget = this.#sliceSize;
    for (let slot = this.#slots.next(); slot; slot = this.#slots.next()) {
      if (slot.startTick > nowTick || budget === 0) return;
      this.#slots.advanceTo(slot.startTick);
      const { head, level } = slot;
      for (; budget > 0 && head.next !== head; budget--) {
        const deadline = head.next;
        deadline.unlink();
        if (level > 0) this.#slots.place(deadline);
        else this.#fire(deadline);
      }
    }
  }

  #fire(deadline: Deadline): void {
    this.#forget(deadline);
    try {
      deadline.fire(deadline.key);
    } catch (error) {
      this.#onError(error, deadline.key);
    }
  }

  #scheduleNext(nowTick: number): void {
    const slot = this.#slots.next();
    if (slot && slot.startTick <= nowTick) {
      this.#wakeTick = NEXT_TURN;
      this.#cancelTimer = this.#clock.defer(this.#turn);
      return;
    }
    // No slot starts up to now, so advancing the time moves no deadline.
    this.#slots.advanceTo(nowTick);
    if (slot) this.#wakeAt(slot.startTick);
  }
}
