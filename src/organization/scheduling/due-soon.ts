import type { Deadlines, DeadlineWheel } from '../../../actors/deadline-wheel.js';
import type { Deadline } from './scheduled-items.js';

/** How far ahead of its time the deadline of a scheduled item is armed. */
export const LOOK_AHEAD_MS = 10_000;
/** Items armed, or due and not delivered, at most; later ones wait in the store's due index until these are done. */
export const MAX_SOON = 1000;

/** Dependencies of {@link DueSoon}. */
interface DueSoonOptions {
  /** By the wall clock. */
  readonly wheel: Pick<DeadlineWheel, 'keySet'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when the deadline of an item has passed. */
  readonly due: (key: string) => void;
  /** Items that are due and not delivered. */
  readonly beingDelivered: () => number;
}

/** The armed deadlines: of the items that are due before the horizon, at most {@link MAX_SOON}. */
export class DueSoon {
  private readonly deadlines: Deadlines;
  private readonly keys = new Set<string>();
  /** Every item due before this is armed. Milliseconds since 1970. */
  horizon = -Infinity;

  constructor(private readonly options: DueSoonOptions) {
    this.deadlines = options.wheel.keySet();
  }

  /** Armed deadlines. */
  get size(): number {
    return this.keys.size;
  }

  /** Arms the deadline of an item if it comes soon, else disarms it. */
  set(key: string, at: Deadline): void {
    if (at === undefined || at === null || at >= this.horizon) this.disarm(key);
    else if (this.keys.has(key) || this.size + this.options.beingDelivered() < MAX_SOON) {
      this.arm(key, at);
    } else {
      // At the bound this item, and every later one, waits in the store.
      this.horizon = at;
    }
  }

  /** Arms the deadline of an item, wherever the horizon is. */
  arm(key: string, at: number): void {
    if (at <= this.options.now()) {
      this.disarm(key);
      this.options.due(key);
    } else {
      this.keys.add(key);
      this.deadlines.arm(key, at, this.fire);
    }
  }

  /** Disarms all but these. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.keys) if (!keys.has(key)) this.disarm(key);
  }

  private disarm(key: string): void {
    if (this.keys.delete(key)) this.deadlines.disarm(key);
  }

  private readonly fire = (key: string): void => {
    this.keys.delete(key);
    this.options.due(key);
  };
}
