/** A client of one server: what all kinds of target come to in the end. */
import { createClient } from 'redis';
import { onceSettled } from '../../turns/background.js';
import type { RedisAddress, RedisCredentials, TlsFiles } from './url.js';

/**
 * Sends a command to the node that holds the organization. Commands go out in call order.
 * @param behind others, sent right behind it over the same connection; all replies are the result then
 */
export type Send = (
  command: readonly string[],
  behind?: readonly (readonly string[])[],
) => Promise<unknown>;

/** A client of the server that holds the organization. */
export interface NodeClient {
  readonly send: Send;
  /**
   * Whether those who promote replicas say, after the call, that this server is the master, and that they have not begun to
   * promote another. Absent where nobody does but the operator.
   */
  readonly isConfirmed?: (() => Promise<boolean>) | undefined;
  /** Whether others say that another server has its place; asked where it does not answer. Absent where clients learn it otherwise. */
  readonly isReplaced?: (() => Promise<boolean>) | undefined;
}

export const CONNECT_TIMEOUT_MS = 3000;

/** Certificates as they were read: see `TlsFiles`. */
export type TlsMaterial = Partial<Record<keyof TlsFiles, Buffer>>;

/**
 * No time limits of the client's own, which make a timer and, seconds later, an error for each command:
 * connections have theirs.
 */
export const UNLIMITED = { commandOptions: { timeout: undefined } } as const;

/**
 * Replies in the form of protocol version 2: the same on every server. Servers from 7.2 on list the connections with a
 * `lib-name` that has the tag; a name, which older ones list too, would need a user that may run `client`.
 */
export const COMMON_OPTIONS = {
  ...UNLIMITED,
  RESP: 2,
  clientInfoTag: 'parley',
  disableOfflineQueue: true,
  maintNotifications: 'disabled',
} as const;

export type SocketOptions = TlsMaterial & {
  readonly connectTimeout: number;
  readonly reconnectStrategy: false;
  readonly tls?: true;
};

/** Options of sockets to servers of a target. */
export function socketOptions(encrypts: boolean, tls: TlsMaterial): SocketOptions {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectStrategy: false,
    ...(encrypts ? { tls: true as const, ...tls } : {}),
  };
}

/** Connects to one server, once. @param ended aborts to end the connection, also one that is still being made */
export async function openServer(
  address: RedisAddress,
  credentials: RedisCredentials,
  socket: SocketOptions,
  ended: AbortSignal,
  database?: number,
): Promise<Send> {
  const client = createClient({
    ...COMMON_OPTIONS,
    ...credentials,
    ...(database === undefined ? {} : { database }),
    socket: { ...socket, ...address },
  });
  await connectUntil(ended, client);
  return sendOver(client);
}

/** Sends over one client, which has one connection and never another. */
export function sendOver(client: {
  sendCommand(command: readonly string[]): Promise<unknown>;
}): Send {
  return (command, behind) => {
    const reply = client.sendCommand(command);
    if (behind === undefined) return reply;
    return Promise.all([reply, ...behind.map((one) => client.sendCommand(one))]);
  };
}

/** Connects a client, and destroys it when the signal aborts. */
export async function connectUntil(
  ended: AbortSignal,
  client: {
    connect(): Promise<unknown>;
    destroy(): void | Promise<void>;
    on(event: 'error', listener: (error: unknown) => void): unknown;
  },
): Promise<void> {
  let reason: Error | undefined;
  client.on('error', (error) => {
    if (error instanceof Error) reason = error;
  });
  const destroy = (): void => {
    // One that was ending by itself may object.
    void (async () => client.destroy())().catch(reportedByCommands);
  };
  ended.addEventListener('abort', destroy);
  const connected = client.connect();
  // A client destroyed while it connects goes on to connect, for seconds where a machine is gone.
  const late = (): void => {
    if (ended.aborted) destroy();
  };
  onceSettled(connected, late, reportedByCommands);
  await new Promise<void>((resolve, reject) => {
    const end = (): void => reject(new Error('The connection was ended'));
    if (ended.aborted) end();
    ended.addEventListener('abort', end, { once: true });
    // Of several nodes the client says only that none would do.
    const failed = (error: Error): void => reject(reason ?? error);
    onceSettled(
      connected,
      () => resolve(),
      (error) => failed(error as Error),
    );
  });
}

/** Whoever waits for a command learns of the failure; nobody else needs to. */
function reportedByCommands(): void {
  // Without a listener an error event would end the process.
}
