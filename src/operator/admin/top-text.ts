/** What `parley top` shows. */
import type { ReplicaCount } from '../../store/port.js';
import { tableText } from './table.js';

/** What happened in an interval, per second where nothing else is said. */
export interface TopRow {
  readonly at: string;
  readonly requests: number;
  readonly deliveries: number;
  readonly commits: number;
  /** Milliseconds; null where nothing was committed. */
  readonly commit_p99_ms: number | null;
  readonly pending: number;
  /** Replicas of the store that have the newest change, of those that must; absent: none must. */
  readonly replicas?: ReplicaCount;
  readonly queues: Readonly<Record<'idle' | 'polling' | 'streaming' | 'unattached', number>>;
  readonly queue_events: number;
  /** Milliseconds by which the event loop was late. */
  readonly loop_p99_ms: number;
  readonly loop_max_ms: number;
  /** Null where the system does not tell. */
  readonly rss_mb: number | null;
  /** Those that took the most time, the slowest first. */
  readonly operations: readonly OperationRow[];
}

/** An operation of the API. */
export interface OperationRow {
  readonly operation: string;
  readonly per_second: number;
  readonly mean_ms: number;
  /** Upper bound of the bucket that has it. */
  readonly p99_ms: number | null;
}

/** A row as a screen shows it. */
export function topText(row: TopRow): string {
  const { queues, operations, replicas } = row;
  const p99 = row.commit_p99_ms === null ? 'none' : `p99 ${row.commit_p99_ms} ms`;
  const kept = replicas ? `, ${replicas.have} of ${replicas.wanted} replicas` : '';
  return [
    `${row.at}  ${row.rss_mb ?? 'unknown'} MiB`,
    `requests ${row.requests}/s   deliveries ${row.deliveries}/s   commits ${row.commits}/s (${p99}, ${row.pending} pending${kept})`,
    `event loop late: p99 ${row.loop_p99_ms} ms, at most ${row.loop_max_ms} ms`,
    `queues: ${queues.polling} polling, ${queues.streaming} streaming, ${queues.idle} idle, ${queues.unattached} unattached; ${row.queue_events} events wait`,
    '',
    operations.length === 0 ? 'No requests' : tableText(operations.map((one) => ({ ...one }))),
    '',
  ].join('\n');
}
