import type { RoundReport } from '../../exchange/jobs.js';
import { Latencies } from '../../generators/latencies.js';
import { liveLine, type LiveLine } from '../../live-line.js';
import { rounded, type Outcome } from './figures.js';
import { LEAD_MS, runRound, type Part, type Usage, type Window } from './run-round.js';

export type { Part, Plan, Usage } from './run-round.js';

/** A delivery was lost or repeated, or a request failed: the run's figures mean nothing. */
export class IncorrectRun extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IncorrectRun';
  }
}

/** Share of a core above which a generator is taken to be at its limit. */
const GENERATOR_LIMIT = 0.9;
/** Share of a core below which the server had time left. */
const SERVER_BUSY = 0.8;
/** Percent of the requests beyond which a rate was missed. */
export const MISSED_LIMIT = 5;
/** A sender that was later than this at one request in a hundred blurs the latencies. */
const LATE_LIMIT_MS = 50;

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
  const { reports, window, series } = await runRound(server, parts, { line });
  verify(reports);
  return { ...outcome(parts, reports, window), series };
}

/** @throws IncorrectRun */
export function verify(reports: readonly RoundReport[]): void {
  const sum = (of: (report: RoundReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const [lost, repeated, faults] = [
    sum((report) => report.lost),
    sum((report) => report.repeated),
    sum(({ faults }) => Object.values(faults).reduce((total, one) => total + one, 0)),
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
  const missed = missedPercent(reports);
  return {
    refused: late ?? missedRate(missed),
    latency: speed?.latency ?? [],
    figures: {
      cpu_us_per_op: cpuMs === null ? null : rounded((cpuMs * 1000) / operations),
      ...(speed?.figures ?? NO_SPEED),
      missed_percent: missed,
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
  p99_9_ms: null,
  max_ms: null,
};

/** Of the requests on a schedule, those that were sent late or never because the server was not ready; null for none. */
export function missedPercent(reports: readonly RoundReport[]): number | null {
  const intended = reports.reduce((sum, report) => sum + report.intended, 0);
  const missed = reports.reduce((sum, report) => sum + report.missed, 0);
  return intended === 0 ? null : rounded((100 * missed) / intended);
}

/** Says that a server did not get the rate that it should have got; null when it did. */
function missedRate(percent: number | null): string | null {
  if (percent === null || percent <= MISSED_LIMIT) return null;
  return `the rate was missed: ${percent} % of the requests waited for the server before they could be sent`;
}

export function speedOf(reports: readonly RoundReport[], operations: number, elapsedMs: number) {
  const latencies = Latencies.empty();
  for (const report of reports) latencies.add(Latencies.decode(report.latencies));
  return {
    latency: latencies.distribution().map(([percent, ms]) => [percent, rounded(ms)] as const),
    figures: {
      ops_per_second: rounded((operations * 1000) / elapsedMs),
      p50_ms: rounded(latencies.percentile(50)),
      p90_ms: rounded(latencies.percentile(90)),
      p99_ms: rounded(latencies.percentile(99)),
      p99_9_ms: rounded(latencies.percentile(99.9)),
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
