import { monotonicTime } from '../platform/time.js';
import { clearTimeout, setTimeout } from '../platform/timers.js';

/** A timer may be early by part of a millisecond. */
const EARLY_MS = 1;

/**
 * Beat repeats an action at the multiples of its period by the steady clock. So the beats of a process coincide, on one
 * timer: an idle process pays some 0.1 ms each time it wakes, and next to nothing for what it looks at then. It keeps no
 * process alive.
 */
export class Beat {
  /** When it is to come, by the clock; while it runs. */
  due = Infinity;

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
    if (this.due !== Infinity) return;
    this.next(monotonicTime());
    running.add(this);
  }

  /** Idempotent. */
  stop(): void {
    if (this.due === Infinity) return;
    this.due = Infinity;
    running.delete(this);
  }

  /** Says when it comes next. Beats that a busy event loop left out are not made up for. */
  next(now: number): void {
    // One that came early by part of a millisecond must not come twice.
    this.due = (Math.floor(now / this.ms + 0.5) + 1) * this.ms;
  }

  /** Comes, unless another one has stopped it meanwhile. @param due when it was to come */
  come(now: number, due: number): void {
    if (this.due !== Infinity) this.action(Math.max(0, now - due));
  }
}

/** The beats that run, and the timer of the next one. */
class RunningBeats {
  private readonly beats = new Set<Beat>();
  private timer: NodeJS.Timeout | undefined;

  add(beat: Beat): void {
    this.beats.add(beat);
    this.arm(monotonicTime());
  }

  delete(beat: Beat): void {
    this.beats.delete(beat);
    if (this.beats.size === 0) clearTimeout(this.timer);
  }

  private arm(now: number): void {
    clearTimeout(this.timer);
    let end = Infinity;
    for (const { due } of this.beats) end = Math.min(end, due);
    this.timer = setTimeout(this.come, Math.max(0, Math.ceil(end - now))).unref();
  }

  private readonly come = (): void => {
    const now = monotonicTime();
    const coming: [beat: Beat, due: number][] = [];
    for (const beat of this.beats) {
      const { due } = beat;
      if (due > now + EARLY_MS) continue;
      coming.push([beat, due]);
      beat.next(now);
    }
    // First: an action that throws keeps none from coming again.
    this.arm(now);
    for (const [beat, due] of coming) beat.come(now, due);
  };
}

/** The beats of this process. */
const running = new RunningBeats();
