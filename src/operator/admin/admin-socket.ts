/**
 * The local socket by which `parley users`, `queues`, `stats` and `tail` reach the node that leads: one line of JSON
 * asks, lines of JSON answer. Whoever may open it may read the data anyway: it has mode 0600, beside them.
 */
import type { Server, Socket } from 'node:net';
import { chmodSync, lstatSync, renameSync, rmSync } from '../../platform/files.js';
import { createServer } from '../../platform/network.js';
import { ApiError, serviceUnavailable } from '../../errors/index.js';
import type { AppLog } from '../../host/monitoring/log.js';
import { carryOut } from './admin-commands.js';
import type { AdminNode, AdminRequest, Asker } from './admin-request.js';
import { lineOf, requestIn } from './request-line.js';
import { inBackground } from '../../turns/background.js';

/** A line of an answer. */
export type AdminLine =
  | { readonly kind: 'row'; readonly row: unknown }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'error'; readonly message: string };

/** Longest path of a Unix socket, bytes: that of Linux, less its end. */
const MAX_PATH = 107;

/** Answers a request of the socket. @throws ApiError with what the operator should read */
type Answer = (request: AdminRequest, asker: Asker) => Promise<unknown>;

/** The commands of one organization. @param node null while it is not led here */
export function ofLeader(node: () => AdminNode | null): Answer {
  return async (request, asker) => {
    const leading = node();
    if (!leading) throw serviceUnavailable('This node does not lead');
    return carryOut(leading, request, asker);
  };
}

/** Open while somebody can answer. */
export class AdminSocket {
  private server: Server | undefined;
  private inode = 0;
  private readonly clients = new Set<Socket>();

  constructor(
    private readonly path: string,
    private readonly work: Answer,
    private readonly log: AppLog,
  ) {}

  /** Whether a command is being carried out. */
  get isBusy(): boolean {
    return this.clients.size > 0;
  }

  /** Opens it; a failure is logged and ends nothing, since clients of the API don't need it. */
  open(): void {
    this.close();
    const own = `${this.path}.${process.pid}`;
    if (Buffer.byteLength(own) > MAX_PATH) {
      this.log.warn({ path: this.path }, 'no admin socket: its path is too long');
      return;
    }
    this.tried(() => this.listen(own));
  }

  private listen(own: string): void {
    const server = createServer((client) => this.serve(client));
    this.server = server;
    server.on('error', (error) => this.log.warn({ err: error }, 'the admin socket failed'));
    // Nobody else may open it before it has its mode.
    const umask = process.umask(0o177);
    try {
      rmSync(own, { force: true });
      server.listen(own);
    } finally {
      process.umask(umask);
    }
    // It is there when `listen` returns, unless an error follows.
    if (!server.listening) return;
    chmodSync(own, 0o600);
    this.inode = lstatSync(own).ino;
    // In the place of one that a killed process left. A server that closes removes the first name alone.
    renameSync(own, this.path);
    server.unref();
  }

  /** Idempotent. */
  close(): void {
    if (!this.server) return;
    this.server.close();
    this.server = undefined;
    for (const client of this.clients) client.destroy();
    this.tried(() => {
      const there = lstatSync(this.path, { throwIfNoEntry: false });
      // Another node may lead by now.
      if (there?.ino === this.inode) rmSync(this.path, { force: true });
    });
  }

  /** Works on the folder of the socket, which may fail, or refuse this user, while the data is in order. */
  private tried(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.log.warn({ err: error, path: this.path }, 'the admin socket failed');
    }
  }

  private serve(client: Socket): void {
    this.clients.add(client);
    client.on('close', () => this.clients.delete(client));
    client.on('error', () => client.destroy());
    const say = (line: AdminLine): void => void client.write(`${JSON.stringify(line)}\n`);
    const answer = async (): Promise<void> => {
      try {
        const line = await lineOf(client);
        // What comes behind the line is read, so that the end is noticed, and dropped.
        client.resume();
        if (line === null) return;
        const result = await this.answer(line, client, (row) => say({ kind: 'row', row }));
        say({ kind: 'done', result: result ?? null });
      } catch (error) {
        say({ kind: 'error', message: this.reasonOf(error) });
      } finally {
        client.end();
      }
    };
    inBackground(answer, () => client.destroy());
  }

  private async answer(
    line: Buffer,
    client: Socket,
    row: (row: unknown) => void,
  ): Promise<unknown> {
    const request = await requestIn(line);
    const gone = new Promise<void>((resolve) => client.once('close', () => resolve()));
    const isGone = (): boolean => client.destroyed;
    const drained = async (): Promise<void> => {
      if (client.writableNeedDrain && !isGone()) {
        await Promise.race([new Promise((done) => client.once('drain', done)), gone]);
      }
    };
    return this.work(request, { row, drained, gone, isGone });
  }

  /** What the operator reads; a fault goes to the log, too. */
  private reasonOf(error: unknown): string {
    if (!(error instanceof ApiError)) this.log.error({ err: error }, 'an admin command failed');
    return error instanceof Error ? error.message : String(error);
  }
}
