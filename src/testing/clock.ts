/** The time of servers in tests: it goes on as the machine's, and further where a test says so. */
import { nodePlatform } from '../platform/node-platform.js';
import { replacePlatform } from '../platform/bound.js';
import type { Callback, Platform, Time, Timers } from '../platform/platform.js';
import { inBackground, untold } from '../turns/background.js';
import type { Duration } from './api.js';

const { time: realTime, timers: real } = nodePlatform;

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 604_800_000,
};
/** Nothing the server does takes longer. */
const LONGEST_DAYS = 366;
/** An advance of so long meets each deadline at its time. Milliseconds. */
const EXACT_MS = 3_600_000;
/** A longer one stops so many times more at most: clients that listen for a month get 50,000 heartbeats. */
const MOST_STEPS = 1000;
/** Upkeep that is done every second or so is done so many times at most in an advance. */
const MOST_ROUNDS = 50;
/** Rounds of the event loop in which it is looked whether something has come, before it is looked each millisecond. */
const QUICK_LOOKS = 20;
/** Longest delay of a timer of Node. Milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds. @throws Error for a text that is none */
export function millisecondsOf(duration: Duration): number {
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|second|minute|hour|day|week)s?\s*$/.exec(
    typeof duration === 'number' ? `${duration} ms` : duration,
  ) ?? [undefined, undefined, ''];
  const ms = Number(count) * (UNITS[unit ?? ''] ?? NaN);
  if (!(ms <= LONGEST_DAYS * DAY_MS)) {
    throw new Error(`No time of up to ${LONGEST_DAYS} days: ${duration}. Write '10 minutes'`);
  }
  return ms;
}

/** A timer of the program. */
class Waiting {
  handle: NodeJS.Timeout | undefined;
  /** By the monotonic time. */
  due: number;
  keepsAlive = true;

  constructor(
    private readonly clock: SharedClock,
    readonly callback: Callback,
    private readonly ms: number,
    /** Of an interval; null of what is done once. */
    readonly everyMs: number | null,
  ) {
    this.due = clock.in(ms);
  }

  ref(): this {
    this.keepsAlive = true;
    this.handle?.ref();
    return this;
  }

  unref(): this {
    this.keepsAlive = false;
    this.handle?.unref();
    return this;
  }

  /** What comes again and again, or keeps no process alive, is upkeep, and may be late. */
  get kind(): 'deadlines' | 'upkeep' {
    return this.keepsAlive && this.everyMs === null ? 'deadlines' : 'upkeep';
  }

  hasRef(): boolean {
    return this.keepsAlive;
  }

  /** Begins anew, also where it has fired. */
  refresh(): this {
    this.due = this.clock.in(this.ms);
    this.clock.add(this);
    return this;
  }

  close(): void {
    this.clock.clear(this);
  }
}

/** A server whose work the time waits for. */
export interface Timed {
  /** Resolves when what the present moment brought is done, and clients that polled have come back. */
  settle(): Promise<void>;
}

/** The clock of all servers of this process that are started for tests. */
class SharedClock {
  /** By which the time is ahead of the machine's. Milliseconds. */
  private ahead = 0;
  private readonly waiting = new Set<Waiting>();
  private readonly servers = new Set<Timed>();
  private advancing: Promise<void> = Promise.resolve();
  private restore: () => void = () => undefined;

  private readonly time: Time = {
    ...realTime,
    wallTime: () => Math.floor(realTime.wallTime() + this.ahead),
    monotonicTime: () => this.now,
    machineTime: () => realTime.machineTime() + BigInt(Math.round(this.ahead * 1e6)),
  };

  private readonly timers: Timers = {
    ...real,
    setTimeout: (callback, ms) => this.set(callback, ms, null),
    clearTimeout: (timer) => this.clear(timer),
    setInterval: (callback, ms) => this.set(callback, ms, ms),
    clearInterval: (timer) => this.clear(timer),
    timeoutSignal: (ms) => {
      const timeout = new AbortController();
      const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      this.timers.setTimeout(() => timeout.abort(late), ms).unref();
      return timeout.signal;
    },
  };

  private readonly platform: Platform = { ...nodePlatform, time: this.time, timers: this.timers };

  /** The servers of the process go by this clock while there is one for a test. */
  use(server: Timed): void {
    if (this.servers.size === 0) this.restore = replacePlatform(this.platform);
    this.servers.add(server);
  }

  delete(server: Timed): void {
    if (!this.servers.delete(server) || this.servers.size > 0) return;
    this.restore();
    this.ahead = 0;
  }

  get wall(): Date {
    return new Date(this.time.wallTime());
  }

  /** Timers that are to come. */
  get size(): number {
    return this.waiting.size;
  }

  /** One advance after the other. */
  advance(by: Duration): Promise<void> {
    const ms = millisecondsOf(by);
    const advanced = this.advancing.then(() => this.pass(ms));
    this.advancing = advanced.catch(() => undefined);
    return advanced;
  }

  /** When so many milliseconds will have passed. */
  in(ms: number): number {
    return this.now + Math.max(1, ms);
  }

  add(timer: Waiting): void {
    this.waiting.add(timer);
    this.arm(timer);
  }

  clear(timer: unknown): void {
    if (!(timer instanceof Waiting)) {
      real.clearTimeout(timer as NodeJS.Timeout | undefined);
      return;
    }
    this.waiting.delete(timer);
    real.clearTimeout(timer.handle);
  }

  private get now(): number {
    return realTime.monotonicTime() + this.ahead;
  }

  /** Goes from moment to moment at which something is due. */
  private async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    const step = { deadlines: Math.max(0, ms - EXACT_MS) / MOST_STEPS, upkeep: ms / MOST_ROUNDS };
    const earliest = { deadlines: 0, upkeep: this.now + step.upkeep };
    await this.settle();
    for (;;) {
      let moment = Infinity;
      for (const { due, kind } of this.waiting) {
        moment = Math.min(moment, Math.max(due, earliest[kind]));
      }
      this.ahead += Math.max(0, Math.min(moment, end) - this.now);
      if (moment > end) break;
      const due = [...this.waiting].filter((timer) => timer.due <= moment);
      for (const timer of due.sort((a, b) => a.due - b.due)) {
        earliest[timer.kind] = moment + step[timer.kind];
        this.fire(timer);
        await this.settle();
      }
    }
    for (const timer of this.waiting) this.arm(timer);
  }

  private async settle(): Promise<void> {
    for (const server of this.servers) await server.settle();
  }

  private set(callback: Callback, ms: number, everyMs: number | null): NodeJS.Timeout {
    const timer = new Waiting(this, callback, ms, everyMs);
    this.add(timer);
    return timer as unknown as NodeJS.Timeout;
  }

  private arm(timer: Waiting): void {
    real.clearTimeout(timer.handle);
    const ms = Math.min(Math.max(0, timer.due - this.now), LONGEST_TIMER_MS);
    timer.handle = real.setTimeout(() => {
      // The longest delay is no deadline.
      if (timer.due > this.now + 1) this.arm(timer);
      else this.fire(timer);
    }, ms);
    if (!timer.keepsAlive) timer.handle.unref();
  }

  private fire(timer: Waiting): void {
    if (!this.waiting.has(timer)) return;
    if (timer.everyMs === null) this.clear(timer);
    else {
      timer.due = this.in(timer.everyMs);
      this.arm(timer);
    }
    timer.callback();
  }
}

export const clock = new SharedClock();

/** Resolves after so many rounds of the event loop. */
export async function rounds(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await new Promise<void>((resolve) => void real.setImmediate(() => resolve()));
  }
}

/** Resolves when the condition holds, or after so many milliseconds of the machine. */
export async function untilHolds(condition: () => boolean, ms: number): Promise<boolean> {
  const end = realTime.monotonicTime() + ms;
  for (let looks = 0; !condition(); looks += 1) {
    if (realTime.monotonicTime() > end) return false;
    // Most comes within a few rounds; what takes longer must not use up the processor.
    if (looks < QUICK_LOOKS) await rounds(1);
    else await new Promise<void>((resolve) => void real.setTimeout(() => resolve(), 1));
  }
  return true;
}

/** Resolves with the work, or after so many milliseconds of the machine without it; whether it failed is told to nobody. */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  inBackground(() => work.then(over, over), untold);
  await untilHolds(() => isOver, ms);
}
