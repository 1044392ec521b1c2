/** How a process that serves ends: in order, and in time whatever hangs. */
import type { pino } from 'pino';
import { exit } from '../platform/processes.js';
import { setTimeout } from '../platform/timers.js';
import { onceSettled } from '../turns/background.js';
import type { App } from './app-options.js';

/** Longest time between a signal and the exit, milliseconds. */
const SHUTDOWN_MS = 9_000;
/** Beyond that, after which a process that hangs is ended, milliseconds. */
export const HANGING_MS = 500;

/** How a process ends. */
interface Ending {
  readonly signal: string;
  readonly deadlineMs?: number;
  /** Whether another node goes on; default: the application knows. */
  readonly othersGoOn?: boolean | undefined;
}

const stopping = new WeakSet<App>();

/** Drains, and ends the process with status 0, or 1 when that fails or takes too long. */
export function endInOrder(app: App, log: pino.Logger, ending: Ending): void {
  if (stopping.has(app)) return;
  stopping.add(app);
  const { signal, deadlineMs = SHUTDOWN_MS, othersGoOn } = ending;
  log.info({ signal }, 'stopping');
  // Whatever hangs, the process ends in time.
  setTimeout(() => exit(1), deadlineMs + HANGING_MS).unref();
  onceSettled(
    app.stop(deadlineMs, othersGoOn),
    () => exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'the shutdown failed');
      exit(1);
    },
  );
}
