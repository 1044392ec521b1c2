/** Paths of the files that a process keeps outside the store. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { existsSync, readdirSync } from '../../platform/files.js';
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

/** Whether there is an embedded store: opening would make one. */
export function hasStore(config: Kept): boolean {
  return existsSync(join(folderOf(config), 'data.mdb'));
}

/** The folder of the catalogue of a data folder with several organizations. */
export function cataloguePath(config: Kept): string {
  return join(folderOf(config), 'catalogue');
}

/** Whether a data folder has several organizations. */
export function hasCatalogue(config: Kept): boolean {
  return isEmbedded(config) && existsSync(join(cataloguePath(config), 'data.mdb'));
}

/** Path of the catalogue; null where there is none. */
export function catalogueIn(config: Kept): string | null {
  return hasCatalogue(config) ? cataloguePath(config) : null;
}

/** Path of the secret from which API keys are derived. */
export function secretPath(config: Config): string {
  return config.secretFile ?? join(folderOf(config), 'api-keys.secret');
}

/** What of a configuration says where a process keeps what is its own. */
type Placed = Kept & Pick<Config, 'state'>;

/**
 * The folder of what processes keep for themselves: `--state`, else beside the data. With Redis it is named by the
 * store, so that processes of one folder which serve different stores have nothing in common.
 */
export function stateFolder(config: Placed): string {
  if (config.state !== null) return config.state;
  return isEmbedded(config) ? folderOf(config) : `state-${storeName(config.store)}`;
}

/** Longest name of a store in the name of a folder: the path of a socket in it has a limit of 107 bytes. */
const MAX_STORE_NAME = 48;

/** A store on Redis as a file name: `127.0.0.1-6379-0-main`. */
function storeName(url: string): string {
  const { kind, addresses, masterName, database, organization } = parseRedisUrl(url);
  const servers = addresses.map(({ host, port }) => `${host}-${port}`);
  const parts = [kind === 'server' ? '' : kind, ...servers, masterName, database, organization];
  const name = parts
    .filter((part) => part !== '')
    .join('-')
    .replaceAll(/[^\w.-]/g, '_');
  if (name.length <= MAX_STORE_NAME) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_STORE_NAME - digest.length - 1)}-${digest}`;
}

/** Path of the socket for the operator's commands, at the process that leads. */
export function adminPath(config: Placed): string {
  return join(stateFolder(config), 'admin.sock');
}

/** Path of the socket for commands about organizations, at the process that serves them. */
export function hostPath(config: Placed): string {
  return join(stateFolder(config), 'host.sock');
}

/** The folder of the search indexes of all processes of a store here. */
export function searchFolder(config: Placed): string {
  return join(stateFolder(config), 'search');
}

/** Path of the file with the index of messages, in a folder of a process, or of the processes of an embedded store. */
export function indexPath(folder: string): string {
  return join(folder, 'message-index.bin');
}

/** Where the processes here that serve a store keep indexes of it: on Redis each has a folder of its own, by number. */
export function keptPlaces(config: Placed): {
  readonly messageIndexes: readonly string[];
  readonly searchIndexes: string;
} {
  const place = stateFolder(config);
  const own = isEmbedded(config) || !existsSync(place) ? ['.'] : readdirSync(place);
  return {
    messageIndexes: own
      .filter((name) => name === '.' || /^\d+$/.test(name))
      .map((name) => indexPath(join(place, name)))
      .filter((path) => existsSync(path)),
    searchIndexes: searchFolder(config),
  };
}

/** Path of the witness file, in a folder likewise. */
export function witnessPath(folder: string): string {
  return join(folder, 'witness.json');
}

/** Path of the file that says when queues were used, while their organization is asleep. */
export function restPath(folder: string): string {
  return join(folder, 'queues-at-rest.json');
}

/** Path of the figures of the last hours, in a folder likewise. */
export function figuresPath(folder: string): string {
  return join(folder, 'figures.bin');
}
