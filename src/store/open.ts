/** Opens a store by URL. */
import { assertEmbeddedStoreFits, currentRuntime } from '../platform/runtime-support.js';
import type { EntryChanges, Store, StoredEntry } from './port.js';
import { parseRedisUrl } from './redis/url.js';

/** A store and what the operator should know about it, one sentence each. */
export type OpenedStore = Store & { readonly warnings?: readonly string[] };

/** How a store is opened. */
export interface OpenOptions {
  /** How long a request waits for a server that does not answer. Milliseconds. */
  readonly waitMs?: number;
  /** How many replicas of the server must have a commit before it is acknowledged; absent or 0: none. */
  readonly replicas?: number;
  /** Reads the changes of a journal entry, which may stand in for what is damaged. */
  readonly readChanges?: (entry: StoredEntry) => EntryChanges;
}

/**
 * Opens the store a URL names: `embedded:<directory>`, or one of the Redis URLs of `redis/url.ts`.
 * @throws Error for a scheme that is unknown or a store that cannot be opened; it never shows
 *   credentials
 */
export async function openStore(url: string, options: OpenOptions = {}): Promise<OpenedStore> {
  const colon = url.indexOf(':');
  const scheme = colon < 0 ? '' : url.slice(0, colon);
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case 'embedded':
      if (rest === '')
        throw new Error('The store URL names no directory: use embedded:<directory>');
      return openEmbedded(rest, options);
    case 'redis':
    case 'rediss':
    case 'redis+sentinel':
    case 'rediss+sentinel':
    case 'redis+cluster':
    case 'rediss+cluster':
      return openRedis(url, options);
    case '':
      throw new Error('The store URL has no scheme: use embedded:<directory> or redis://<host>');
    default:
      throw new Error(`Unknown store type ${scheme}: use embedded:<directory> or redis://<host>`);
  }
}

/**
 * Opens a store, asks the servers behind it, and closes it again.
 * @returns what can be lost with them, one sentence each
 * @throws as `openStore`
 */
export async function risksOfStore(url: string, options: OpenOptions): Promise<string[]> {
  const store = await openStore(url, options);
  await store.close();
  const { warnings = [] } = store;
  if (url.startsWith('embedded:')) return [...warnings];
  const { readTopology } = await import('./redis/topology.js');
  const { topologyRisks } = await import('./redis/topology-risks.js');
  const topology = await readTopology(parseRedisUrl(url), patienceOf(options));
  return [...warnings, ...topologyRisks(topology, options.replicas ?? 0)];
}

/** A lost reply is noticed after half of the time, and the other half is for finding out. */
function patienceOf({ waitMs = 10_000 }: OpenOptions) {
  return { replyMs: waitMs / 2, waitMs: waitMs / 2 };
}

/** Loads the native library only where it is used, and only where it can be. */
async function openEmbedded(directory: string, { readChanges }: OpenOptions): Promise<OpenedStore> {
  assertEmbeddedStoreFits(currentRuntime());
  const { openEmbeddedStore } = await import('./embedded/store.js');
  return openEmbeddedStore(directory, { readChanges });
}

/** Loads the client, some 20 MB, only where it is used. */
async function openRedis(url: string, options: OpenOptions): Promise<OpenedStore> {
  const target = parseRedisUrl(url);
  const { openRedisStore } = await import('./redis/store.js');
  const patience = options.waitMs ? patienceOf(options) : {};
  return openRedisStore(target, { ...patience, replicas: options.replicas });
}
