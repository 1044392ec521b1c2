import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { processUsage, type ProcessUsage } from './process-usage.js';

/** What `--store` says for a Redis of the bench's own. */
export const OWN_REDIS = 'redis';
const START_MS = 10_000;

const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A redis-server of the bench's own, which writes its log once a second. */
export class RedisServer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Starts one on a free port; null where redis-server is not installed. */
  static async start(): Promise<RedisServer | null> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bench-redis-'));
    const port = await freePort();
    const address = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
    const durability = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
    const child = spawn('redis-server', [...address, ...durability], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const failed = new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      child.once('exit', () => resolve(false));
    });
    const ready = new Promise<boolean>((resolve) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        if (chunk.includes('Ready to accept connections')) resolve(true);
      });
      setTimeout(() => resolve(false), START_MS).unref();
    });
    if (await Promise.race([ready, failed])) {
      running.add(child);
      return new RedisServer(port, child, folder);
    }
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    return null;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Whether one can be started here. */
  static async isInstalled(): Promise<boolean> {
    const server = await RedisServer.start();
    await server?.stop();
    return server !== null;
  }

  usage(): ProcessUsage {
    return processUsage(this.child.pid!);
  }

  /** Bytes that it has sent to all its clients. */
  async bytesSent(): Promise<number> {
    const socket = connect(this.port, '127.0.0.1');
    socket.write('INFO stats\r\n');
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString();
      const found = /total_net_output_bytes:(\d+)\r/.exec(text);
      if (found) return Number(found[1]);
    }
    throw new Error('Redis does not tell what it has sent');
  }

  async stop(): Promise<void> {
    running.delete(this.child);
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
