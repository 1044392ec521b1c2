import {
  type ConsolePartFields,
  type ConsoleQueueRow,
  type ConsoleReply,
  type PartParams,
} from '../../../schemas/queues/console.js';
import { CONSOLE_LOG, type LogRowFields } from '../../../schemas/queues/console-log.js';
import { CONSOLE_TROUBLES, type TroublesFields } from '../../../schemas/queues/console-troubles.js';
import { keepFirst } from './queue-table.js';

/**
 * A node that has told nothing for so long is gone, or nobody looked; they tell something once a second. Milliseconds.
 */
const LOST_MS = 5000;

type Merged = Pick<
  ConsoleReply,
  'nodes' | 'queues' | 'queues_found' | 'queue' | 'troubles' | 'log'
>;

/** ConsoleNodes has what the nodes that follow told the leader last. */
export class ConsoleNodes {
  private readonly parts = new Map<
    string,
    { readonly at: number; readonly part: ConsolePartFields }
  >();

  /** @param now milliseconds, steady */
  constructor(private readonly now: () => number) {}

  told(node: string, part: ConsolePartFields): void {
    this.forgetLost();
    this.parts.set(node, { at: this.now(), part });
  }

  /** How many have told of their logs since a time. */
  toldSince(since: number): number {
    return [...this.parts.values()].filter(({ at, part }) => at > since && part.log).length;
  }

  clear(): void {
    this.parts.clear();
  }

  /** What the leader and all others have, as one. */
  merged(own: ConsolePartFields, params: PartParams): Merged {
    this.forgetLost();
    const parts = [own, ...[...this.parts.values()].map(({ part }) => part)];
    const rows = rowsOf(parts);
    keepFirst(rows, params);
    const queue = parts.find((part) => part.queue?.queue_id === params.open_queue)?.queue;
    return {
      nodes: parts.map(({ figures }) => figures),
      ...(params.with_queues
        ? { queues: rows, queues_found: sum(parts.map((part) => part.queues_found ?? 0)) }
        : {}),
      ...(queue ? { queue } : {}),
      ...(params.with_troubles ? { troubles: troublesOf(parts) } : {}),
      ...(params.with_log ? { log: logOf(parts) } : {}),
    };
  }

  private forgetLost(): void {
    const before = this.now() - LOST_MS;
    for (const [node, { at }] of this.parts) if (at < before) this.parts.delete(node);
  }
}

/** Each queue once: two nodes may hold themselves for its home, until the one that it left has heard of that. */
function rowsOf(parts: readonly ConsolePartFields[]): ConsoleQueueRow[] {
  if (parts.length === 1) return parts[0]!.queues ?? [];
  const rows = new Map<string, ConsoleQueueRow>();
  for (const row of parts.flatMap(({ queues = [] }) => queues)) {
    const known = rows.get(row.queue_id);
    if (!known || known.idle_seconds >= row.idle_seconds) rows.set(row.queue_id, row);
  }
  return [...rows.values()];
}

/** The newest of all nodes; what waits to be sent is the leader's. */
function troublesOf(parts: readonly ConsolePartFields[]): TroublesFields {
  const all = parts.flatMap(({ troubles }) => troubles ?? []);
  const newest = <T>(rows: T[], at: (row: T) => number): T[] =>
    rows.sort((a, b) => at(b) - at(a)).slice(0, CONSOLE_TROUBLES);
  return {
    ...all[0]!,
    refusals: newest(
      all.flatMap(({ refusals }) => refusals),
      ({ last_at }) => last_at,
    ),
    slow: newest(
      all.flatMap(({ slow }) => slow),
      ({ at }) => at,
    ),
    failures: newest(
      all.flatMap(({ failures }) => failures),
      ({ last_at }) => last_at,
    ),
  };
}

/** The newest lines of all nodes. */
function logOf(parts: readonly ConsolePartFields[]): LogRowFields[] {
  return parts
    .flatMap(({ log = [] }) => log)
    .sort((a, b) => b.at - a.at)
    .slice(0, CONSOLE_LOG);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
