import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import type { Test } from 'tap';
import {
  jsonArguments,
  launchRedis,
  type RedisProcess,
} from '../../../src/store/fixtures/redis-process.js';
import type { Host } from './hosts.js';

/** What a server says when it becomes master: told by Sentinel or by hand, or elected in a Cluster. */
const PROMOTED = /MASTER MODE enabled|Failover election won/;

/** RedisHost is a host with a Redis server on it, which may die and come back. */
export class RedisHost {
  /** Called when it becomes master. */
  onPromoted: () => void = () => undefined;
  #process: RedisProcess | null = null;

  private constructor(
    readonly host: Host,
    readonly port: number,
    private readonly args: readonly string[],
  ) {}

  /** A server that does not run yet, with a directory that goes with the test. */
  static async at(t: Test, host: Host, settings: readonly string[]): Promise<RedisHost> {
    const directory = mkdtempSync(join(tmpdir(), 'parley-redis-'));
    const port = await host.port(6379);
    const basics = ['--port', String(port), '--dir', directory, '--save', ''];
    const open = ['--bind', '0.0.0.0', '--protected-mode', 'no', '--repl-diskless-sync-delay', '0'];
    const args = [...jsonArguments(), ...basics, ...open, ...settings];
    const server = new RedisHost(host, port, args);
    t.teardown(async () => {
      await server.kill();
      rmSync(directory, { recursive: true, force: true });
    });
    return server;
  }

  get place(): string {
    return `${this.host.address}:${this.port}`;
  }

  /** Starts it on what it left. */
  async start(...further: string[]): Promise<void> {
    const heard = (line: string): void => {
      if (PROMOTED.test(line)) this.onPromoted();
    };
    const { within } = this.host;
    this.#process = await launchRedis([...this.args, ...further], /Ready to accept/, {
      within,
      heard,
    });
  }

  async kill(): Promise<void> {
    await this.#process?.end();
  }

  /** It stands still, and its connections stay. */
  stop(): void {
    this.#process!.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process!.child.kill('SIGCONT');
  }

  /** Its last lines. */
  get said(): readonly string[] {
    return this.#process?.said.slice(-40) ?? [];
  }

  /** Sends one command over a connection of its own, which no cut closes. */
  command(...command: string[]): Promise<unknown> {
    return sendTo(this.host.front, this.port, command);
  }

  /** Its view of the replication, by name. */
  async replication(): Promise<ReadonlyMap<string, string>> {
    const text = String(await this.command('INFO', 'replication'));
    return new Map(
      [...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name, value]) => [name!, value!]),
    );
  }
}

/** Sends one command to a server. */
export async function sendTo(
  host: string,
  port: number,
  command: readonly string[],
): Promise<unknown> {
  const client = createClient({ RESP: 2, socket: { host, port, reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}
