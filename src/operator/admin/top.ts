/** `parley top`: the running server, some seconds at a time. */
import { monotonicTime, wallTime } from '../../platform/time.js';
import { setInterval, clearInterval } from '../../platform/timers.js';
import { badRequest } from '../../errors/index.js';
import { LATENCY_BOUNDS, type Latencies, type ReplyCounts } from '../../http/reply/reply-counts.js';
import { LoopDelay } from '../../turns/loop-delay.js';
import type { AdminNode, AdminRequest, Asker } from './admin-request.js';
import type { OperationRow, TopRow } from './top-text.js';
import { onceSettled, untold } from '../../turns/background.js';

/** Operations that are shown, those that took the most time together. */
const OPERATIONS = 8;

/** Sends a row per interval, until the other end goes or has enough. */
export async function top(
  node: AdminNode,
  { flags }: AdminRequest,
  { row, gone }: Asker,
): Promise<void> {
  const seconds = numberFrom(flags['interval'], 'interval', 2, 60);
  let left = numberFrom(flags['count'], 'count', Infinity, 1_000_000);
  const loop = new LoopDelay();
  loop.start();
  const look = looks(node, loop);
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve) => {
      timer = setInterval(() => {
        row(look());
        left -= 1;
        if (left <= 0) resolve();
      }, seconds * 1000);
      onceSettled(gone, resolve, untold);
    });
  } finally {
    clearInterval(timer);
    loop.stop();
  }
}

/** A flag that is a number. @throws ApiError */
export function numberFrom(
  given: string | boolean | undefined,
  name: string,
  fallback: number,
  most: number,
): number {
  if (given === undefined) return fallback;
  const number = Number(given);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw badRequest(`--${name} is a number from 1 to ${most}`);
}

/** @returns a function that tells what happened since the last call */
function looks({ served }: AdminNode, loop: LoopDelay): () => TopRow {
  const { parts } = served;
  const commitsSince = parts.recentCommits.look();
  let before = monotonicTime();
  let delivered = served.queues.fanOut.delivered;
  let known = latenciesOf(parts.server.replies);
  return () => {
    const now = monotonicTime();
    const seconds = (now - before) / 1000;
    const perSecond = (count: number): number => rounded(count / seconds);
    const commits = commitsSince();
    const latest = latenciesOf(parts.server.replies);
    const operations = differences(known, latest, seconds);
    const figures = served.look();
    const {
      idle = 0,
      polling = 0,
      streaming = 0,
      unattached = 0,
      events = 0,
    } = figures.queue_counts;
    const delay = loop.look();
    const bytes = figures.resident_bytes;
    const row: TopRow = {
      at: new Date(wallTime()).toISOString(),
      requests: rounded(operations.reduce((sum, one) => sum + one.per_second, 0)),
      deliveries: perSecond(figures.delivered_events - delivered),
      commits: perSecond(commits.entries),
      commit_p99_ms: commits.p99Ms === null ? null : rounded(commits.p99Ms),
      pending: figures.pending_entries,
      ...(figures.store_replicas ? { replicas: figures.store_replicas } : {}),
      queues: { idle, polling, streaming, unattached },
      queue_events: events,
      loop_p99_ms: delay.p99,
      loop_max_ms: delay.max,
      rss_mb: bytes === null ? null : rounded(bytes / 1024 / 1024),
      operations: operations.slice(0, OPERATIONS),
    };
    [before, delivered, known] = [now, figures.delivered_events, latest];
    return row;
  };
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

type Known = ReadonlyMap<string, Latencies>;

function latenciesOf(replies: Iterable<ReplyCounts>): Known {
  const found = new Map<string, Latencies>();
  for (const counts of replies) {
    const latencies = counts.latencies();
    if (latencies) found.set(counts.operation, latencies);
  }
  return found;
}

function differences(before: Known, after: Known, seconds: number): OperationRow[] {
  const rows: (OperationRow & { readonly took: number })[] = [];
  for (const [operation, { within, count, sum }] of after) {
    const former = before.get(operation);
    const more = count - (former?.count ?? 0);
    if (more === 0) continue;
    const took = sum - (former?.sum ?? 0);
    const place = within.findIndex(
      (known, bound) => known - (former?.within[bound] ?? 0) >= more * 0.99,
    );
    const p99_ms = place < 0 ? null : LATENCY_BOUNDS[place]! * 1000;
    const mean_ms = rounded((took / more) * 1000);
    rows.push({ operation, per_second: rounded(more / seconds), mean_ms, p99_ms, took });
  }
  return rows.sort((a, b) => b.took - a.took).map(({ took: _took, ...row }) => row);
}
