/**
 * The writer role of a directory, for one process at a time.
 *
 * The holder listens on a Unix socket inside the directory; the lease record names it. Whoever wants
 * the role asks the kernel: a socket that takes a connection belongs to a live process (also one that
 * is busy or stopped, or in another container), one that refuses it was left behind by a dead one.
 * So a kill -9 frees the lease at once and a reused process id cannot be mistaken for the holder.
 * The record changes hands in a transaction conditional on the token, so of several contenders one
 * wins; and every commit is conditional on it too, so that even a holder whose socket was removed
 * by hand cannot write after its successor.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { FencedError, type Lease } from '../port.js';
import { LEASE_KEY, type Environment } from './environment.js';

interface LeaseRecord {
  readonly holder: string;
  /** File name of the holder's socket. */
  readonly socket: string;
}

/** What the operating system takes for the path of a socket, in bytes. */
const MAX_SOCKET_PATH = 103;
/** Processes that wait for one lease; the connections of more are closed at once. */
const MAX_WAITING = 64;
const SOCKET_FILE = /^lease-.+\.sock$/;

/** The writer role of a directory: whoever listens on the socket that the record names has it. */
export class DirectoryLease {
  readonly #directory: string;
  #lease: Lease | null = null;
  #socket: LeaseSocket | null = null;
  /** Serializes taking and releasing. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    directory: string,
    private readonly meta: Environment['meta'],
  ) {
    this.#directory = resolve(directory);
  }

  /** @throws FencedError when this process does not hold the lease */
  held(): Lease {
    if (this.#lease === null) throw new FencedError('The lease is not held');
    return this.#lease;
  }

  /** @throws FencedError unless `lease` is the one held here */
  check(lease: Lease): void {
    const error = this.refusal(lease);
    if (error !== null) throw error;
  }

  /** The error of `check`, or null. */
  refusal(lease: Lease): FencedError | null {
    if (this.#lease?.token === lease.token) return null;
    return new FencedError(this.#lease === null ? 'The lease is not held' : undefined);
  }

  /** The newest token that was ever given out for the directory, 0 at first. */
  newestToken(): number {
    return this.meta.getEntry(LEASE_KEY)?.version ?? 0;
  }

  acquire(holder: string): Promise<Lease | null> {
    return this.#inTurn(() => (this.#lease === null ? this.#take(holder) : null));
  }

  release(lease: Lease | null): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#lease === null || (lease !== null && lease.token !== this.#lease.token)) return;
      this.#lease = null;
      await this.#socket?.close();
      this.#socket = null;
    });
  }

  /** Resolves when the holder releases the lease or ends, after `withinMs`, or on abort. */
  async freed(withinMs: number, signal: AbortSignal): Promise<void> {
    const { socket: name } = JSON.parse(this.meta.get(LEASE_KEY) ?? '{}') as Partial<LeaseRecord>;
    if (name && !signal.aborted) await holderGone(this.#directory, name, withinMs, signal);
  }

  #inTurn<T>(action: () => T | Promise<T>): Promise<T> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #take(holder: string): Promise<Lease | null> {
    const current = this.meta.getEntry(LEASE_KEY);
    if (current?.version === undefined) throw new Error('The lease record is missing');
    const { socket: name } = JSON.parse(current.value) as LeaseRecord;
    if (await isAlive(this.#directory, name)) return null;
    const socket = await LeaseSocket.listen(this.#directory, `lease-${randomUUID()}.sock`);
    const token = current.version + 1;
    const record: LeaseRecord = { holder, socket: socket.name };
    const won = await this.#record(current.version, token, record).catch(async (error: unknown) => {
      await socket.close();
      throw error;
    });
    if (!won) {
      await socket.close();
      return null;
    }
    this.#socket = socket;
    this.#lease = { token };
    await removeDeadSockets(this.#directory);
    return this.#lease;
  }

  #record(from: number, token: number, record: LeaseRecord): Promise<boolean> {
    return this.meta.ifVersion(LEASE_KEY, from, () => {
      void this.meta.put(LEASE_KEY, JSON.stringify(record), token);
    });
  }
}

/** A listening socket that tells others this process lives. */
class LeaseSocket {
  private constructor(
    readonly name: string,
    private readonly server: Server,
    private readonly free: () => void,
    private readonly waiting: ReadonlySet<Socket>,
  ) {}

  static async listen(directory: string, name: string): Promise<LeaseSocket> {
    const { path, free } = socketPath(directory, name);
    const waiting = new Set<Socket>();
    const server = createServer((connection) => {
      // Kept open: that it closes tells whoever waits for the lease.
      waiting.add(connection.unref());
      connection.on('error', () => undefined);
      connection.on('close', () => waiting.delete(connection));
      connection.resume();
    });
    server.maxConnections = MAX_WAITING;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ path }, resolve);
      });
    } catch (error) {
      free();
      throw new Error('Cannot make a Unix socket in the directory', { cause: error });
    }
    server.unref();
    return new LeaseSocket(name, server, free, waiting);
  }

  /** Stops listening and removes the file. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => {
        this.free();
        resolve();
      });
      for (const connection of this.waiting) connection.destroy();
    });
  }
}

/**
 * Whether a process listens on the socket. Only a plain "nobody there" counts as no: when in doubt,
 * the directory has a writer.
 */
async function isAlive(directory: string, name: string): Promise<boolean> {
  if (name === '') return false;
  const { path, free } = socketPath(directory, name);
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(undefined);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  free();
  return code !== 'ECONNREFUSED' && code !== 'ENOENT';
}

/** Resolves when whoever listens on the socket stops doing so, or when it is enough. */
async function holderGone(
  directory: string,
  name: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { path, free } = socketPath(directory, name);
  const connection = connect({ path });
  const end = (): void => void connection.destroy();
  const timer = setTimeout(end, withinMs);
  signal.addEventListener('abort', end);
  connection.on('error', () => undefined);
  connection.resume();
  await new Promise<void>((resolve) => connection.once('close', () => resolve()));
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  free();
}

async function removeDeadSockets(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (!SOCKET_FILE.test(name) || (await isAlive(directory, name))) continue;
    try {
      unlinkSync(join(directory, name));
    } catch {
      // Its owner removed it first.
    }
  }
}

/** A path short enough for a socket address: by way of an open directory where the real one is not. */
function socketPath(directory: string, name: string): { path: string; free: () => void } {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH || process.platform !== 'linux') {
    return { path, free: () => undefined };
  }
  const descriptor = openSync(directory, 'r');
  return { path: `/proc/self/fd/${descriptor}/${name}`, free: () => closeSync(descriptor) };
}
