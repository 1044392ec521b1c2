import { setTimeout as pause } from 'node:timers/promises';
import { FailoverLoad } from '../harness/load/failover-load.js';
import {
  OURS,
  rounded,
  type Figures,
  type Outcome,
  type Result,
} from '../harness/measuring/figures.js';
import { NetworkCut } from '../harness/processes/network-cut.js';
import { until } from '../harness/processes/nodes.js';
import { BenchOrganization } from '../harness/organization.js';
import { OWN_REDIS, RedisServer } from '../harness/processes/redis-server.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import type { ServerProcess } from '../harness/processes/server-process.js';

const NODES = 3;
const FAULTS = ['kill -9', 'SIGSTOP', 'network cut'] as const;
type Fault = (typeof FAULTS)[number];
const ROUNDS = { quick: 1, full: 10 };
/** Load before the fault, and after the first write: as long as gaps that are to be seen may begin late. */
const BEFORE_MS = 1000;
const AFTER_MS = 1500;

/** A process with its own network to the store; none to an embedded one. */
interface Node {
  server: ServerProcess;
  readonly network: NetworkCut | null;
}

/** Three nodes of one organization, whose leader fails again and again. */
class FailingNodes {
  private readonly nodes: Node[] = [];

  private constructor(private readonly organization: BenchOrganization) {}

  static async open(store: string | null, users: number): Promise<FailingNodes> {
    const organization = await BenchOrganization.open({ users, store, remote: null });
    const nodes = new FailingNodes(organization);
    try {
      // Its own processes take the place of the one that prepared the organization.
      await organization.halt();
      for (let i = 0; i < NODES; i++) await nodes.add();
      return nodes;
    } catch (error) {
      await nodes.close();
      throw error;
    }
  }

  /** One failure of the leader under load. */
  async round(fault: Fault, watchers: number): Promise<Figures> {
    const { organization } = this;
    await until('one node leads and the others follow', () => {
      const roles = this.nodes.map(({ server }) => server.role).sort();
      return roles.join() === ['follows', 'follows', 'leads'].join();
    });
    const leader = this.nodes.find(({ server }) => server.role === 'leads')!;
    const others = this.nodes.filter((node) => node !== leader);
    organization.reconnect(others[0]!.server.address);
    const seats = await organization.seats(watchers, ['message']);
    const load = new FailoverLoad({
      nodes: others.map(({ server }) => server.address),
      authorization: organization.owner.authorization,
      channelId: organization.channelId,
      seats,
    });
    try {
      await pause(BEFORE_MS);
      load.strike();
      await this.strike(leader, fault);
      await until('a write is acknowledged', () => load.firstWriteMs !== null);
      await pause(AFTER_MS);
      load.stopWriting();
      await until('all writes are answered', () => load.isQuiet);
      return load.figures();
    } finally {
      load.close();
      await this.heal(leader, fault);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.kill()));
    for (const { network } of this.nodes) network?.close();
    await this.organization.close();
  }

  private async add(): Promise<void> {
    const { redis } = this.organization;
    const network = redis ? await NetworkCut.open(redis.port) : null;
    this.nodes.push({ server: await this.launch(network), network });
  }

  private launch(network: NetworkCut | null): Promise<ServerProcess> {
    return this.organization.launch(network ? `redis://127.0.0.1:${network.port}` : undefined);
  }

  private async strike({ server, network }: Node, fault: Fault): Promise<void> {
    if (fault === 'kill -9') await server.kill();
    else if (fault === 'SIGSTOP') server.pause();
    else network!.cut();
  }

  private async heal(node: Node, fault: Fault): Promise<void> {
    if (fault === 'network cut') node.network!.restore();
    else {
      node.server.resume();
      // A leader that stood still within a transaction was killed by its successor.
      if (!node.server.running) node.server = await this.launch(node.network);
    }
    await until('the former leader follows', () => node.server.role === 'follows');
  }
}

function outcomeOf(figures: Figures): Outcome {
  return { figures, refused: null, latency: [] };
}

/** The middle, or the worst, of each figure. */
function overall(rounds: readonly Figures[], which: 'median' | 'worst'): Figures {
  const names = Object.keys(rounds[0]!);
  return Object.fromEntries(
    names.map((name) => {
      const sorted = rounds.map((one) => one[name]!).sort((a, b) => a - b);
      const index = which === 'worst' ? sorted.length - 1 : (sorted.length - 1) >> 1;
      return [name, rounded(sorted[index]!)];
    }),
  );
}

async function failOn(context: ScenarioContext, store: string | null): Promise<Result[]> {
  const { size, quick } = context;
  const rounds = context.rounds ?? (quick ? ROUNDS.quick : ROUNDS.full);
  const label = (store ?? 'embedded').split(':')[0]!;
  const results: Result[] = [];
  const nodes = await FailingNodes.open(store, size.clients);
  try {
    for (const fault of FAULTS) {
      if (fault === 'network cut' && store === null) continue;
      const figures: Figures[] = [];
      for (let round = 1; round <= rounds; round++) {
        context.progress(`${label}, ${fault}, round ${round} of ${rounds}`);
        figures.push(await nodes.round(fault, size.clients));
      }
      const point = new Point('failover', `${label}, ${fault} of the leader`, size);
      point.add(OURS, outcomeOf(overall(figures, 'median')));
      point.add('worst', outcomeOf(overall(figures, 'worst')));
      figures.forEach((one, i) => point.add(`round ${i + 1}`, outcomeOf(one)));
      results.push(point.result());
    }
  } finally {
    await nodes.close();
  }
  return results;
}

export const failover: Scenario = {
  name: 'failover',
  repeatsItself: true,
  work: 'the leader of three nodes fails under load: killed, stopped, cut from Redis; N watch the others',
  full: { clients: 40, seconds: 0 },
  quick: { clients: 20, seconds: 0 },
  async run(context) {
    const { store, remote } = context;
    // Networks are cut to a Redis of the bench's own alone.
    if (!context.wants(OURS) || remote || (store !== null && store !== OWN_REDIS)) return [];
    if (store !== null) return failOn(context, store);
    const embedded = await failOn(context, null);
    if (!(await RedisServer.isInstalled())) return embedded;
    return [...embedded, ...(await failOn(context, OWN_REDIS))];
  },
};
