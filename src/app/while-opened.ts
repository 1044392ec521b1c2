import type { Config } from '../config/config.js';
import type { App, AppOptions } from '../host/app-options.js';
import { adminPath, hasStore, isEmbedded } from '../host/data-folder/places.js';
import { holdsOrganization } from '../nodes/history/first-start.js';
import { readStopped } from '../operator/stopped-store.js';
import { createLog } from '../host/monitoring/process-log.js';

/** Longest time for closing the store, milliseconds. */
const STOP_MS = 5000;

/**
 * Leads with a store that nobody serves, without a listener for clients and without work of its own: no mail is sent,
 * no message delivered.
 * @throws Error where it is served, on Redis, or not there
 */
export async function whileOpened<Result>(
  config: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isEmbedded(config)) {
    throw new Error(
      `No leading server has its admin socket at ${adminPath(config)}: run this command on its machine, in its working directory or with its --state`,
    );
  }
  // It would be made: a first start.
  if (!hasStore(config) || !(await readStopped(config.store, holdsOrganization))) {
    throw new Error(`${config.store} holds no organization`);
  }
  const silent: AppOptions['announce'] = () => undefined;
  return withMaintainedApp(config, silent, async (app) => {
    const { node } = await app.report(false);
    if (node.role !== 'leader') {
      throw new Error(`${config.store} is served by another process, whose admin socket is gone`);
    }
    return work();
  });
}

/** Makes an organization in the place that a configuration names. @returns its owner's password; null where it is there already */
export async function createdIn(config: Config): Promise<string | null> {
  let password: string | null = null;
  const announce: AppOptions['announce'] = (_text, facts) => {
    if ('owner' in facts) ({ password } = facts.owner as { password: string });
  };
  await withMaintainedApp(config, announce, async () => undefined);
  return password;
}

/** Does something while an application is started for the operator alone. */
async function withMaintainedApp<Result>(
  config: Config,
  announce: AppOptions['announce'],
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const { createApp } = await import('./app.js');
  let failed: (error: unknown) => void = () => undefined;
  const fatal = new Promise<never>((_resolve, reject) => (failed = reject));
  const quiet: Config = { ...config, metrics: null, workers: 1 };
  const app = createApp(quiet, {
    log: await createLog('error'),
    announce,
    fatal: failed,
    maintenance: true,
  });
  try {
    await Promise.race([app.start(), fatal]);
    return await Promise.race([work(app), fatal]);
  } finally {
    await app.stop(STOP_MS, false);
  }
}
