import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { launchRedis, type RedisProcess } from '../../../src/store/fixtures/redis-process.js';
import type { Host, Hosts } from './hosts.js';
import { RedisHost, sendTo } from './redis-host.js';
import { isDone, StoreMachines } from './store-machines.js';

const NAME = 'chat';
/** After so long without an answer a Sentinel takes a server for dead, milliseconds. */
const DOWN_MS = 1000;
/** How long each step of a failover may take, milliseconds. */
const FAILOVER_MS = 3000;

/** Interval at which an order that was refused is given again, milliseconds. */
const ORDER_MS = 50;

/** A Sentinel, which ends with the test. */
interface Watcher {
  readonly host: Host;
  readonly port: number;
  readonly process: RedisProcess;
}

/** SentinelStore is a master with replicas, watched by three Sentinels, each on a host of its own. */
export class SentinelStore extends StoreMachines {
  private constructor(
    hosts: Hosts,
    servers: readonly RedisHost[],
    private readonly watchers: readonly Watcher[],
    readonly url: string,
  ) {
    super(hosts, servers, servers[0]!);
  }

  /** Starts it on the first hosts: as many servers as asked for, the first as master. */
  static async start(
    t: Test,
    hosts: Hosts,
    count: number,
    organization: string,
    settings: readonly string[],
  ): Promise<SentinelStore> {
    const [first, ...others] = await Promise.all(
      hosts.all.slice(0, count).map((host) => RedisHost.at(t, host, settings)),
    );
    await first!.start();
    for (const one of others) await one.start('--replicaof', ...placeOf(first!));
    const watchers = await Promise.all(
      hosts.all.slice(0, 3).map((host) => startWatcher(t, host, first!)),
    );
    const addresses = watchers.map(({ host, port }) => `${host.address}:${port}`).join();
    const url = `redis+sentinel://${addresses}/${NAME}?organization=${organization}`;
    const store = new SentinelStore(hosts, [first!, ...others], watchers, url);
    await store.whole();
    return store;
  }

  async follow(server: RedisHost): Promise<void> {
    await server.command('REPLICAOF', ...placeOf(this.master));
  }

  async restart(server: RedisHost): Promise<void> {
    await server.start('--replicaof', ...placeOf(this.master));
  }

  async handOver(): Promise<void> {
    const [{ host, port }] = this.watchers as [Watcher];
    // It refuses while it has not heard of a replica for long.
    const order = () => sendTo(host.front, port, ['SENTINEL', 'FAILOVER', NAME]);
    while (!(await isDone(order()))) await pause(ORDER_MS);
  }

  override get output(): string {
    const said = this.watchers.map(
      ({ host, process }) => `\nSentinel at ${host.name}:\n${process.said.slice(-40).join('\n')}`,
    );
    return super.output + said.join('');
  }

  protected async lacking(): Promise<string | null> {
    await this.seeMaster();
    const missing = await this.replicasLack();
    if (missing !== null) return missing;
    for (const { host, port } of this.watchers) {
      const ask = async (what: string) => sendTo(host.front, port, ['SENTINEL', what, NAME]);
      const master = fieldsOf((await ask('MASTER')) as string[]);
      const place = `${master['ip']}:${master['port']}`;
      if (place !== this.master.place) return `${host.name} takes ${place} for the master`;
      if (master['flags'] !== 'master') return `${host.name} says ${master['flags']} of it`;
      if (master['num-other-sentinels'] !== '2') return `${host.name} misses Sentinels`;
      const replicas = ((await ask('REPLICAS')) as string[][]).map(fieldsOf);
      const good = replicas.filter(({ flags }) => flags === 'slave');
      if (good.length < this.replicas.length) return `${host.name} misses replicas`;
      const others = ((await ask('SENTINELS')) as string[][]).map(fieldsOf);
      if (others.some(({ flags }) => flags !== 'sentinel')) return `${host.name} misses others`;
    }
    return null;
  }

  /** A replica that was promoted may follow the former master again: Sentinels give a promotion up, or undo one of another. */
  private async seeMaster(): Promise<void> {
    const asked = this.watchers.map(({ host, port }) =>
      sendTo(host.front, port, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME]),
    );
    const named = (await Promise.all(asked)).map((place) => (place as string[]).join(':'));
    const found = this.servers.find(({ place }) => named.every((one) => one === place));
    if (found) this.master = found;
  }
}

function placeOf({ host, port }: RedisHost): [string, string] {
  return [host.address, String(port)];
}

/** Names and values that stand one after the other. */
function fieldsOf(words: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < words.length; i += 2) fields[words[i]!] = words[i + 1]!;
  return fields;
}

async function startWatcher(t: Test, host: Host, master: RedisHost): Promise<Watcher> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-sentinel-'));
  const port = await host.port(26379);
  const file = join(directory, 'sentinel.conf');
  const lines = [
    ...[`port ${port}`, 'bind 0.0.0.0', 'protected-mode no', `dir ${directory}`],
    // Connections of a test come from another network.
    `sentinel announce-ip ${host.address}`,
    `sentinel monitor ${NAME} ${placeOf(master).join(' ')} 2`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_MS}`,
    `sentinel failover-timeout ${NAME} ${FAILOVER_MS}`,
    `sentinel parallel-syncs ${NAME} 2`,
  ];
  writeFileSync(file, lines.join('\n'));
  const { within } = host;
  const process = await launchRedis([file, '--sentinel'], /\+monitor master/, { within });
  t.teardown(async () => {
    await process.end();
    rmSync(directory, { recursive: true, force: true });
  });
  return { host, port, process };
}
