import { monotonicTime } from '../platform/time.js';
import { clearTimeout, setTimeout } from '../platform/timers.js';

/**
 * Beat repeats an action at the multiples of its period by the steady clock. So the beats of a process coincide: an idle
 * process pays some 0.1 ms each time it wakes, and next to nothing for what it looks at then. It keeps no process alive.
 */
export class Beat {
  private timer: NodeJS.Timeout | undefined;
  private due = 0;

  /**
   * @param ms the period
   * @param action is told by how many milliseconds it is late
   */
  constructor(
    private readonly ms: number,
    private readonly action: (lateMs: number) => void,
  ) {}

  /** The first beat comes after half a period at the earliest, as every other one. Idempotent. */
  start(): void {
    if (this.timer === undefined) this.arm(monotonicTime());
  }

  /** Idempotent. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Beats that a busy event loop left out are not made up for. */
  private arm(now: number): void {
    // A timer may be early by part of a millisecond, which must not make the same beat come twice.
    this.due = (Math.floor(now / this.ms + 0.5) + 1) * this.ms;
    this.timer = setTimeout(this.beat, this.due - now).unref();
  }

  private readonly beat = (): void => {
    const now = monotonicTime();
    const late = Math.max(0, now - this.due);
    this.arm(now);
    this.action(late);
  };
}
