import { connect, type Socket } from 'node:net';
import type { ApiClient } from '../client.js';
import type { RunningServer } from '../server.js';

/*
 * Many connections that cause work in the same round of a server's event loop: the process stands still while they send,
 * so that it finds everything at once.
 */

/** A raw connection, and what came from its other end. */
export class Connection {
  /** The beginning of what was heard. */
  head = '';
  bytes = 0;
  isOver = false;
  private readonly socket: Socket;
  private waiting: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (this.head.length < 2000) this.head += chunk.toString('latin1', 0, 2000);
      this.changed();
    });
    // The other end may close while there is more to say.
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isOver = true;
      this.changed();
    });
  }

  opened(): Promise<void> {
    if (!this.socket.connecting) return Promise.resolve();
    return new Promise((resolve) => this.socket.once('connect', resolve));
  }

  say(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Reads nothing until {@link listen}: what the other end sends fills the network. */
  ignore(): void {
    this.socket.pause();
  }

  listen(): void {
    this.socket.resume();
  }

  /** Resolves when it has heard so many bytes, or the other end has closed. */
  async heard(bytes: number): Promise<void> {
    await this.until(() => this.bytes >= bytes);
  }

  /** Resolves when `holds` does, or the other end has closed. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.isOver)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.socket.destroy();
    await this.until(() => false);
  }

  private changed(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const one of waiting) one();
  }
}

/** Opens so many connections. */
export async function connections(port: number, count: number): Promise<Connection[]> {
  const all = Array.from({ length: count }, () => new Connection(port));
  await Promise.all(all.map((one) => one.opened()));
  return all;
}

/** Does something while servers stand still, which they find all at once. */
export async function atOnce(
  servers: readonly RunningServer[],
  work: () => void | Promise<void>,
): Promise<void> {
  for (const server of servers) server.pause();
  try {
    await work();
    // What was written goes to the kernel.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    for (const server of servers) server.resume();
  }
}

/** The head of a request, of the API unless another place is named. */
export function head(
  account: ApiClient,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>> = {},
  base = '/api/v1',
): string {
  const all = { Host: 'x', Authorization: account.authorization, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${base}${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
