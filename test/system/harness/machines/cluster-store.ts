import type { Test } from 'tap';
import type { Hosts } from './hosts.js';
import { RedisHost } from './redis-host.js';
import { isDone, StoreMachines } from './store-machines.js';

const SLOTS = 16384;
const MASTERS = 3;
/** After so long without an answer a node takes another for dead, milliseconds. */
const NODE_TIMEOUT_MS = 1000;

/**
 * ClusterStore is a Cluster of three masters and three replicas, of which two are those of the organization's master:
 * with one, writes would wait after a failover until the machine that died is back.
 */
export class ClusterStore extends StoreMachines {
  private constructor(
    hosts: Hosts,
    servers: readonly RedisHost[],
    private readonly all: readonly RedisHost[],
    readonly url: string,
  ) {
    super(hosts, servers, servers[0]!);
  }

  /** Starts it on the first six hosts. */
  static async start(
    t: Test,
    hosts: Hosts,
    organization: string,
    settings: readonly string[],
  ): Promise<ClusterStore> {
    const own = [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
      // No replica goes to another master, and slots of another master say nothing of ours.
      ...['--cluster-allow-replica-migration', 'no', '--cluster-require-full-coverage', 'no'],
      ...['--cluster-replica-validity-factor', '0'],
    ];
    const servers = await Promise.all(
      hosts.all.slice(0, 2 * MASTERS).map((host) => RedisHost.at(t, host, [...own, ...settings])),
    );
    for (const server of servers) {
      await server.start('--cluster-announce-ip', server.host.address);
    }
    const [first] = servers as [RedisHost];
    const slot = Number(await first.command('CLUSTER', 'KEYSLOT', `{${organization}}`));
    const part = Math.ceil(SLOTS / MASTERS);
    for (let i = 0; i < MASTERS; i++) {
      // The first has the slot of the organization.
      const from = ((Math.floor(slot / part) + i) % MASTERS) * part;
      const range = [String(from), String(Math.min(from + part, SLOTS) - 1)];
      await servers[i]!.command('CLUSTER', 'ADDSLOTSRANGE', ...range);
      await servers[i]!.command('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
    }
    for (const { host, port } of servers.slice(1)) {
      await first.command('CLUSTER', 'MEET', host.address, String(port));
    }
    const addresses = servers.map(({ place }) => place).join();
    const url = `redis+cluster://${addresses}?organization=${organization}`;
    const replicas = servers.slice(MASTERS);
    const store = new ClusterStore(hosts, [first, ...replicas.slice(0, 2)], servers, url);
    for (const [i, replica] of replicas.entries()) {
      const id = String(await servers[i < 2 ? 0 : 1]!.command('CLUSTER', 'MYID'));
      // It refuses until it has heard of that one.
      while (!(await isDone(replica.command('CLUSTER', 'REPLICATE', id))));
    }
    await store.whole();
    return store;
  }

  /** It learns by itself that another is master. */
  async follow(): Promise<void> {
    return Promise.resolve();
  }

  async restart(server: RedisHost): Promise<void> {
    await server.start('--cluster-announce-ip', server.host.address);
  }

  async handOver(): Promise<void> {
    await this.replicas[0]!.command('CLUSTER', 'FAILOVER');
  }

  protected async lacking(): Promise<string | null> {
    const missing = await this.replicasLack();
    if (missing !== null) return missing;
    for (const server of this.all) {
      const nodes = String(await server.command('CLUSTER', 'NODES'))
        .trim()
        .split('\n');
      const bad = nodes.filter((line) => /fail|handshake|noaddr|disconnected/.test(line));
      if (nodes.length !== this.all.length || bad.length > 0) {
        return `${server.place} knows ${nodes.length} nodes; ${bad.join('; ')}`;
      }
      const master = nodes.find((line) => line.includes(`${this.master.place}@`));
      if (!master?.includes('master')) return `${server.place} does not know the master`;
    }
    return null;
  }
}
