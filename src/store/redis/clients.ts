/** Opens clients of the three kinds of target, and makes them look the same: one node, one queue. */
import { createCluster } from 'redis';
import { readFile } from '../../platform/files.js';
import { ClusterMasters } from './cluster-masters.js';
import { Sentinels } from './sentinels.js';
import {
  COMMON_OPTIONS,
  connectUntil,
  openServer,
  sendOver,
  socketOptions,
  UNLIMITED,
  type NodeClient,
  type TlsMaterial,
} from './server-client.js';
import type { RedisTarget, TlsFiles } from './url.js';

/**
 * In a Cluster the client tries one address after the other, and a machine that is gone refuses no connection, it says nothing.
 * The request that waits has 2.5 s by default for each attempt, in which another address must have its turn.
 */
const CLUSTER_CONNECT_TIMEOUT_MS = 1000;

/** @throws Error for a file that cannot be read */
export async function readTlsFiles(files: TlsFiles | null): Promise<TlsMaterial> {
  const named = Object.entries(files ?? {}).filter(([, path]) => path !== null);
  const read = named.map(async ([name, path]) => [name, await readFile(path as string)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/**
 * Opens a client, once: clients never connect again by themselves and never send a command twice, because
 * only the adapter can tell what a lost reply means.
 * @param ended aborts to end the connection, also one that is still being made; what waits for a
 *   reply is rejected
 */
export type OpenClient = (ended: AbortSignal) => Promise<NodeClient>;

/**
 * What opens clients of a target. Those of one opener share what they need to find the master.
 * @param key any key of the organization, to find its node in a Cluster
 * @param tls for a target that encrypts
 */
export function clientsOf(target: RedisTarget, key: string, tls: TlsMaterial = {}): OpenClient {
  const { kind, addresses, credentials, database } = target;
  const socket = socketOptions(target.tls !== null, tls);
  switch (kind) {
    case 'server':
      return async (ended) => ({
        send: await openServer(addresses[0]!, credentials, socket, ended, database),
      });
    case 'sentinel': {
      const sentinels = new Sentinels(target, tls);
      return (ended) => openMaster(target, sentinels, tls, ended);
    }
    case 'cluster':
      return (ended) => openInCluster(target, key, tls, ended);
  }
}

/** @throws Error where Sentinels name a server that is no master: one that does not know yet, or a replica */
async function openMaster(
  { credentials, database, tls: files }: RedisTarget,
  sentinels: Sentinels,
  tls: TlsMaterial,
  ended: AbortSignal,
): Promise<NodeClient> {
  const named = await sentinels.master();
  const replaced = new AbortController();
  // Also while it connects: the machine of a master that died answers nothing.
  const unwatch = sentinels.watch(named, () => replaced.abort());
  ended.addEventListener('abort', unwatch, { once: true });
  const either = AbortSignal.any([ended, replaced.signal]);
  try {
    if (ended.aborted) throw new Error('The connection was ended');
    const socket = socketOptions(files !== null, tls);
    const send = await openServer(named.address, credentials, socket, either, database);
    const info = String(await send(['INFO', 'replication']));
    if (!/^role:master\r?$/m.test(info))
      throw new Error('Sentinels name a server that is no master');
    return { send, isConfirmed: () => sentinels.confirm(named) };
  } catch (error) {
    unwatch();
    replaced.abort();
    throw error;
  }
}

async function openInCluster(
  target: RedisTarget,
  key: string,
  tls: TlsMaterial,
  ended: AbortSignal,
): Promise<NodeClient> {
  const socket = socketOptions(target.tls !== null, tls);
  const cluster = createCluster({
    ...UNLIMITED,
    RESP: 2,
    rootNodes: target.addresses.map((address) => ({ socket: { ...address } })),
    minimizeConnections: true,
    defaults: {
      ...COMMON_OPTIONS,
      ...target.credentials,
      socket: { ...socket, connectTimeout: CLUSTER_CONNECT_TIMEOUT_MS },
    },
  });
  await connectUntil(ended, cluster);
  const send = sendOver(await cluster.getNodeClientForKey(key));
  const masters = await ClusterMasters.around(send, key, target.credentials, socket);
  return { send, isConfirmed: () => masters.confirm(), isReplaced: () => masters.isReplaced() };
}
