/** Paths of the files that a process keeps outside the store. */
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { parseRedisUrl } from '../../store/redis/url.js';

/** What says where an organization is kept. */
type Kept = Pick<Config, 'store'>;

/** Whether the store is a folder of this machine. */
export function isEmbedded(config: Kept): boolean {
  return config.store.startsWith('embedded:');
}

/** The folder of an embedded store, else the working directory. */
export function folderOf(config: Kept): string {
  return /^embedded:(.+)$/.exec(config.store)?.[1] ?? '.';
}

/** Path of the secret from which API keys are derived. */
export function secretPath(config: Config): string {
  return config.secretFile ?? join(folderOf(config), 'api-keys.secret');
}

/**
 * Path of the file with the index of messages. Processes of an embedded store share one: the leader writes it.
 */
export function indexPath(config: Config, worker = 1): string {
  if (isEmbedded(config)) return join(folderOf(config), 'message-index.bin');
  return join(folderOf(config), `message-index-${nodeName(config, worker)}.bin`);
}

/** Path of the socket for the operator's commands; of several organizations on Redis, each has its own. */
export function adminPath(config: Kept): string {
  if (isEmbedded(config)) return join(folderOf(config), 'admin.sock');
  return join(folderOf(config), `admin-${parseRedisUrl(config.store).organization}.sock`);
}

/**
 * Path of the witness file. Processes of one folder may serve several stores on Redis, so the name contains
 * the store; and workers know each what it has seen itself. Processes of an embedded store share one.
 */
export function witnessPath(config: Config, worker = 1): string {
  if (isEmbedded(config)) return join(folderOf(config), 'witness.json');
  return join(folderOf(config), `witness-${nodeName(config, worker)}.json`);
}

/** What tells the files of processes apart that serve stores on Redis from one folder. */
function nodeName(config: Config, worker: number): string {
  const { organization } = parseRedisUrl(config.store);
  return worker === 1 ? organization : `${organization}+${worker}`;
}

/** The folder of the search indexes of all processes of a store here. */
export function searchFolder(config: Config): string {
  if (isEmbedded(config)) return join(folderOf(config), 'search');
  return join(folderOf(config), `search-${parseRedisUrl(config.store).organization}`);
}
