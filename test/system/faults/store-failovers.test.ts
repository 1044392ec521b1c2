/** The machine under the store fails under load, again and again, and who watches it promotes a replica: Sentinel, and a Cluster. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { NO_REDIS } from '../../src/store/fixtures/redis-server.js';
import { FailoverCampaign } from '../harness/campaign/failover-campaign.js';
import { CampaignNode, NodeGroup } from '../harness/campaign/node-group.js';
import { CUTS, MISHAPS } from '../harness/campaign/store-mishaps.js';
import { ClusterStore } from '../harness/machines/cluster-store.js';
import { makeHosts, type Host, type Hosts } from '../harness/machines/hosts.js';
import { SentinelStore } from '../harness/machines/sentinel-store.js';
import type { StoreMachines } from '../harness/machines/store-machines.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import { storeFolder } from '../harness/server.js';

/** Failovers of each store: one of each kind that needs no network of its own, or as many as are asked for. */
const ROUNDS = Number(process.env['PARLEY_TEST_FAILOVERS']) || scaled(4, 100);
/** Which of them, where only some are looked for: their names, with commas between. */
const CHOSEN = process.env['PARLEY_TEST_MISHAPS']?.split(',');

// Loaded machines take long to start processes.
t.setTimeout(scaled(600_000, 7_200_000));

interface Topology {
  readonly name: string;
  /** Servers of the organization. */
  readonly servers: number;
  readonly replicas: number;
  readonly start: (
    t: Test,
    hosts: Hosts,
    organization: string,
    settings: readonly string[],
  ) => Promise<StoreMachines>;
}

const sentinel =
  (count: number): Topology['start'] =>
  (t, hosts, organization, settings) =>
    SentinelStore.start(t, hosts, count, organization, settings);

const TOPOLOGIES: readonly Topology[] = [
  { name: 'Sentinel, two replicas', servers: 3, replicas: 1, start: sentinel(3) },
  { name: 'Sentinel, one replica', servers: 2, replicas: 1, start: sentinel(2) },
  { name: 'Cluster', servers: 3, replicas: 1, start: ClusterStore.start.bind(ClusterStore) },
  { name: 'Sentinel, not waiting', servers: 3, replicas: 0, start: sentinel(3) },
  {
    name: 'Cluster, not waiting',
    servers: 3,
    replicas: 0,
    start: ClusterStore.start.bind(ClusterStore),
  },
];

const LOGS = ['--appendonly', 'yes', '--appendfsync', 'always'];

async function startNodes(
  t: Test,
  hosts: readonly Host[],
  store: string,
  replicas: number,
): Promise<NodeGroup> {
  const folder = storeFolder(t);
  const nodes: CampaignNode[] = [];
  for (const host of hosts) {
    const env = {
      PARLEY_URL: 'http://chat.example.org',
      PARLEY_LOG: 'info',
      PARLEY_STORE_REPLICAS: String(replicas),
      PARLEY_NODE_ADDRESS: `${host.address}:${await host.port(9981)}`,
    };
    nodes.push(new CampaignNode(t, host.name, folder, { env, store, at: host }, null));
  }
  return NodeGroup.of(nodes);
}

async function campaign(t: Test, topology: Topology): Promise<void> {
  const { servers, replicas, start } = topology;
  const names = ['store1', 'store2', 'store3', 'store4', 'store5', 'store6', 'node1', 'node2'];
  const hosts = makeHosts(t, names);
  const random = randomOfRun(t);
  const organization = `test-${randomUUID()}`;
  const store = await start(t, hosts, organization, random() < 0.5 ? [] : LOGS);
  const nodeHosts = hosts.all.slice(6);
  const group = await startNodes(t, nodeHosts, store.url, replicas);
  const mishaps = new Map([...MISHAPS, ...(hosts.canCut ? CUTS : [])]);
  const plan = {
    rounds: ROUNDS,
    mishaps: new Map([...mishaps].filter(([name]) => CHOSEN?.includes(name) ?? true)),
    replicas,
    waitsForIt: replicas === servers - 1,
  };
  await new FailoverCampaign(t, { store, group, nodeHosts, random }, plan).run();
}

/** None in a landing: each store takes a minute or more of both processors. */
const isAsked = process.env['PARLEY_TEST_FAILOVERS'] !== undefined || scaled(0, 1) === 1;

if (NO_REDIS !== null || !isAsked) {
  t.plan(0, NO_REDIS ?? 'nobody asked for failovers: PARLEY_TEST_FAILOVERS says how many');
} else {
  for (const topology of TOPOLOGIES) {
    void t.test(topology.name, (t) => campaign(t, topology));
  }
}
