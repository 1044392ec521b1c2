/** A worker: the server in one of several processes that a supervisor runs (architecture.md#workers). */
import type { pino } from 'pino';
import { exit } from '../platform/processes.js';
import { keepCompileCache } from '../platform/compile-cache.js';
import { ConfigError, type Config } from '../config/config.js';
import { NewerStoreError } from '../organization/state/software.js';
import type { App } from '../host/app-options.js';
import { announcement } from '../host/output.js';
import { ForeignSecretError } from '../nodes/history/key-secret.js';
import { createLog, endOnFault } from '../host/monitoring/process-log.js';
import { RecentLog } from '../host/monitoring/recent-log.js';
import { endInOrder } from '../host/ending.js';
import type { FromWorker, ToWorker, WorkerFailure, WorkerPlace } from '../host/workers/messages.js';
import { onceSettled } from '../turns/background.js';

/** What no restart cures. */
const LASTING = [ConfigError, ForeignSecretError, NewerStoreError];

/** Serves until the supervisor says otherwise, or has gone. */
export async function runWorker(place: WorkerPlace, read: () => Config): Promise<void> {
  if (!process.send) throw new ConfigError('PARLEY_WORKER is set by parley serve --workers alone');
  // Told once, and perhaps before there is anything to end in good order.
  process.once('disconnect', endBeforeStart);
  if (!process.connected) endBeforeStart();
  try {
    await startWorker(place, ownConfig(read(), place));
  } catch (error) {
    fail(failureOf(error));
  }
}

async function startWorker(place: WorkerPlace, config: Config): Promise<void> {
  const recentLog = new RecentLog();
  const log = await createLog(config.log, { worker: place.index }, recentLog);
  endOnFault(log);
  const { createApp } = await import('./app.js');
  const app = createApp(config, {
    log,
    recentLog,
    announce: (text, facts, state) =>
      tell({ kind: 'said', said: announcement(text, facts), state: state ?? null }),
    fatal: (error) => {
      log.fatal({ err: error }, 'this process must not continue');
      fail(failureOf(error));
    },
    worker: { listens: () => tell({ kind: 'listens' }) },
  });
  obey(app, log);
  await app.start();
  await keepCompileCache();
}

/** Does what the supervisor says. A supervisor that is gone leaves nobody behind. */
function obey(app: App, log: pino.Logger): void {
  process.off('disconnect', endBeforeStart);
  process.on('disconnect', () =>
    endInOrder(app, log, { signal: 'the supervisor is gone', othersGoOn: false }),
  );
  process.on('message', (message) => {
    const order = message as ToWorker;
    if (order.kind === 'stop') endInOrder(app, log, { signal: 'stop', ...order });
    else {
      const { id, withMetrics } = order;
      onceSettled(
        app.report(withMetrics),
        (report) => tell({ kind: 'report', id, report }),
        (error: unknown) => log.error({ err: error }, 'a report could not be made'),
      );
    }
  });
  // A terminal signals each process of the group, workers too: the supervisor says which one ends when.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => tell({ kind: 'signalled', signal }));
  }
  process.on('SIGHUP', () => undefined);
}

/** The supervisor is gone, and nobody is served yet. */
function endBeforeStart(): void {
  exit(0);
}

/** The part of the options that is this worker's. */
function ownConfig(config: Config, { index, port }: WorkerPlace): Config {
  const { host, port: first } = config.nodeAddress;
  return { ...config, port, nodeAddress: { host, port: first === 0 ? 0 : first + index - 1 } };
}

function failureOf(error: unknown): WorkerFailure {
  const isUsage = error instanceof ConfigError;
  return {
    text: error instanceof Error ? error.message : String(error),
    status: isUsage ? 2 : 1,
    isLasting: LASTING.some((kind) => error instanceof kind),
  };
}

/** Ends the process once the supervisor knows why. */
function fail(failure: WorkerFailure): void {
  const end = (): void => exit(failure.status);
  if (process.connected) process.send!({ kind: 'failed', ...failure } satisfies FromWorker, end);
  else end();
}

function tell(message: FromWorker): void {
  // An error would say that the supervisor is gone, which `disconnect` reports.
  if (process.connected) process.send!(message, () => undefined);
}
