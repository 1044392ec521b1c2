/** Paths of the files that a process keeps outside the store. */
import { join } from 'node:path';
import type { Config } from '../config.js';
import { parseRedisUrl } from '../store/redis/url.js';

/** Whether the store is a folder of this machine. */
export function isEmbedded(config: Config): boolean {
  return config.store.startsWith('embedded:');
}

/** The folder of an embedded store, else the working directory. */
export function folderOf(config: Config): string {
  return /^embedded:(.+)$/.exec(config.store)?.[1] ?? '.';
}

/** Path of the secret from which API keys are derived. */
export function secretPath(config: Config): string {
  return config.secretFile ?? join(folderOf(config), 'api-keys.secret');
}

/**
 * Path of the witness file. Processes of one folder may serve several stores on Redis, so the name contains
 * the store; and workers know each what it has seen itself. Processes of an embedded store share one.
 */
export function witnessPath(config: Config, worker = 1): string {
  if (isEmbedded(config)) return join(folderOf(config), 'witness.json');
  const { organization } = parseRedisUrl(config.store);
  const number = worker === 1 ? '' : `+${worker}`;
  return join(folderOf(config), `witness-${organization}${number}.json`);
}
