import { setInterval, clearInterval } from '../../platform/timers.js';
import type { AppLog } from './log.js';

/** How often the operator is reminded, milliseconds. */
const REMINDER_MS = 30_000;

/** Tells the operator of a store that is away: one short line when it begins, and one each half minute. */
export class StoreAwayLog {
  private timer: NodeJS.Timeout | undefined;
  private seconds = 0;
  private reason = '';

  /** @param message what the lines say */
  constructor(
    private readonly log: Pick<AppLog, 'error'>,
    private readonly message: string,
  ) {}

  /** The store is away, or still is. A call for the same reason adds nothing. */
  away(error: unknown): void {
    const reason = reasonOf(error);
    if (this.timer && this.reason === reason) return;
    this.reason = reason;
    this.log.error({ reason, ...this.since() }, this.message);
    this.timer ??= setInterval(() => {
      this.seconds += REMINDER_MS / 1000;
      this.log.error({ reason: this.reason, ...this.since() }, this.message);
    }, REMINDER_MS).unref();
  }

  /** The store is there, or nobody waits for it any more. @returns whether it was away */
  over(): boolean {
    const wasAway = this.timer !== undefined;
    clearInterval(this.timer);
    this.timer = undefined;
    this.seconds = 0;
    return wasAway;
  }

  private since(): object {
    return this.seconds === 0 ? {} : { for_s: this.seconds };
  }
}

/** Without a stack: where the client of a store noticed tells an operator nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of a host with several addresses, Node tells one error each.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  return error.message || (first instanceof Error ? first.message : error.name);
}
