import { machineNow } from '../../clock.js';
import type { OpenRound, Round, RoundReport } from '../../exchange/jobs.js';
import { Latencies } from '../../generators/latencies.js';
import { Tallies, TALLY_MS, type LiveLine } from '../../live-line.js';
import type { ProcessUsage } from '../processes/process-usage.js';
import { rounded, type Second } from './figures.js';

/** What is measured: the server's process, where it is on this machine. */
export interface Usage {
  usage(): ProcessUsage | null;
}

/** What runs the rounds of a job, here or on another machine. */
export interface RoundRunner {
  /** @param tally called about every `tallyMs` with how many operations there were; absent: nobody counts */
  run(
    round: Round,
    tally?: { readonly tallyMs: number; take(operations: number): void },
  ): Promise<RoundReport>;
  stop(): void;
}

/** One generator's part in a measurement. */
export interface Part {
  readonly generator: RoundRunner;
  readonly plan: Plan;
  /** Whether its replies or deliveries are the operations; others only cause the work. */
  readonly counted: boolean;
}

/** A round without its start, which is set when everybody is ready. */
export type Plan =
  | (Omit<OpenRound, 'startAt' | 'graceMs'> & { readonly graceMs?: number })
  | { readonly kind: 'closed'; readonly first: number; readonly durationMs: number };

/** Time between giving a round to the generators and its first intended request. */
export const LEAD_MS = 60;
const GRACE_MS = 20_000;
const SAMPLE_MS = 1000;

/** What the server's process showed while a round ran. */
export interface Window {
  readonly cpuMs: number | null;
  readonly elapsedMs: number;
  readonly residentBytes: number | null;
  readonly waitMs: number | null;
}

export interface RanRound {
  readonly reports: readonly RoundReport[];
  readonly window: Window;
  readonly series: readonly Second[];
}

export interface RoundOptions {
  /** Shows how it goes; null in warm-ups, whose rates say nothing. */
  readonly line: LiveLine | null;
  /** Delay of the server's event loop since it was asked last, milliseconds; asking costs it a request. */
  readonly loopDelay?: (() => Promise<number | null>) | undefined;
}

function roundOf(plan: Plan, startAt: number): Round {
  return plan.kind === 'open' ? { graceMs: GRACE_MS, ...plan, startAt } : { ...plan, startAt };
}

/** Runs one round on all generators, and looks at the server each second. */
export async function runRound(
  server: Usage,
  parts: readonly Part[],
  { line, loopDelay }: RoundOptions,
): Promise<RanRound> {
  const startAt = machineNow() + LEAD_MS;
  const samples = new ServerSamples(server, loopDelay);
  const before = server.usage();
  const began = machineNow();
  samples.start();
  const counted = parts.filter((part) => part.counted);
  const tallies = line?.isLive ? new Tallies(line, counted.length, startAt) : null;
  try {
    const reports = await Promise.all(
      parts.map((part) => {
        const { generator, plan } = part;
        const take = (operations: number): void => tallies?.take(counted.indexOf(part), operations);
        const isTold = tallies !== null && part.counted;
        return generator.run(
          roundOf(plan, startAt),
          isTold ? { tallyMs: TALLY_MS, take } : undefined,
        );
      }),
    );
    line?.clear();
    const elapsedMs = machineNow() - began;
    const after = server.usage();
    const window: Window = {
      cpuMs: before && after ? after.cpuMs - before.cpuMs : null,
      elapsedMs,
      residentBytes: after?.residentBytes ?? null,
      waitMs: waited(before, after),
    };
    const own = reports.filter((_, index) => parts[index]!.counted);
    return { reports, window, series: seriesOf(own, samples.taken) };
  } finally {
    samples.stop();
  }
}

function waited(before: ProcessUsage | null, after: ProcessUsage | null): number | null {
  const [from, to] = [before?.waitMs ?? null, after?.waitMs ?? null];
  return from === null || to === null ? null : to - from;
}

type ServerSample = Pick<Second, 'cpu_share' | 'rss_mb' | 'loop_ms'>;

/** Looks at the server's process once a second. */
class ServerSamples {
  readonly taken: ServerSample[] = [];
  private timer: NodeJS.Timeout | undefined;
  private former: { readonly at: number; readonly cpuMs: number } | null = null;

  constructor(
    private readonly server: Usage,
    private readonly loopDelay: RoundOptions['loopDelay'],
  ) {}

  start(): void {
    this.look();
    this.timer = setInterval(() => void this.sample(), SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    const seen = this.look();
    const place = this.taken.push({ ...seen, loop_ms: null }) - 1;
    // A server that does not answer has no delay that anybody could tell.
    const loop_ms = (await this.loopDelay?.().catch(() => null)) ?? null;
    this.taken[place] = { ...seen, loop_ms };
  }

  private look(): Omit<ServerSample, 'loop_ms'> {
    let usage: ProcessUsage | null = null;
    try {
      usage = this.server.usage();
    } catch {
      // It ended: the round tells that in its own way.
    }
    const { former } = this;
    const at = machineNow();
    this.former = usage && { at, cpuMs: usage.cpuMs };
    return {
      cpu_share: usage && former ? rounded((usage.cpuMs - former.cpuMs) / (at - former.at)) : null,
      rss_mb: usage && rounded(usage.residentBytes / 1e6),
    };
  }
}

function seriesOf(reports: readonly RoundReport[], samples: readonly ServerSample[]): Second[] {
  const length = Math.max(0, ...reports.map(({ seconds }) => seconds.length));
  return Array.from({ length }, (_, i) => {
    const latencies = Latencies.coarse();
    let operations = 0;
    let errors = 0;
    for (const { seconds } of reports) {
      const one = seconds[i];
      if (!one) continue;
      operations += one.operations;
      errors += one.faults;
      if (one.latencies !== '') latencies.add(Latencies.decode(one.latencies));
    }
    return {
      operations,
      errors,
      p99_ms: latencies.count === 0 ? null : rounded(latencies.percentile(99)),
      ...(samples[i] ?? { cpu_share: null, rss_mb: null, loop_ms: null }),
    };
  });
}
