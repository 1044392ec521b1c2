/** The queues of this node as the console lists them. */
import {
  CONSOLE_HELD,
  CONSOLE_QUEUES,
  type ActorStepRow,
  type ConsoleQueueRow,
  type OpenedQueueRow,
  type QUEUE_ORDERS,
} from '../../../schemas/queues/console.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';

/** Which queues are listed, and in which order. */
export interface QueueQuery {
  readonly queue_filter: string;
  readonly queue_order: (typeof QUEUE_ORDERS)[number];
  readonly queues_ascending: boolean;
}

type Order = QueueQuery['queue_order'];

const VALUES: Readonly<Record<Order, (row: ConsoleQueueRow) => number>> = {
  events: ({ events }) => events,
  bytes: ({ bytes }) => bytes,
  oldest: ({ oldest_seconds }) => oldest_seconds,
  idle: ({ idle_seconds }) => idle_seconds,
  user: ({ user_id }) => user_id,
  acknowledged: ({ acknowledged }) => acknowledged,
};

/** QueueTable lists the queues of this node. Each look visits all of them once: 2 to 4 ms for 10,000. */
export class QueueTable {
  /** @param now by the clock of the queues, milliseconds */
  constructor(
    private readonly queues: Queues,
    private readonly now: () => number,
  ) {}

  /** The first queues by an order, of those that match; another node tells of those that it serves. */
  rows(query: QueueQuery, nodeId: string): { rows: ConsoleQueueRow[]; found: number } {
    const matches = matcher(query.queue_filter);
    const [now, seconds] = [this.now(), Math.floor(Date.now() / 1000)];
    let found = 0;
    const rows: ConsoleQueueRow[] = [];
    for (const queue of this.queues.all()) {
      if (this.queues.isElsewhere(queue)) continue;
      const row = this.row(queue, nodeId, now, seconds);
      if (!matches(row)) continue;
      found += 1;
      rows.push(row);
      // In one go, not for each queue.
      if (rows.length >= 2 * CONSOLE_QUEUES) keepFirst(rows, query);
    }
    keepFirst(rows, query);
    return { rows, found };
  }

  /** One queue of this node; undefined where there is none. @param steps what its actor did while it was watched */
  opened(
    queueId: string,
    nodeId: string,
    steps: readonly ActorStepRow[],
  ): OpenedQueueRow | undefined {
    const queue = this.queues.get(queueId);
    if (!queue || this.queues.isElsewhere(queue)) return undefined;
    const { host } = this.queues.actors;
    const { capabilities, event_types, narrow } = queue.filter;
    return {
      ...this.row(queue, nodeId, this.now(), Math.floor(Date.now() / 1000)),
      ...(host.isLive(queueId) ? { state: host.valueOf(queueId)! } : {}),
      newest_id: queue.newestId,
      since: queue.since,
      idle_timeout_seconds: Math.round(queue.idleTimeoutMs / 1000),
      event_types: event_types === null ? null : [...event_types],
      narrow_terms: narrow.length,
      capabilities: Object.entries(capabilities).flatMap(([name, has]) => (has ? [name] : [])),
      held: queue
        .pending()
        .slice(0, CONSOLE_HELD)
        .map(({ id, json }) => ({ event_id: id, event_type: typeOf(json), bytes: json.length })),
      steps: [...steps],
    };
  }

  private row(queue: EventQueue, nodeId: string, now: number, seconds: number): ConsoleQueueRow {
    const { consumer, length } = queue;
    return {
      queue_id: queue.queueId,
      user_id: queue.userId,
      client: queue.client,
      // Its end removes a queue, so each that is there is in the machine's first state.
      state: 'live',
      transport: queue.needsReplay ? 'unattached' : (consumer?.kind ?? 'none'),
      node_id: nodeId,
      events: length,
      bytes: queue.bufferedBytes,
      oldest_seconds: length === 0 ? 0 : Math.max(0, seconds - queue.pending()[0]!.madeAt),
      acknowledged: queue.acknowledgedId,
      idle_seconds: consumer ? 0 : Math.max(0, Math.round((now - queue.touchedAt) / 1000)),
    };
  }
}

/** The first rows by the order of a query. */
export function keepFirst(rows: ConsoleQueueRow[], query: QueueQuery): void {
  const value = VALUES[query.queue_order];
  const sign = query.queues_ascending ? 1 : -1;
  rows.sort((a, b) => sign * (value(a) - value(b)) || (a.queue_id < b.queue_id ? -1 : 1));
  rows.length = Math.min(rows.length, CONSOLE_QUEUES);
}

/** Each word is a user's number, or a part of the queue's id, client, transport, state or node. */
function matcher(filter: string): (row: ConsoleQueueRow) => boolean {
  const words = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return ({ queue_id, user_id, client, state, transport, node_id }) => {
    const text = `${queue_id} ${client} ${state} ${transport} ${node_id}`.toLowerCase();
    return words.every((word) => word === String(user_id) || text.includes(word));
  };
}

/** The type stands near the beginning of each event's text: it is read there, and nothing else. */
function typeOf(json: string): string {
  return /^\{"type":"([a-z_]+)"/.exec(json.slice(0, 100))?.[1] ?? '';
}
