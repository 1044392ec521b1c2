import type { ConsumerJob, Job, Seat } from '../exchange/jobs.js';
import { consumerJobs, driveRequests, phasePlan, withGenerators } from '../harness/load/drive.js';
import {
  median,
  OURS,
  rounded,
  type Figures,
  type Outcome,
  type Result,
} from '../harness/measuring/figures.js';
import { measure, type Part } from '../harness/measuring/measure.js';
import { MODELLED, modelled, type NodeCosts } from '../harness/measuring/nodes-model.js';
import { BenchNodes, type Spent } from '../harness/processes/nodes.js';
import { messagePlan } from '../harness/load/publish.js';
import { OWN_REDIS, RedisServer } from '../harness/processes/redis-server.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** Processes that serve the organization: what each further one costs shows between the first and the last. */
const COUNTS = { quick: [1, 3], full: [1, 2, 3] } as const;
/** Entries a second of the stream without clients: what the targets of a follower's cost are stated for. */
const ENTRIES_PER_SECOND = 1000;
/** Requests of that stream under way: as many as let the leader commit in groups. */
const IN_FLIGHT = 32;
/** Deliveries a second of the broadcast stream: a third of what two cores carry beside the generators. */
const DELIVERIES_PER_SECOND = 6000;
const ROUNDS = { quick: 1, full: 3 };

/** What one number of processes showed; CPU in microseconds. */
interface Step {
  /** Per entry at {@link ENTRIES_PER_SECOND}, without clients. */
  readonly entry: number;
  readonly fold: number | null;
  readonly storeEntry: number | null;
  readonly storeBytes: number | null;
  /** Per delivery, above what the same stream costs without clients. */
  readonly leaderDelivery: number;
  readonly followerDelivery: number | null;
  readonly outcome: Outcome;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** The median of what is there; null where nothing is. */
function typical(steps: readonly Step[], of: (step: Step) => number | null): number | null {
  const numbers = steps.map(of).filter((one) => one !== null);
  return numbers.length === 0 ? null : median(numbers);
}

/**
 * Measures one number of processes. Each window comes after a warm-up as long: a follower that has just started
 * runs code that is not compiled yet.
 */
class StepRun {
  private readonly perSecond: number;

  constructor(
    private readonly nodes: BenchNodes,
    private readonly clients: number,
    private readonly seconds: number,
  ) {
    this.perSecond = DELIVERIES_PER_SECOND / clients;
  }

  async run(): Promise<Step> {
    const { nodes, seconds } = this;
    const { redis } = nodes.organization;
    const sent = (await redis?.bytesSent()) ?? null;
    const stream = await this.stream(ENTRIES_PER_SECOND);
    const bytes = sent === null ? null : (await redis!.bytesSent()) - sent;
    const entries = ENTRIES_PER_SECOND * seconds;
    const quiet = await this.stream(this.perSecond);
    const { outcome, spent } = await this.broadcast();
    const operations = Math.round(this.perSecond * seconds) * this.clients;
    const each = operations / nodes.all.length;
    const perEntry = (ms: number): number => (ms * 1000) / entries;
    const perDelivery = (ms: number, without: number): number => ((ms - without) * 1000) / each;
    const follows = spent.followers.length > 0;
    return {
      entry: perEntry(stream.leader),
      fold: follows ? perEntry(mean(stream.followers)) : null,
      storeEntry: stream.store === null ? null : perEntry(stream.store),
      storeBytes:
        // The warm-up sends as much again.
        bytes === null ? null : bytes / (2 * entries),
      leaderDelivery: perDelivery(spent.leader, quiet.leader),
      followerDelivery: follows ? perDelivery(mean(spent.followers), mean(quiet.followers)) : null,
      outcome,
    };
  }

  /** Messages to the channel, sent to the leader, while nobody is connected. */
  private async stream(perSecond: number): Promise<Spent> {
    const { nodes, seconds } = this;
    const { channelId, owner } = nodes.organization;
    const plan = messagePlan(channelId, owner);
    const rate = { perSecond, seconds };
    const { figures, refused } = await driveRequests(nodes, plan, IN_FLIGHT, rate, seconds);
    // Figures of speed may be missing: they do not count here.
    if (!figures) throw new Error(refused ?? '');
    return nodes.spent;
  }

  /** The same messages, fewer, to pollers and sockets spread over all nodes. */
  private async broadcast(): Promise<{ outcome: Outcome; spent: Spent }> {
    const { nodes, clients, perSecond, seconds } = this;
    const { organization } = nodes;
    organization.reconnect();
    const seats = await organization.seats(clients, ['message']);
    const consumers = this.consumers(seats);
    const plan = messagePlan(organization.channelId, organization.owner);
    const requester: Job = { role: 'request', server: nodes.address, plan, connections: 1 };
    try {
      return await withGenerators([...consumers, requester], async (generators) => {
        const parts = (phase: 'warm-up' | 'measured'): Part[] =>
          generators.map((generator, i) => {
            const counted = i < consumers.length;
            return { generator, counted, plan: phasePlan(perSecond, seconds, phase, seconds) };
          });
        await measure(nodes, parts('warm-up'), null);
        return { outcome: await measure(nodes, parts('measured')), spent: nodes.spent };
      });
    } finally {
      await this.forget(seats);
    }
  }

  /** As many clients at each node, half of them pollers, half of them sockets. */
  private consumers(seats: readonly Seat[]): ConsumerJob[] {
    const { all } = this.nodes;
    const share = seats.length / (2 * all.length);
    return all.flatMap(({ address }, i) =>
      (['poll', 'push'] as const).flatMap((transport, j) => {
        const from = 2 * i + j;
        const own = seats.slice(Math.round(from * share), Math.round((from + 1) * share));
        const audience = { transport, dialect: 'parley', addressing: 'all', seats: own } as const;
        return consumerJobs(address, audience);
      }),
    );
  }

  /** Ends the queues: the next step must not deliver to them. */
  private async forget(seats: readonly Seat[]): Promise<void> {
    const { organization } = this.nodes;
    organization.reconnect();
    await Promise.all(
      seats.map(({ authorization, queueId }) =>
        organization.api.call('DELETE', '/events', authorization, { queue_id: queueId }),
      ),
    );
  }
}

/** All steps on one store, by their number of processes; up and down, so that warmth favours none. */
async function measureOn(
  context: ScenarioContext,
  store: string | null,
): Promise<Map<number, Step[]>> {
  const { clients, seconds } = context.size;
  const rounds = context.rounds ?? (context.quick ? ROUNDS.quick : ROUNDS.full);
  const counts = context.quick ? COUNTS.quick : COUNTS.full;
  const steps = new Map<number, Step[]>(counts.map((count) => [count, []]));
  const nodes = await BenchNodes.open(clients, store);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const count of round % 2 === 0 ? counts : [...counts].reverse()) {
        context.progress(`${labelOf(store)}, ${count} nodes, round ${round + 1} of ${rounds}`);
        await nodes.scaleTo(count);
        steps.get(count)!.push(await new StepRun(nodes, clients, seconds).run());
      }
    }
  } finally {
    await nodes.close();
  }
  return steps;
}

function labelOf(store: string | null): string {
  return (store ?? 'embedded').split(':')[0]!;
}

function noted(figures: Figures): Outcome {
  const shown = Object.entries(figures).filter(([, value]) => value !== null);
  return {
    figures: Object.fromEntries(shown.map(([name, value]) => [name, rounded(value!)])),
    refused: null,
    latency: [],
  };
}

/** What a follower adds to something, per follower. */
function perFollower(alone: number | null, together: number | null, count: number): number | null {
  if (alone === null || together === null || count === 1) return null;
  return (together - alone) / (count - 1);
}

/** One number of processes: all together, the leader, and a follower. */
function stepPoint(
  context: ScenarioContext,
  store: string | null,
  count: number,
  all: Map<number, Step[]>,
) {
  const steps = all.get(count)!;
  const alone = all.get(1)!;
  const point = new Point('nodes', `${labelOf(store)}, ${count} nodes`, context.size);
  const byCost = [...steps].sort(
    (a, b) => (a.outcome.figures?.cpu_us_per_op ?? 0) - (b.outcome.figures?.cpu_us_per_op ?? 0),
  );
  point.add(OURS, byCost[byCost.length >> 1]!.outcome);
  const share = perFollower(
    typical(alone, (s) => s.entry),
    typical(steps, (s) => s.entry),
    count,
  );
  point.add(
    'leader',
    noted({
      us_per_delivery: typical(steps, (s) => s.leaderDelivery),
      us_per_entry: typical(steps, (s) => s.entry),
      us_per_entry_and_follower: share,
      percent_of_core_per_follower: share === null ? null : (share * ENTRIES_PER_SECOND) / 1e4,
    }),
  );
  if (count > 1) {
    point.add(
      'follower',
      noted({
        us_per_delivery: typical(steps, (s) => s.followerDelivery),
        over_leader: typical(steps, (s) => s.followerDelivery! / s.leaderDelivery),
        us_per_folded_entry: typical(steps, (s) => s.fold),
        fold_over_entry: typical(steps, (s) => s.fold! / s.entry),
      }),
    );
  }
  const storeEntry = typical(steps, (s) => s.storeEntry);
  if (storeEntry !== null) {
    const bytes = typical(steps, (s) => s.storeBytes);
    point.add(
      'redis-server',
      noted({
        us_per_entry: storeEntry,
        us_per_entry_and_follower: perFollower(
          typical(alone, (s) => s.storeEntry),
          storeEntry,
          count,
        ),
        bytes_per_entry_and_follower: perFollower(
          typical(alone, (s) => s.storeBytes),
          bytes,
          count,
        ),
      }),
    );
  }
  return point.result();
}

/** The curve that follows from what was measured, with what it starts from. */
function modelPoint(
  context: ScenarioContext,
  store: string | null,
  all: Map<number, Step[]>,
): Result {
  const alone = all.get(1)!;
  const most = Math.max(...all.keys());
  const many = all.get(most)!;
  const entry = typical(alone, (s) => s.entry)!;
  const storeEntry = typical(alone, (s) => s.storeEntry);
  const added = (of: (step: Step) => number | null): number | null => {
    const one = perFollower(typical(alone, of), typical(many, of), most);
    // Less than nothing is noise.
    return one === null ? null : Math.max(0, one);
  };
  const costs: NodeCosts = {
    entry,
    perFollower: added((s) => s.entry)!,
    fold: typical(many, (s) => s.fold)!,
    delivery: typical(many, (s) => (s.leaderDelivery + 2 * s.followerDelivery!) / 3)!,
    storeEntry,
    storePerFollower: added((s) => s.storeEntry),
    storeBytes: added((s) => s.storeBytes),
  };
  const label = `${labelOf(store)}, model at ${ENTRIES_PER_SECOND} entries a second`;
  const point = new Point('nodes', label, context.size);
  point.add('inputs (us, bytes)', noted({ ...costs }));
  for (const nodes of MODELLED) {
    const figures = modelled(costs, nodes, ENTRIES_PER_SECOND);
    point.add(`${nodes} nodes`, { figures, refused: null, latency: [] });
  }
  return point.result();
}

export const nodes: Scenario = {
  name: 'nodes',
  repeatsItself: true,
  work: '1, 2 and 3 processes, embedded and Redis: N pollers and sockets spread over them, one stream',
  full: { clients: 300, seconds: 8 },
  quick: { clients: 300, seconds: 2 },
  async run(context) {
    if (!context.wants(OURS) || context.remote) return [];
    const stores: (string | null)[] = context.store === null ? [null] : [context.store];
    if (context.store === null && (await RedisServer.isInstalled())) stores.push(OWN_REDIS);
    const results: Result[] = [];
    for (const store of stores) {
      const all = await measureOn(context, store);
      for (const count of all.keys()) results.push(stepPoint(context, store, count, all));
      results.push(modelPoint(context, store, all));
    }
    return results;
  },
};
