/** Opens clients of the three kinds of target, and makes them look the same: one node, one queue. */
import { createClient, createCluster, createSentinel, ErrorReply } from 'redis';
import { readFile } from '../../platform/files.js';
import { pause } from '../../platform/timers.js';
import type { RedisAddress, RedisCredentials, RedisTarget, TlsFiles } from './url.js';

/**
 * Sends a command to the node that holds the organization. Commands go out in call order.
 * @param behind another, sent right behind it over the same connection; both replies are the result then
 */
export type Send = (command: readonly string[], behind?: readonly string[]) => Promise<unknown>;

const CONNECT_TIMEOUT_MS = 3000;
/**
 * In a Cluster the client tries one address after the other, and a machine that is gone refuses no connection, it says nothing.
 * The request that waits has 2.5 s by default for each attempt, in which another address must have its turn.
 */
const CLUSTER_CONNECT_TIMEOUT_MS = 1000;
/** How long other Sentinels are waited for when one has answered: that one may be cut off, and know of no failover. */
const OTHERS_MS = 100;

/** Certificates as they were read: see `TlsFiles`. */
export type TlsMaterial = Partial<Record<keyof TlsFiles, Buffer>>;

/** @throws Error for a file that cannot be read */
export async function readTlsFiles(files: TlsFiles | null): Promise<TlsMaterial> {
  const named = Object.entries(files ?? {}).filter(([, path]) => path !== null);
  const read = named.map(async ([name, path]) => [name, await readFile(path as string)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/**
 * Connects, once: clients never connect again by themselves and never send a command twice, because
 * only the adapter can tell what a lost reply means.
 * @param key any key of the organization, to find its node in a Cluster
 * @param ended aborts to end the connection, also one that is still being made; what waits for a
 *   reply is rejected
 * @param tls for a target that encrypts
 */
export function openNodeClient(
  target: RedisTarget,
  key: string,
  ended: AbortSignal,
  tls: TlsMaterial = {},
): Promise<Send> {
  const socket = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectStrategy: false,
    ...(target.tls === null ? {} : { tls: true as const, ...tls }),
  } as const;
  switch (target.kind) {
    case 'server':
      return openServer(target, socket, ended);
    case 'sentinel':
      return openSentinel(target, socket, ended);
    case 'cluster':
      return openCluster(target, socket, key, ended);
  }
}

/**
 * No time limits of the client's own, which make a timer and, seconds later, an error for each command:
 * connections have theirs.
 */
const UNLIMITED = { commandOptions: { timeout: undefined } } as const;

/**
 * Replies in the form of protocol version 2: the same on every server. Servers from 7.2 on list the connections with a
 * `lib-name` that has the tag; a name, which older ones list too, would need a user that may run `client`.
 */
const COMMON_OPTIONS = {
  ...UNLIMITED,
  RESP: 2,
  clientInfoTag: 'parley',
  disableOfflineQueue: true,
  maintNotifications: 'disabled',
} as const;

type SocketOptions = TlsMaterial & {
  readonly connectTimeout: number;
  readonly reconnectStrategy: false;
  readonly tls?: true;
};

async function openServer(
  target: RedisTarget,
  socket: SocketOptions,
  ended: AbortSignal,
): Promise<Send> {
  const [address] = target.addresses;
  const client = createClient({
    ...COMMON_OPTIONS,
    ...target.credentials,
    database: target.database,
    socket: { ...socket, ...address },
  });
  await connectUntil(ended, client);
  return sendOver(client);
}

/** Sends over one client, which has one connection and never another. */
function sendOver(client: { sendCommand(command: readonly string[]): Promise<unknown> }): Send {
  return (command, behind) => {
    const reply = client.sendCommand(command);
    return behind === undefined ? reply : Promise.all([reply, client.sendCommand(behind)]);
  };
}

async function openSentinel(
  target: RedisTarget,
  socket: SocketOptions,
  ended: AbortSignal,
): Promise<Send> {
  const options = (credentials: RedisCredentials) => ({
    ...COMMON_OPTIONS,
    ...credentials,
    socket,
  });
  const sentinel = createSentinel({
    name: target.masterName,
    ...UNLIMITED,
    RESP: 2,
    sentinelRootNodes: await answeringSentinels(target, socket, ended),
    // The client would send again what may have landed.
    maxCommandRediscovers: 0,
    nodeClientOptions: { ...options(target.credentials), database: target.database },
    sentinelClientOptions: options(target.sentinelCredentials),
  });
  await connectUntil(ended, sentinel);
  return (command, behind) => {
    if (behind === undefined) return sentinel.sendCommand(false, [...command]);
    // The client replaces its connection by itself when the master changes: a pipeline has one.
    const both = sentinel
      .multi()
      .addCommand(false, [...command])
      .addCommand(false, [...behind]);
    return both.execAsPipeline();
  };
}

/**
 * The Sentinels that answer now, those first that know of the newest failover. All are asked at once: the client asks one after
 * the other and always begins with the same, which may be on the machine that is gone.
 * @throws Error what one of them answered, or why none did
 */
async function answeringSentinels(
  { addresses, masterName, sentinelCredentials }: RedisTarget,
  socket: SocketOptions,
  ended: AbortSignal,
): Promise<RedisAddress[]> {
  const enough = new AbortController();
  const known: { address: RedisAddress; epoch: number }[] = [];
  const asked = addresses.map(async (address) => {
    const client = createClient({
      ...COMMON_OPTIONS,
      ...sentinelCredentials,
      socket: { ...socket, ...address },
    });
    try {
      await connectUntil(AbortSignal.any([ended, enough.signal]), client);
      const reply = await client.sendCommand<string[]>(['SENTINEL', 'MASTER', masterName]);
      known.push({ address, epoch: Number(reply[reply.indexOf('config-epoch') + 1]) });
    } finally {
      if (client.isOpen) client.destroy();
    }
  });
  const all = Promise.allSettled(asked);
  try {
    await Promise.any(asked);
  } catch (error) {
    const reasons = (error as AggregateError).errors as Error[];
    throw reasons.find((reason) => reason instanceof ErrorReply) ?? reasons[0]!;
  }
  await Promise.race([all, pause(OTHERS_MS)]);
  enough.abort();
  return known.sort((a, b) => b.epoch - a.epoch).map(({ address }) => address);
}

async function openCluster(
  target: RedisTarget,
  socket: SocketOptions,
  key: string,
  ended: AbortSignal,
): Promise<Send> {
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
  const node = await cluster.getNodeClientForKey(key);
  return sendOver(node);
}

/** Connects a client, and destroys it when the signal aborts. */
async function connectUntil(
  ended: AbortSignal,
  client: {
    connect(): Promise<unknown>;
    destroy(): void | Promise<void>;
    on(event: 'error', listener: (error: unknown) => void): unknown;
  },
): Promise<void> {
  let reason: unknown;
  client.on('error', (error) => {
    if (error instanceof Error) reason = error;
  });
  const destroy = (): void => {
    // One that was ending by itself may object.
    void (async () => client.destroy())().catch(reportedByCommands);
  };
  ended.addEventListener('abort', destroy);
  try {
    await client.connect();
  } catch (error) {
    // Of several nodes the client says only that none would do.
    throw reason ?? error;
  }
  if (!ended.aborted) return;
  // A client destroyed while it connects goes on to connect.
  destroy();
  throw new Error('The connection was ended');
}

/** Whoever waits for a command learns of the failure; nobody else needs to. */
function reportedByCommands(): void {
  // Without a listener an error event would end the process.
}
