import type { ConsoleNode, Latencies, Reply } from '../../client/index.js';

export type Look = Reply<'GET /realm/console'>;

/** How often the server is asked, and how long the charts look back. Milliseconds. */
export const INTERVAL_MS = 2000;
const SPAN_MS = 10 * 60_000;
const MOST_POINTS = SPAN_MS / INTERVAL_MS;

/** Names of what is drawn over time. */
export type Name =
  | 'delivered'
  | 'poll'
  | 'socket'
  | 'stream'
  | 'requests'
  | 'entries'
  | 'commitP50'
  | 'commitP99'
  | 'sendP50'
  | 'sendP99'
  | 'delay'
  | 'memory'
  | 'queues'
  | 'searchLag'
  | 'lag';

export interface Point {
  readonly at: number;
  /** Null where nothing happened to measure. */
  readonly values: Readonly<Record<Name, number | null>>;
}

/** The points of the last ten minutes of one node, of what was asked one after another. */
export class Series {
  readonly points: Point[] = [];
  private last: { at: number; node: ConsoleNode } | undefined;

  add(at: number, node: ConsoleNode): void {
    const { last } = this;
    this.last = { at, node };
    // Counters start from 0 with each process, and each has its own.
    if (!last || node.uptime_seconds < last.node.uptime_seconds) return;
    const before = last.node;
    const seconds = (at - last.at) / 1000;
    const rate = (now: number, former: number): number => Math.max(0, now - former) / seconds;
    const by = (kind: string): number =>
      rate(node.delivered_by[kind] ?? 0, before.delivered_by[kind] ?? 0);
    this.points.push({
      at,
      values: {
        delivered: rate(node.delivered_events, before.delivered_events),
        ...{ poll: by('poll'), socket: by('socket'), stream: by('stream') },
        requests: rate(node.requests, before.requests),
        entries: rate(node.journal_head, before.journal_head),
        commitP50: quantile(node.commits, before.commits, 0.5),
        commitP99: quantile(node.commits, before.commits, 0.99),
        sendP50: quantile(node.sends, before.sends, 0.5),
        sendP99: quantile(node.sends, before.sends, 0.99),
        delay: node.loop_delay_p99_ms,
        memory: node.resident_bytes === null ? null : node.resident_bytes / 1e6,
        queues: queuesOf(node),
        searchLag: node.search_lag,
        lag: node.lag_ms,
      },
    });
    if (this.points.length > MOST_POINTS) this.points.shift();
  }

  /** The newest value, also where nothing has happened since. */
  latest(name: Name): number | null {
    return this.points.findLast(({ values }) => values[name] !== null)?.values[name] ?? null;
  }
}

/** Queues of a node that it serves or knows. */
function queuesOf({ queue_counts: counts }: ConsoleNode): number {
  const { idle = 0, polling = 0, streaming = 0, unattached = 0 } = counts;
  return idle + polling + streaming + unattached;
}

/** Milliseconds within which a part of what came between two looks was done; the upper bound of its bucket. */
function quantile(now: Latencies, before: Latencies, part: number): number | null {
  const count = now.count - before.count;
  if (count <= 0) return null;
  const place = now.within.findIndex(
    (within, index) => within - (before.within[index] ?? 0) >= part * count,
  );
  return 1000 * (now.bounds[place] ?? now.bounds.at(-1) ?? 0);
}
