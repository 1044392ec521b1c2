/**
 * The socket of the process that has the writer role: a Unix socket in the store's directory.
 *
 * It tells three things. That it takes connections: the process lives, even if it is busy or stopped, or in
 * another container. That its connections close: the process ended, or gave the role up. And to those who
 * ask for them, how far the journal is durable, whenever that changes. A process that asks for a pause gets an
 * answer once nothing is being written; nothing will be until its connection closes.
 */
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { emitWarning } from 'node:process';
import { closeSync, openSync } from '../../../platform/files.js';
import { connect, createServer } from '../../../platform/network.js';
import { monotonicTime } from '../../../platform/time.js';
import { setInterval, clearInterval } from '../../../platform/timers.js';
import { isStopped, kill, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { inBackground } from '../../../turns/background.js';

/** The sockets of those who have the writer role, or are about to take it. */
export const LEASE_SOCKET = /^lease-.+\.sock$/;
/** What the operating system takes for the path of a socket, in bytes. */
const MAX_SOCKET_PATH = 103;
/** Two per process that follows and waits for the lease; the connections of more are closed at once. */
const MAX_CONNECTIONS = 1024;
/** A position as it is sent: a double, which holds every safe integer. */
const POSITION_BYTES = 8;
/** Asks for positions. */
const SUBSCRIBE = 'f';
/** Asks for a pause; the process that asks follows, as JSON. */
const PAUSE = 'p';
/** After so long, and from then on, a pause is checked: opening the database takes milliseconds. */
const PAUSE_LOOK_MS = 500;
/** A pause ends after this time in any case: nobody may stop the writer for good. */
const MOST_PAUSE_MS = 5000;

/** A listening socket that tells others this process lives, and how far the journal is durable. */
export class LeaseSocket {
  readonly #connections = new Set<Socket>();
  /** Those that asked how far the journal is durable. */
  readonly followers = new Set<Socket>();
  readonly #server: Server;

  private constructor(
    readonly name: string,
    private readonly writer: SocketWriter,
    private readonly free: () => void,
  ) {
    this.#server = createServer((connection) => this.#accept(connection.unref()));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws Error where no socket can be made */
  static async listen(
    directory: string,
    name: string,
    writer: SocketWriter = NO_WRITER,
  ): Promise<LeaseSocket> {
    const { path, free } = socketPath(directory, name);
    const socket = new LeaseSocket(name, writer, free);
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

  /** Tells followers how far the journal is durable by now. */
  announce(): void {
    const frame = this.#frame();
    for (const follower of this.followers) {
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
      this.followers.delete(connection);
    });
    connection.once('data', (asked: Buffer) => {
      const text = asked.toString();
      if (text.startsWith(PAUSE)) {
        // The pause ends when the connection closes.
        inBackground(
          () => this.#pauseFor(connection, text.slice(PAUSE.length)),
          () => connection.destroy(),
        );
      } else this.#follow(connection);
    });
    connection.resume();
  }

  #follow(connection: Socket): void {
    const tell = (): void => void connection.write(this.#frame());
    this.followers.add(connection);
    tell();
    connection.on('drain', tell);
  }

  /**
   * Pauses until the connection closes. A suspended process that asked for it is killed: it may have opened the
   * database half way.
   */
  async #pauseFor(connection: Socket, asker: string): Promise<void> {
    // Its close lets writes go on, which may be all that this process waits for.
    connection.ref();
    const resume = await this.writer.pause();
    const until = monotonicTime() + MOST_PAUSE_MS;
    const look = setInterval(() => {
      const process = identityIn(asker);
      if (process && isStopped(process) && kill(process)) {
        emitWarning(`Process ${process.pid} stood still while it opened the database: killed it`);
      } else if (monotonicTime() >= until) connection.destroy();
    }, PAUSE_LOOK_MS).unref();
    const end = (): void => {
      clearInterval(look);
      resume();
    };
    if (connection.destroyed) end();
    else {
      connection.once('close', end);
      connection.write(this.#frame());
    }
  }

  #frame(): Buffer {
    const frame = Buffer.allocUnsafe(POSITION_BYTES);
    frame.writeDoubleLE(this.writer.position());
    return frame;
  }
}

/** What the socket reports of the process that writes, and requests from it. */
export interface SocketWriter {
  /** How far the journal is durable. */
  position(): number;
  /** Holds back what this process would write. @returns ends that */
  pause(): Promise<() => void>;
}

/** Of a socket that only shows that its process lives. */
const NO_WRITER: SocketWriter = { position: () => 0, pause: async () => () => undefined };

function identityIn(text: string): ProcessIdentity | null {
  try {
    return JSON.parse(text) as ProcessIdentity | null;
  } catch {
    return null;
  }
}

/** A connection to the socket of another process; `end` closes it and frees its path. */
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

/** Calls `gone` once when the process that listens on the socket stops doing so, unless the result is called before. */
export function onceGone(directory: string, name: string, gone: () => void): () => void {
  const { connection, end } = connectTo(directory, name);
  connection.resume().once('close', gone);
  return () => {
    connection.off('close', gone);
    end();
  };
}

/**
 * Receives how far the journal is durable, from the process that listens on the socket.
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

/**
 * Asks the process that listens on a socket to write nothing until the connection ends.
 * @returns `answered` resolves when it writes nothing, or nobody listens any more
 */
export function askToPause(
  directory: string,
  name: string,
): { readonly answered: Promise<void>; readonly end: () => void } {
  const { connection, end } = connectTo(directory, name);
  connection.write(PAUSE + JSON.stringify(ownIdentity()));
  const answered = new Promise<void>((resolve) => {
    connection.once('data', () => resolve());
    connection.once('close', () => resolve());
  });
  return { answered, end };
}

/** A path short enough for a socket address: by way of an open directory where the real one is not. */
export function socketPath(directory: string, name: string): { path: string; free: () => void } {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH || process.platform !== 'linux') {
    return { path, free: () => undefined };
  }
  const descriptor = openSync(directory, 'r');
  return { path: `/proc/self/fd/${descriptor}/${name}`, free: () => closeSync(descriptor) };
}
