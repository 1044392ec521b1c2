/** `parley top`: the running server, some seconds at a time. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { badRequest } from '../../errors.js';
import { LATENCY_BOUNDS, type Latencies, type ReplyCounts } from '../../http/reply-counts.js';
import { censusOf } from '../../journal/queues/queue-census.js';
import type { AdminNode, AdminRequest, Asker } from './admin-request.js';
import type { OperationRow, TopRow } from './top-text.js';

/** How often the event loop is looked at, milliseconds: the precision of its delay. */
const LOOP_RESOLUTION_MS = 10;
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
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  const look = looks(node, loop);
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve) => {
      timer = setInterval(() => {
        row(look());
        left -= 1;
        if (left <= 0) resolve();
      }, seconds * 1000);
      void gone.then(resolve);
    });
  } finally {
    clearInterval(timer);
    loop.disable();
  }
}

/** @throws ApiError */
function numberFrom(
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
function looks(
  { leadership, served }: AdminNode,
  loop: ReturnType<typeof monitorEventLoopDelay>,
): () => TopRow {
  const { queues, parts } = served;
  const commitsSince = parts.recentCommits.look();
  let before = performance.now();
  let delivered = queues.delivered;
  let known = latenciesOf(parts.server.replies);
  return () => {
    const now = performance.now();
    const seconds = (now - before) / 1000;
    const perSecond = (count: number): number => rounded(count / seconds);
    const commits = commitsSince();
    const latest = latenciesOf(parts.server.replies);
    const operations = differences(known, latest, seconds);
    const census = censusOf(queues.all(), served.org.now());
    const { idle, polling, streaming, unattached } = census;
    const row: TopRow = {
      at: new Date().toISOString(),
      requests: rounded(operations.reduce((sum, one) => sum + one.per_second, 0)),
      deliveries: perSecond(queues.delivered - delivered),
      commits: perSecond(commits.entries),
      commit_p99_ms: commits.p99Ms === null ? null : rounded(commits.p99Ms),
      pending: leadership.figures().pending,
      queues: { idle, polling, streaming, unattached },
      queue_events: census.events,
      loop_p99_ms: late(loop.percentile(99)),
      loop_max_ms: late(loop.max),
      rss_mb: rounded(process.memoryUsage.rss() / 1024 / 1024),
      operations: operations.slice(0, OPERATIONS),
    };
    loop.reset();
    [before, delivered, known] = [now, queues.delivered, latest];
    return row;
  };
}

/** Nanoseconds between two looks at the event loop, as the milliseconds by which the second was late. */
function late(ns: number): number {
  return rounded(Math.max(0, (Number.isFinite(ns) ? ns : 0) / 1e6 - LOOP_RESOLUTION_MS));
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
