import { machineNow } from '../../clock.js';
import type { OpenRound, Round, RoundReport } from '../../exchange/jobs.js';
import { Latencies } from '../../generators/latencies.js';
import { rounded, type Outcome } from './figures.js';
import type { GeneratorProcess } from '../processes/generator-process.js';
import type { ProcessUsage } from '../processes/process-usage.js';
import { liveLine, Tallies, TALLY_MS, type LiveLine } from '../../live-line.js';

/** A delivery was lost or repeated, or a request failed: the run's figures mean nothing. */
export class IncorrectRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IncorrectRun';
  }
}

/** What is measured: the server's process, where it is on this machine. */
export interface Usage {
  usage(): ProcessUsage | null;
}

/** One generator's part in a measurement. */
export interface Part {
  readonly generator: GeneratorProcess;
  readonly plan: Plan;
  /** Whether its replies or deliveries are the operations; others only cause the work. */
  readonly counted: boolean;
}

/** Time between giving a round to the generators and its first intended request. */
const LEAD_MS = 60;
/** Share of a core above which a generator is taken to be at its limit. */
const GENERATOR_LIMIT = 0.9;
/** Share of a core below which the server had time left. */
const SERVER_BUSY = 0.8;
/** A sender that was later than this at one request in a hundred blurs the latencies. */
const LATE_LIMIT_MS = 50;

/** A round without its start, which is set when everybody is ready. */
export type Plan =
  | Omit<OpenRound, 'startAt' | 'graceMs'>
  | { readonly kind: 'closed'; readonly first: number; readonly durationMs: number };

const GRACE_MS = 20_000;

function roundOf(plan: Plan, startAt: number): Round {
  return plan.kind === 'open' ? { ...plan, startAt, graceMs: GRACE_MS } : { ...plan, startAt };
}

/**
 * Runs one round on all generators and measures the server meanwhile.
 * @param line shows how it goes; null in warm-ups, whose rates say nothing
 * @throws IncorrectRun when a delivery was lost or repeated, or a request failed
 */
export async function measure(
  server: Usage,
  parts: readonly Part[],
  line: LiveLine | null = liveLine,
): Promise<Outcome> {
  const startAt = machineNow() + LEAD_MS;
  const before = server.usage();
  const began = machineNow();
  const counted = parts.filter((part) => part.counted);
  const tallies = line?.isLive ? new Tallies(line, counted.length, startAt) : null;
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
  verify(reports);
  const window: Window = {
    cpuMs: before && after ? after.cpuMs - before.cpuMs : null,
    elapsedMs,
    residentBytes: after?.residentBytes ?? null,
    waitMs: waited(before, after),
  };
  return outcome(parts, reports, window);
}

interface Window {
  readonly cpuMs: number | null;
  readonly elapsedMs: number;
  readonly residentBytes: number | null;
  readonly waitMs: number | null;
}

function waited(before: ProcessUsage | null, after: ProcessUsage | null): number | null {
  const [from, to] = [before?.waitMs ?? null, after?.waitMs ?? null];
  return from === null || to === null ? null : to - from;
}

/** @throws IncorrectRun */
export function verify(reports: readonly RoundReport[]): void {
  const sum = (of: (report: RoundReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const [lost, repeated, faults] = [
    sum((report) => report.lost),
    sum((report) => report.repeated),
    sum((report) => report.faults),
  ];
  if (lost + repeated + faults === 0) return;
  const first = reports.find((report) => report.firstFault !== null)?.firstFault;
  throw new IncorrectRun(
    `${lost} lost, ${repeated} repeated or out of order, ${faults} failed` +
      (first ? `; the first failure: ${first}` : ''),
  );
}

function outcome(parts: readonly Part[], reports: readonly RoundReport[], window: Window): Outcome {
  const reason = bottleneck(reports, window);
  if (reason !== null) return { figures: null, refused: reason, latency: [] };
  const counted = reports.filter((_, index) => parts[index]!.counted);
  const operations = counted.reduce((sum, report) => sum + report.operations, 0);
  const bytes = counted.reduce((sum, report) => sum + report.bytes, 0);
  const { cpuMs, elapsedMs, residentBytes, waitMs } = window;
  const late = lateness(reports);
  const speed = late === null ? speedOf(counted, operations, elapsedMs - LEAD_MS) : null;
  return {
    refused: late,
    latency: speed?.latency ?? [],
    figures: {
      cpu_us_per_op: cpuMs === null ? null : rounded((cpuMs * 1000) / operations),
      ...(speed?.figures ?? NO_SPEED),
      bytes_per_op: rounded(bytes / operations),
      cpu_share: cpuMs === null ? null : rounded(cpuMs / elapsedMs),
      wait_share: waitMs === null ? null : rounded(waitMs / elapsedMs),
      rss_mb: residentBytes === null ? null : rounded(residentBytes / 1e6),
      operations,
    },
  };
}

export const NO_SPEED = {
  ops_per_second: null,
  p50_ms: null,
  p90_ms: null,
  p99_ms: null,
  max_ms: null,
};

function speedOf(reports: readonly RoundReport[], operations: number, elapsedMs: number) {
  const latencies = Latencies.empty();
  for (const report of reports) latencies.add(Latencies.decode(report.latencies));
  return {
    latency: latencies.distribution().map(([percent, ms]) => [percent, rounded(ms)] as const),
    figures: {
      ops_per_second: rounded((operations * 1000) / elapsedMs),
      p50_ms: rounded(latencies.percentile(50)),
      p90_ms: rounded(latencies.percentile(90)),
      p99_ms: rounded(latencies.percentile(99)),
      max_ms: rounded(latencies.percentile(100)),
    },
  };
}

/** Why latencies say more about the generators than about the server; null when they do not. */
export function lateness(reports: readonly RoundReport[]): string | null {
  const late = Math.max(...reports.map((report) => report.lateMs));
  if (late <= LATE_LIMIT_MS) return null;
  return `the generators sent up to ${Math.round(late)} ms late: no figures of speed`;
}

/** Why the generators, not the server, decided the figures; null when they did not. */
export function bottleneck(
  reports: readonly RoundReport[],
  window: Pick<Window, 'cpuMs' | 'elapsedMs'>,
): string | null {
  const share = Math.max(...reports.map((report) => report.cpuMs / report.elapsedMs));
  if (share <= GENERATOR_LIMIT) return null;
  const server = window.cpuMs === null ? null : window.cpuMs / window.elapsedMs;
  if (server !== null && server >= SERVER_BUSY) return null;
  const busy = server === null ? '' : ` while the server used ${Math.round(server * 100)} %`;
  return `a generator used ${Math.round(share * 100)} % of a core${busy}`;
}
