import type {
  Job,
  Manner,
  Mishaps,
  RequestPlan,
  RoundReport,
  Seat,
  Transport,
} from '../exchange/jobs.js';
import { countOf, intendedMs, type Pace } from '../exchange/pace.js';
import { CLIENTS_PER_GENERATOR, consumerJobs } from '../harness/load/drive.js';
import { messagePlan } from '../harness/load/publish.js';
import {
  runRound,
  type Part,
  type RanRound,
  type RoundRunner,
} from '../harness/measuring/run-round.js';
import type { BenchOrganization } from '../harness/organization.js';
import { pingPlan, presenceCursor, typingPlan } from '../harness/load/people.js';
import { liveLine } from '../live-line.js';
import type { LoadMachine } from './machines.js';
import {
  clientsOf,
  paceShare,
  RECEIVERS,
  REQUESTS,
  SLOW,
  type Mix,
  type ReceiverKind,
  type RequestKind,
} from './mix.js';

/** Who makes load, and of what kind. */
export interface CrewPlan {
  readonly mix: Mix;
  readonly clients: number;
  /** Largest number of requests a second that is asked for. */
  readonly peak: number;
  /** Share of the receivers that read slowly. */
  readonly slow: number;
  readonly machines: readonly LoadMachine[];
}

export interface CrewRound {
  readonly pace: Pace;
  readonly mishaps?: Mishaps;
  readonly isWarmUp?: boolean;
  /** How long after the end answers are waited for, if not {@link GRACE_MS}. */
  readonly graceMs?: number;
}

/** What a kind of client or of request did in a round. */
export interface PartReport {
  readonly kind: string;
  readonly reports: readonly RoundReport[];
  /** Those who receive; 0 for requests. */
  readonly clients: number;
  /** Requests or deliveries that were intended. */
  readonly intended: number;
}

/** Of requests that were not answered by then, nobody waits any longer. */
export const GRACE_MS = 10_000;
const TRANSPORTS: Readonly<Record<ReceiverKind, Transport>> = {
  poll: 'poll',
  socket: 'push',
  sse: 'stream',
};
/** Connections of one machine for one kind of request, at most: a server that answers within 100 ms takes 2,500 a second. */
const MOST_LANES = 256;
/** A connection has this many requests a second or more: a server closes those that are idle for some seconds. */
const LEAST_PER_LANE = 2;

interface Member {
  readonly kind: ReceiverKind | RequestKind | typeof SLOW;
  readonly runner: RoundRunner;
  readonly clients: number;
}

/** Crew is all generators of a load, on one machine or several, ready for its rounds. */
export class Crew {
  private first = 0;

  private constructor(
    private readonly organization: BenchOrganization,
    private readonly plan: CrewPlan,
    private readonly members: readonly Member[],
  ) {}

  /** Registers the receivers' queues and attaches them. */
  static async gather(organization: BenchOrganization, plan: CrewPlan): Promise<Crew> {
    const members: Member[] = [];
    const crew = new Crew(organization, plan, members);
    const { machines } = plan;
    try {
      for (const { kind, jobs } of await jobsOf(organization, plan)) {
        const started = await Promise.all(
          jobs.map(async (job, i) => ({
            kind,
            runner: await machines[i % machines.length]!.start(job),
            clients: job.role === 'consume' ? job.seats.length : 0,
          })),
        );
        members.push(...started);
      }
    } catch (error) {
      crew.dismiss();
      throw error;
    }
    return crew;
  }

  dismiss(): void {
    for (const { runner } of this.members) runner.stop();
  }

  /** Runs a round; its numbers go on where those of the round before ended. */
  async run({
    pace,
    mishaps,
    isWarmUp,
    graceMs = GRACE_MS,
  }: CrewRound): Promise<RanRound & { parts: PartReport[] }> {
    const { organization, members, plan } = this;
    const { mix } = plan;
    const writes = paceShare(pace, mix.write);
    const written = mix.write > 0 ? Math.max(1, countOf(writes)) : 0;
    const { first } = this;
    this.first += written;
    const parts = members.map(({ kind, runner }): Part => {
      const isRequest = isRequestKind(kind);
      const own = isRequest ? paceShare(pace, mix[kind]) : writes;
      const count = isRequest && kind !== 'write' ? Math.max(1, countOf(own)) : written;
      const round = { kind: 'open', first, count, pace: own, graceMs } as const;
      return {
        generator: runner,
        counted: true,
        plan: isRequest || !mishaps ? round : { ...round, mishaps },
      };
    });
    const line = isWarmUp ? null : liveLine;
    const loopDelay = (): Promise<number | null> => organization.loopDelay();
    const ran = await runRound(organization, parts, {
      line,
      loopDelay: isWarmUp ? undefined : loopDelay,
    });
    const kinds = [...new Set(members.map(({ kind }) => kind))];
    return {
      ...ran,
      parts: kinds.map((kind) => {
        const own = members.flatMap((member, i) => (member.kind === kind ? [i] : []));
        const clients = own.reduce((sum, i) => sum + members[i]!.clients, 0);
        const reports = own.map((i) => ran.reports[i]!);
        const requested = reports.reduce((sum, { intended }) => sum + intended, 0);
        return {
          kind,
          reports,
          clients,
          intended: isRequestKind(kind) ? requested : clients * written,
        };
      }),
    };
  }
}

/** How long a pace lasts, milliseconds. */
export function lengthMs(pace: Pace): number {
  return intendedMs(pace, countOf(pace));
}

function isRequestKind(kind: string): kind is RequestKind {
  return REQUESTS.some((one) => one === kind);
}

async function jobsOf(
  organization: BenchOrganization,
  plan: CrewPlan,
): Promise<{ kind: Member['kind']; jobs: readonly Job[] }[]> {
  const { mix, machines, peak, slow } = plan;
  const { address } = organization;
  const lanesOf = (kind: RequestKind): number =>
    Math.min(
      MOST_LANES,
      Math.max(1, Math.ceil((peak * mix[kind]) / LEAST_PER_LANE / machines.length)),
    );
  const lanes = lanesOf('write') * machines.length;
  const types = ['message', ...(['typing', 'presence'] as const).filter((kind) => mix[kind] > 0)];
  const counts = clientsOf(mix, plan.clients);
  const seats = await organization.seats(plan.clients, types);
  const jobs: { kind: Member['kind']; jobs: readonly Job[] }[] = [];
  const receive = (
    kind: Member['kind'],
    transport: Transport,
    own: readonly Seat[],
    manner: Manner,
  ): void => {
    if (own.length === 0) return;
    const audience = {
      transport,
      dialect: 'parley',
      addressing: 'all',
      seats: own,
      lanes,
      manner,
    } as const;
    const each = Math.ceil(own.length / machines.length / CLIENTS_PER_GENERATOR);
    const most = Math.min(...machines.map(({ cores }) => cores));
    jobs.push({
      kind,
      jobs: consumerJobs(address, audience, machines.length * Math.min(each, most)),
    });
  };
  let at = 0;
  for (const kind of RECEIVERS) {
    const own = seats.slice(at, at + counts[kind]);
    at += counts[kind];
    const slowOnes = Math.round(own.length * slow);
    receive(kind, TRANSPORTS[kind], own.slice(slowOnes), { returns: true, isSlow: false });
    receive(SLOW, TRANSPORTS[kind], own.slice(0, slowOnes), { returns: true, isSlow: true });
  }
  const plans = await requestPlans(organization, mix);
  for (const kind of REQUESTS) {
    const plan = plans[kind];
    if (!plan) continue;
    jobs.push({
      kind,
      jobs: machines.map((_, index) => ({
        ...{ role: 'request', server: address, plan, connections: lanesOf(kind) },
        share: { index, of: machines.length },
      })),
    });
  }
  return jobs;
}

async function requestPlans(
  organization: BenchOrganization,
  mix: Mix,
): Promise<Partial<Record<RequestKind, RequestPlan>>> {
  const { members, channelId } = organization;
  const authorizations = members.map(({ authorization }) => ({ authorization }));
  const write = { ...messagePlan(channelId, members[0]!), accounts: authorizations };
  return {
    ...(mix.write > 0 ? { write } : {}),
    ...(mix.typing > 0 ? { typing: typingPlan(members, channelId) } : {}),
    ...(mix.presence > 0
      ? { presence: pingPlan(members, await presenceCursor(organization), 'own') }
      : {}),
  };
}
