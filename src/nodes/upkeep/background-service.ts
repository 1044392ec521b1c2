import { NEVER, NOW } from '../../organization/state/scheduled/next-due.js';
import { inBackground } from '../../turns/background.js';
import { Beat } from '../../turns/beat.js';
import { clearTimeout, setTimeout } from '../../platform/timers.js';

/** A service that runs by itself during a leadership term. */
export interface Background {
  /** Called once, when the organization is loaded. */
  start(): void;
  /** Called once, when the term ends, even if `start` was not; the service does nothing afterwards. */
  stop(): void;
  /**
   * When the organization must be in memory for it next ({@link NOW}, {@link NEVER}), by its documents: whoever plans
   * something says so here, because an organization that nobody uses leaves memory until then.
   */
  nextDue(): number | Promise<number>;
}

export const NOTHING: Background = {
  start: () => undefined,
  stop: () => undefined,
  nextDue: () => NEVER,
};

/**
 * Repeats an action every `ms` milliseconds, together with others of the process: a look at what is in memory, for which
 * nothing need be in memory.
 */
export function every(ms: number, action: () => void): Background {
  const beat = new Beat(ms, action);
  return { start: () => beat.start(), stop: () => beat.stop(), nextDue: () => NEVER };
}

/** Upkeep that runs in rounds. */
interface Rounds {
  /** One round. */
  readonly run: () => Promise<unknown>;
  readonly failed: (error: unknown) => void;
  /** When there is something for a round to do. @param since when the last one began, milliseconds since 1970 */
  readonly due: (since: number) => number | Promise<number>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const HOUR_MS = 3_600_000;
/** Delay after the start: what was due while the organization was not in memory is done soon. */
const FIRST_MS = 2000;

/** Does upkeep every hour, and soon after the start: an organization may be in memory for minutes only. */
export function hourly({ run, failed, due, now }: Rounds): Background {
  let began: number | null = null;
  let isRunning = false;
  let first: NodeJS.Timeout | undefined;
  const round = (): void => {
    if (isRunning) return;
    isRunning = true;
    began = now();
    inBackground(() => run().finally(() => (isRunning = false)), failed);
  };
  const rounds = every(HOUR_MS, round);
  return {
    start: () => {
      first = setTimeout(round, FIRST_MS);
      rounds.start();
    },
    stop: () => {
      clearTimeout(first);
      rounds.stop();
    },
    nextDue: async () => {
      if (isRunning || began === null) return NOW;
      return Math.max(await due(began), began + HOUR_MS);
    },
  };
}
