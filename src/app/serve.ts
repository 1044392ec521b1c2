/** `parley serve` in one process. */
import type { pino } from 'pino';
import { exit } from '../platform/processes.js';
import { setTimeout } from '../platform/timers.js';
import { keepCompileCache } from '../platform/compile-cache.js';
import type { Config } from '../config/config.js';
import { assertNativeFits } from '../http/native-binary.js';
import { assertServerFits, currentRuntime } from '../platform/runtime-support.js';
import type { App } from './app-options.js';
import { createLog, endOnFault } from './monitoring/process-log.js';
import { announcement, type Output } from './output.js';
import { RecentLog } from './monitoring/recent-log.js';
import { onceSettled } from '../turns/background.js';

/** Longest time between a signal and the exit, milliseconds. */
export const SHUTDOWN_MS = 9_000;
/** Beyond that, after which a process that hangs is ended, milliseconds. */
export const HANGING_MS = 500;

/** Serves until a signal. @throws Error when it cannot */
export async function serve(
  config: Config,
  warnings: readonly string[],
  { row }: Pick<Output, 'row'>,
): Promise<void> {
  const recentLog = new RecentLog();
  const log = await createLog(config.log, {}, recentLog);
  for (const warning of warnings) log.warn({}, warning);
  endOnFault(log);
  assertServerFits(currentRuntime());
  // Loaded only where it is used: the server is large, other commands are not.
  const [{ createApp }] = await Promise.all([import('./app.js'), assertNativeFits()]);
  const app = createApp(config, {
    log,
    recentLog,
    announce: (text, facts) => row(announcement(text, facts)),
    fatal: (error) => {
      log.fatal({ err: error }, 'this process must not continue');
      exit(1);
    },
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => endInOrder(app, log, { signal }));
  }
  await app.start();
  await keepCompileCache();
}

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
