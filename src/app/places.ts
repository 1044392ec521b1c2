/** Where a process keeps what is outside the store itself. */
import { join } from 'node:path';
import type { Config } from '../config.js';
import { parseRedisUrl } from '../store/redis/url.js';

/** Whether the organization is in a folder of this machine. */
export function isEmbedded(config: Config): boolean {
  return config.store.startsWith('embedded:');
}

/** The folder of an embedded store, else the one the process runs in. */
export function folderOf(config: Config): string {
  return /^embedded:(.+)$/.exec(config.store)?.[1] ?? '.';
}

/** Where the secret that API keys are derived from is kept. */
export function secretPath(config: Config): string {
  return config.secretFile ?? join(folderOf(config), 'api-keys.secret');
}

/**
 * Where this node keeps what it knows of the store. Processes of one folder may serve several stores on
 * Redis, so the name tells which.
 */
export function witnessPath(config: Config): string {
  if (isEmbedded(config)) return join(folderOf(config), 'witness.json');
  const { organization } = parseRedisUrl(config.store);
  return join(folderOf(config), `witness-${organization}.json`);
}
