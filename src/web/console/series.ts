import type { Reply } from '../../client/index.js';

export type Look = Reply<'GET /realm/console'>;

/** How often the server is asked, and how long the charts look back. Milliseconds. */
export const INTERVAL_MS = 2000;
const SPAN_MS = 10 * 60_000;
const MOST_POINTS = SPAN_MS / INTERVAL_MS;

/** Names of what is drawn over time. */
export type Name = 'delivered' | 'entries' | 'sendP50' | 'sendP99' | 'delay' | 'memory' | 'queues';

export interface Point {
  readonly at: number;
  /** Null where nothing happened to measure. */
  readonly values: Readonly<Record<Name, number | null>>;
}

/** The points of the last ten minutes, of what was asked one after another. */
export class Series {
  readonly points: Point[] = [];
  private last: { at: number; look: Look } | undefined;

  add(at: number, look: Look): void {
    const { last } = this;
    this.last = { at, look };
    // Counters begin anew with each process, and each has its own.
    if (!last || look.uptime_seconds < last.look.uptime_seconds) return;
    const seconds = (at - last.at) / 1000;
    const rate = (now: number, before: number): number => Math.max(0, now - before) / seconds;
    const { idle = 0, polling = 0, streaming = 0, unattached = 0 } = look.queue_counts;
    this.points.push({
      at,
      values: {
        delivered: rate(look.delivered_events, last.look.delivered_events),
        entries: rate(look.journal_head, last.look.journal_head),
        sendP50: quantile(look.sends, last.look.sends, 0.5),
        sendP99: quantile(look.sends, last.look.sends, 0.99),
        delay: look.loop_delay_p99_ms,
        memory: look.resident_bytes / 1e6,
        queues: idle + polling + streaming + unattached,
      },
    });
    if (this.points.length > MOST_POINTS) this.points.shift();
  }
}

/** Milliseconds within which a part of the replies between two looks came; the upper bound of their bucket. */
export function quantile(now: Look['sends'], before: Look['sends'], part: number): number | null {
  const count = now.count - before.count;
  if (count <= 0) return null;
  const place = now.within.findIndex(
    (within, index) => within - (before.within[index] ?? 0) >= part * count,
  );
  return 1000 * (now.bounds[place] ?? now.bounds.at(-1) ?? 0);
}
