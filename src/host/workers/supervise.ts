import type { pino } from 'pino';
import { createServer } from '../../platform/network.js';
import { exit } from '../../platform/processes.js';
import type { Config } from '../../config/config.js';
import { isServing } from '../../http/health.js';
import { assertNativeFits } from '../../http/native-binary.js';
import type { ProcessReport } from '../app-options.js';
import { localUrl } from '../../config/network.js';
import { announcement, type Output } from '../output.js';
import type { MetricJson } from '../monitoring/metrics.js';
import type { AppLog } from '../monitoring/log.js';
import { createLog, endOnFault } from '../monitoring/process-log.js';
import type { WorkerFailure } from './messages.js';
import { Supervisor } from './supervisor.js';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { cannotListen } from '../../http/cannot-listen.js';
import { inBackground, onceSettled, untold } from '../../turns/background.js';

/** `parley serve --workers N`: the process that starts the workers and shows what they do. */

/** How a supervisor tells its operator. */
interface ServeOutput extends Pick<Output, 'row'> {
  /** Ends the process: no worker can serve. */
  readonly failed: (failure: WorkerFailure) => void;
}

/** Runs the workers until a signal. @throws Error when they cannot listen */
export async function supervise(
  config: Config,
  warnings: readonly string[],
  { row: announce, failed }: ServeOutput,
): Promise<void> {
  const log = await createLog(config.log);
  for (const warning of warnings) log.warn({}, warning);
  endOnFault(log);
  await assertNativeFits();
  const port = await findSharedPort(config.host, config.port);
  let ended = (_index: number): void => undefined;
  const supervisor = new Supervisor({
    count: config.workers,
    port,
    url: localUrl(config.host, port, config.tls !== null),
    log,
    announce,
    failed,
    ended: (index) => ended(index),
  });
  obeySignals(supervisor, log);
  if (config.metrics) {
    const metrics = await showMetrics(supervisor, log, config.metrics);
    ended = metrics.ended;
    announce(announcement(`Metrics are served on ${metrics.url}`, { metrics: metrics.url }));
  }
  supervisor.start();
}

function obeySignals(supervisor: Supervisor, log: pino.Logger): void {
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping');
    onceSettled(
      supervisor.stop(),
      (inOrder) => exit(inOrder ? 0 : 1),
      () => exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A second signal changes nothing: the workers are ending already.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined);
  process.on('SIGHUP', () => {
    // A terminal that is closed ends what runs in it.
    if (process.stderr.isTTY) stop('SIGHUP');
    else {
      const failed = (error: unknown): void =>
        log.error({ err: error }, 'the rolling restart failed');
      inBackground(() => supervisor.roll(), failed);
    }
  });
}

/** Serves the metrics of all workers. @throws Error when the address is taken */
async function showMetrics(
  supervisor: Supervisor,
  log: AppLog,
  address: NonNullable<Config['metrics']>,
): Promise<{ url: string; ended: (index: number) => void }> {
  const [{ GroupMetrics }, { MetricsListener }, { ConnectionLimit }] = await Promise.all([
    import('./group-metrics.js'),
    import('../monitoring/metrics-listener.js'),
    import('../../http/limits/connection-limit.js'),
  ]);
  const group = new GroupMetrics(() => supervisor.restarts);
  const look = async (): Promise<Map<number, readonly MetricJson[]>> => {
    const reports = await supervisor.reports(true);
    const told = new Map([...reports].map(([index, { metrics }]) => [index, metrics ?? []]));
    group.told(told);
    return told;
  };
  const listener = new MetricsListener(
    {
      contentType: group.contentType,
      text: (path) => {
        if (path === '/metrics') return look().then((workers) => group.summed(workers));
        if (path === '/metrics/workers') return look().then((workers) => group.each(workers));
        return null;
      },
      health: async () => {
        const { health, node } = best([...(await supervisor.reports(false)).values()]);
        return { status: health, node };
      },
    },
    new ConnectionLimit(log),
  );
  return {
    url: await listener.listen(address),
    ended: (index) => inBackground(() => group.ended(index), untold),
  };
}

/** The report of a worker that leads, else of one that serves, else of any. */
function best(
  reports: readonly ProcessReport[],
): Pick<ProcessReport, 'health'> & Partial<ProcessReport> {
  const serving = reports.filter(({ health }) => isServing(health));
  const leading = serving.find(({ node }) => node.role === 'leader');
  return leading ?? serving[0] ?? reports[0] ?? { health: 'starting' };
}

/**
 * Finds the port that workers are to share; 0 selects a free one. Workers would listen beside any other process
 * of this account that shares the port, and each would get a part of the requests: so it is tried alone first.
 * @throws Error when the port is in use or the address is not local
 */
export async function findSharedPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  probe.listen({ host, port, exclusive: true });
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const { port: found } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return found;
}
