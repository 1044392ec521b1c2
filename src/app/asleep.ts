import { DeadlineWheel } from '../../actors/deadline-wheel.js';
import type { CatalogueEntry } from '../host/catalogue/catalogue.js';
import { systemClock } from '../platform/clock.js';
import { wallTime } from '../platform/time.js';

/** So long before its time an organization is brought into memory: loading it takes less, and nothing is due late. */
const AHEAD_MS = 2000;

/** Whether an organization must be in memory when a process starts. */
export function isDue({ wake_at = 0, warm }: CatalogueEntry): boolean {
  return warm === true || (wake_at !== null && wake_at <= wallTime() + AHEAD_MS);
}

/**
 * Asleep has the organizations of a process that are not in memory: each by its host name, with the time at which it must be
 * there again. All of those times share one timer.
 */
export class Asleep {
  private readonly byAddress = new Map<string, string>();
  private readonly byName = new Map<string, CatalogueEntry>();
  private readonly wheel: DeadlineWheel;
  private isStarted = false;

  /** @param due called with the name of one that must be in memory soon */
  constructor(
    private readonly due: (name: string) => void,
    onError: (error: unknown, name: string) => void,
  ) {
    this.wheel = new DeadlineWheel(systemClock, { onError });
  }

  get size(): number {
    return this.byName.size;
  }

  get(name: string): CatalogueEntry | undefined {
    return this.byName.get(name);
  }

  /** The name of the one that has a host name. */
  at(address: string): string | undefined {
    return this.byAddress.get(address);
  }

  add(entry: CatalogueEntry): void {
    this.delete(entry.name);
    this.byName.set(entry.name, entry);
    this.byAddress.set(entry.address, entry.name);
    if (this.isStarted) this.arm(entry);
  }

  /** Their times come from now on. */
  start(): void {
    this.isStarted = true;
    for (const entry of this.byName.values()) this.arm(entry);
  }

  /** It must be in memory at another time: milliseconds since 1970. */
  wakeAt(name: string, time: number): void {
    this.wheel.arm(name, time - AHEAD_MS, this.due);
  }

  delete(name: string): void {
    const entry = this.byName.get(name);
    if (!entry) return;
    this.byName.delete(name);
    this.byAddress.delete(entry.address);
    this.wheel.disarm(name);
  }

  private arm({ name, wake_at = 0 }: CatalogueEntry): void {
    if (wake_at !== null) this.wakeAt(name, wake_at);
  }

  /** See {@link DeadlineWheel.checkClock}. */
  checkClock(): void {
    this.wheel.checkClock();
  }

  /** Nothing is due any more. */
  stop(): void {
    this.wheel.stop();
  }
}
