/** `parley serve` in one process. */
import { exit } from '../platform/processes.js';
import { keepCompileCache } from '../platform/compile-cache.js';
import type { Config } from '../config/config.js';
import { assertNativeFits } from '../http/native-binary.js';
import { assertServerFits, currentRuntime } from '../platform/runtime-support.js';
import { endInOrder } from '../host/ending.js';
import { createLog, endOnFault } from '../host/monitoring/process-log.js';
import { announcement, type Output } from '../host/output.js';
import { RecentLog } from '../host/monitoring/recent-log.js';

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
