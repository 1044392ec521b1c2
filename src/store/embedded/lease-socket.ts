/**
 * The socket of the process that has the writer role: a Unix socket in the store's directory.
 *
 * It tells three things. That it takes connections: the process lives, even if it is busy or stopped, or in
 * another container. That its connections close: the process ended, or gave the role up. And to those who
 * send it a byte, how far the journal is durable, whenever that changes.
 */
import { closeSync, openSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** What the operating system takes for the path of a socket, in bytes. */
const MAX_SOCKET_PATH = 103;
/** Two per process that follows and waits for the lease; the connections of more are closed at once. */
const MAX_CONNECTIONS = 1024;
/** A position as it is sent: a double, which holds every safe integer. */
const POSITION_BYTES = 8;
/** What asks for positions; any byte would do. */
const SUBSCRIBE = 'f';

/** A listening socket that tells others this process lives, and how far the journal is durable. */
export class LeaseSocket {
  readonly #connections = new Set<Socket>();
  readonly #followers = new Set<Socket>();
  readonly #server: Server;
  #position = 0;

  private constructor(
    readonly name: string,
    private readonly free: () => void,
  ) {
    this.#server = createServer((connection) => this.#accept(connection.unref()));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws Error where no socket can be made */
  static async listen(directory: string, name: string): Promise<LeaseSocket> {
    const { path, free } = socketPath(directory, name);
    const socket = new LeaseSocket(name, free);
    const server = socket.#server;
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
    return socket;
  }

  /** Tells followers that the journal is durable up to a position. */
  announce(position: number): void {
    this.#position = position;
    if (this.#followers.size === 0) return;
    const frame = this.#frame();
    for (const follower of this.#followers) {
      // One that does not read gets the newest position when it does, and none meanwhile.
      if (!follower.writableNeedDrain) follower.write(frame);
    }
  }

  /** Stops listening, ends all connections, and removes the file. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => {
        this.free();
        resolve();
      });
      for (const connection of this.#connections) connection.destroy();
    });
  }

  #accept(connection: Socket): void {
    this.#connections.add(connection);
    connection.on('error', () => undefined);
    connection.on('close', () => {
      this.#connections.delete(connection);
      this.#followers.delete(connection);
    });
    const tell = (): void => void connection.write(this.#frame());
    connection.once('data', () => {
      this.#followers.add(connection);
      tell();
      connection.on('drain', tell);
    });
    connection.resume();
  }

  #frame(): Buffer {
    const frame = Buffer.allocUnsafe(POSITION_BYTES);
    frame.writeDoubleLE(this.#position);
    return frame;
  }
}

/** A connection to the socket of another process; `end` closes it and lets go of its path. */
interface LeaseConnection {
  readonly connection: Socket;
  readonly end: () => void;
}

/** Connects to a socket in a directory. Errors only close the connection. */
function connectTo(directory: string, name: string): LeaseConnection {
  const { path, free } = socketPath(directory, name);
  const connection = connect({ path });
  connection.on('error', () => undefined);
  connection.once('close', free);
  return { connection, end: () => void connection.destroy() };
}

/**
 * Whether a process listens on the socket. Only a plain "nobody there" counts as no: when in doubt,
 * the directory has a writer.
 */
export async function isAlive(directory: string, name: string): Promise<boolean> {
  if (name === '') return false;
  const { connection, end } = connectTo(directory, name);
  const code = await new Promise<string | undefined>((resolve) => {
    connection.once('connect', () => {
      end();
      resolve(undefined);
    });
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  return code !== 'ECONNREFUSED' && code !== 'ENOENT';
}

/** Calls `gone` once when whoever listens on the socket stops doing so, unless the result is called before. */
export function onceGone(directory: string, name: string, gone: () => void): () => void {
  const { connection, end } = connectTo(directory, name);
  connection.resume().once('close', gone);
  return () => {
    connection.off('close', gone);
    end();
  };
}

/**
 * Hears how far the journal is durable, from whoever listens on the socket.
 * @param heard called with a position; of several that came together with the last
 * @param gone called once when the connection closes, or could not be made
 * @returns ends the connection, without a call of `gone`
 */
export function hearPositions(
  directory: string,
  name: string,
  heard: (position: number) => void,
  gone: () => void,
): () => void {
  const { connection, end } = connectTo(directory, name);
  let rest: Buffer = Buffer.alloc(0);
  connection.write(SUBSCRIBE);
  connection.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % POSITION_BYTES);
    rest = bytes.subarray(whole);
    if (whole > 0) heard(bytes.readDoubleLE(whole - POSITION_BYTES));
  });
  connection.once('close', gone);
  return () => {
    connection.off('close', gone);
    end();
  };
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
