import type { RoundReport } from '../exchange/jobs.js';
import { countOf, type Pace } from '../exchange/pace.js';
import { rounded, type Figures, type Outcome, type Second } from '../harness/measuring/figures.js';
import {
  bottleneck,
  lateness,
  MISSED_LIMIT,
  missedPercent,
  speedOf,
} from '../harness/measuring/measure.js';
import type { RanRound } from '../harness/measuring/run-round.js';
import { lengthMs, type PartReport } from './crew.js';

/** What a round showed, by kind and in all. */
export interface RoundFigures {
  readonly parts: Readonly<Record<string, Figures>>;
  readonly total: Figures;
  readonly latency: Outcome['latency'];
  readonly series: readonly Second[];
  /** Why the figures say more about the generators than about the server; null when they do not. */
  readonly refused: string | null;
  /** That the generators sent late, which is in the latencies; null when they did not. */
  readonly late: string | null;
  readonly notes: readonly string[];
  /** Whether the server took what it was asked, in time and without many errors. */
  readonly keptRate: boolean;
}

/** Percent of what was intended that may fail while a rate still counts as kept. */
const ERRORS_LIMIT = 1;

export function figuresOf(
  { parts, reports, window, series }: RanRound & { readonly parts: readonly PartReport[] },
  pace: Pace,
): RoundFigures {
  const failedWrites = sum(
    parts.filter(({ kind }) => kind === 'write').flatMap(({ reports }) => reports),
    failures,
  );
  const rows = parts.map((part) => ({ part, figures: partFigures(part, failedWrites, pace) }));
  const operations = sum(reports, (report) => report.operations);
  const speed = speedOf(reports, operations, elapsed(reports, pace));
  const late = lateness(reports)?.split(':')[0] ?? null;
  const events = countOf(pace);
  const total: Figures = {
    cpu_us_per_op: window.cpuMs === null ? null : rounded((window.cpuMs * 1000) / operations),
    ...speed.figures,
    missed_percent: missedPercent(reports),
    ...errorsOf(rows.map(({ figures }) => figures)),
    wait_share: window.waitMs === null ? null : rounded(window.waitMs / window.elapsedMs),
    cpu_ms_per_request: window.cpuMs === null ? null : rounded(window.cpuMs / events),
    rss_mb: window.residentBytes === null ? null : rounded(window.residentBytes / 1e6),
    operations,
  };
  const firstFault = reports.find((report) => report.firstFault !== null)?.firstFault ?? null;
  return {
    total,
    parts: Object.fromEntries(rows.map(({ part, figures }) => [part.kind, figures])),
    latency: speed.latency,
    series,
    refused: bottleneck(reports, window),
    late,
    notes: [
      ...(late === null ? [] : [`${late}, which is in the latencies`]),
      ...missedNote(total),
      ...(firstFault === null ? [] : [`the first failure: ${firstFault}`]),
    ],
    keptRate: rows.every(
      ({ figures }) =>
        (figures['missed_percent'] ?? 0) <= MISSED_LIMIT &&
        (figures['errors_percent'] ?? 0) <= ERRORS_LIMIT,
    ),
  };
}

function missedNote({ missed_percent: missed = null }: Figures): string[] {
  if (missed === null || missed <= MISSED_LIMIT) return [];
  return [
    `the rate was missed: ${missed} % of the requests waited for the server before they could be sent`,
  ];
}

function partFigures(
  { reports, intended, clients }: PartReport,
  failedWrites: number,
  pace: Pace,
): Figures {
  const operations = sum(reports, (report) => report.operations);
  const isRequest = reports.some((report) => report.intended > 0);
  const errors: Record<string, number> = {};
  for (const { faults } of reports) {
    for (const [name, times] of Object.entries(faults)) errors[name] = (errors[name] ?? 0) + times;
  }
  // Of a message that was refused nobody got an event.
  const lost = sum(reports, (report) => report.lost) - (isRequest ? 0 : failedWrites * clients);
  if (lost > 0) errors[isRequest ? 'unanswered' : 'lost'] = lost;
  const repeated = sum(reports, (report) => report.repeated);
  if (repeated > 0) errors['repeated'] = repeated;
  const failed = Object.values(errors).reduce((total, one) => total + one, 0);
  const recoveryMs = Math.max(0, ...reports.map((report) => report.recoveryMs));
  return {
    ...speedOf(reports, operations, elapsed(reports, pace)).figures,
    missed_percent: missedPercent(reports),
    errors: failed,
    errors_percent: intended === 0 ? null : rounded((100 * failed) / intended),
    bytes_per_op:
      operations === 0 ? null : rounded(sum(reports, ({ bytes }) => bytes) / operations),
    ...Object.fromEntries(
      Object.entries(errors).map(([name, times]) => [
        `errors_${name.replaceAll(/\W+/g, '_')}`,
        times,
      ]),
    ),
    ...(recoveryMs > 0 ? { recovery_ms: rounded(recoveryMs) } : {}),
    operations,
  };
}

/** Errors of all parts, by kind. */
function errorsOf(parts: readonly Figures[]): Record<string, number> {
  const all: Record<string, number> = { errors: 0 };
  for (const figures of parts) {
    for (const [name, value] of Object.entries(figures)) {
      if (name === 'errors' || (name.startsWith('errors_') && name !== 'errors_percent')) {
        all[name] = (all[name] ?? 0) + (value ?? 0);
      }
    }
  }
  return all;
}

function failures({ faults, lost }: RoundReport): number {
  return Object.values(faults).reduce((total, one) => total + one, 0) + lost;
}

/** As long as was intended, and longer where operations ended later. */
function elapsed(reports: readonly RoundReport[], pace: Pace): number {
  const busy = reports.map(({ seconds }) =>
    seconds.findLastIndex(({ operations }) => operations > 0),
  );
  return Math.max(lengthMs(pace), ...busy.map((second) => second * 1000));
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
