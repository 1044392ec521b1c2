import { monotonicTime } from '../../platform/time.js';
import { setInterval, clearInterval } from '../../platform/timers.js';
import type { AppLog } from './log.js';

/** How often the operator is reminded, milliseconds. */
const REMINDER_MS = 30_000;
/** Outages and reasons that are told within that time: a store that comes and goes many times a second fills no log. */
const TOLD_AT_ONCE = 5;

/** Tells the operator of a store that is away: one short line when it begins, and one each half minute. */
export class StoreAwayLog {
  private timer: NodeJS.Timeout | undefined;
  private isTold = false;
  /** Since when lines are counted, and how many there were and were left out. */
  private since = -Infinity;
  private lines = 0;
  private untold = 0;
  private seconds = 0;
  private reason = '';

  /** @param message what the lines say */
  constructor(
    private readonly log: Pick<AppLog, 'error'>,
    private readonly message: string,
    /** Milliseconds, by a steady clock. */
    private readonly now: () => number = monotonicTime,
  ) {}

  /** The store is away, or still is. A call for the same reason adds nothing. */
  away(error: unknown): void {
    const reason = reasonOf(error);
    if (this.timer && this.reason === reason) return;
    this.reason = reason;
    this.timer ??= setInterval(() => {
      this.seconds += REMINDER_MS / 1000;
      this.tell();
    }, REMINDER_MS).unref();
    if (this.mayTell()) this.tell();
    else this.untold++;
  }

  /** The store is there, or nobody waits for it any more. @returns whether it was said that it is away */
  over(): boolean {
    const wasTold = this.isTold;
    clearInterval(this.timer);
    this.timer = undefined;
    this.isTold = false;
    this.seconds = 0;
    return wasTold;
  }

  private mayTell(): boolean {
    const now = this.now();
    if (now - this.since >= REMINDER_MS) {
      this.since = now;
      this.lines = 0;
    }
    return ++this.lines <= TOLD_AT_ONCE;
  }

  private tell(): void {
    const { reason, seconds, untold } = this;
    const lasting = seconds === 0 ? {} : { for_s: seconds };
    this.log.error(
      { reason, ...lasting, ...(untold === 0 ? {} : { left_out: untold }) },
      this.message,
    );
    this.isTold = true;
    this.untold = 0;
  }
}

/** Without a stack: where the client of a store noticed tells an operator nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of a host with several addresses, Node tells one error each.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  return error.message || (first instanceof Error ? first.message : error.name);
}
