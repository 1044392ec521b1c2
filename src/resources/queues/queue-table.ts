/** The queues of this node as the console lists them. */
import { wallTime } from '../../platform/time.js';
import {
  CONSOLE_HELD,
  CONSOLE_QUEUES,
  type ActorStepRow,
  type ConsoleQueueRow,
  type OpenedQueueRow,
  type QUEUE_ORDERS,
} from '../../../schemas/queues/console.js';
import type { ActorSnapshot } from '../../../actors/host.js';
import type { EventQueueContext } from '../../../actors/event-queue.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';

/** Which queues are listed, and in which order. */
export interface QueueQuery {
  readonly queue_filter: string;
  readonly queue_order: (typeof QUEUE_ORDERS)[number];
  readonly queues_ascending: boolean;
}

type Order = QueueQuery['queue_order'];

/** The values by which queues, and their rows, can be ordered; times in milliseconds. */
const VALUES: Readonly<Record<Order, (row: ConsoleQueueRow) => number>> = {
  events: ({ events }) => events,
  bytes: ({ bytes }) => bytes,
  oldest: ({ oldest_seconds }) => oldest_seconds,
  idle: ({ idle_seconds }) => idle_seconds,
  user: ({ user_id }) => user_id,
  acknowledged: ({ acknowledged }) => acknowledged,
};

/**
 * QueueTable lists the queues of this node. Each look visits all of them once, and makes rows of those that are listed.
 */
export class QueueTable {
  /** @param now by the clock of the queues, milliseconds */
  constructor(
    private readonly queues: Queues,
    private readonly now: () => number,
  ) {}

  /** The first queues by an order, of those that match; another node tells of those that it serves. */
  rows(query: QueueQuery, nodeId: string): { rows: ConsoleQueueRow[]; found: number } {
    const matches = matcher(query.queue_filter, nodeId);
    const [now, seconds] = [this.now(), Math.floor(wallTime() / 1000)];
    const sign = query.queues_ascending ? 1 : -1;
    let found = 0;
    let kept: { readonly queue: EventQueue; readonly place: number }[] = [];
    /** Those behind it are not listed. */
    let last = Infinity;
    for (const queue of this.queues.all()) {
      if (this.queues.isElsewhere(queue) || !matches(queue)) continue;
      found += 1;
      const place = sign * valueOf(queue, query.queue_order, now, seconds);
      if (place >= last) continue;
      kept.push({ queue, place });
      if (kept.length < 2 * CONSOLE_QUEUES) continue;
      // In one go, not for each queue.
      kept = kept.sort((a, b) => a.place - b.place).slice(0, CONSOLE_QUEUES);
      last = kept.at(-1)!.place;
    }
    const rows = kept.map(({ queue }) => rowOf(queue, nodeId, now, seconds));
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
    const { capabilities, event_types, narrow } = queue.filter;
    return {
      ...rowOf(queue, nodeId, this.now(), Math.floor(wallTime() / 1000)),
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
      snapshot: snapshotOf(this.queues.shown(queue)),
    };
  }
}

/** What the queue's actor has decided; of its filter the row says what may be shown. */
function snapshotOf({
  machine,
  version,
  value,
  context,
}: ActorSnapshot<EventQueueContext>): OpenedQueueRow['snapshot'] {
  const { user_id, since, idle_timeout_ms, deadline } = context;
  return { machine, version, value, context: { user_id, since, idle_timeout_ms, deadline } };
}

function transportOf({ needsReplay, consumer }: EventQueue): string {
  return needsReplay ? 'unattached' : (consumer?.kind ?? 'none');
}

/** Age of the oldest event that waits, seconds; 0 where there is none. */
function ageOf(queue: EventQueue, seconds: number): number {
  return queue.length === 0 ? 0 : Math.max(0, seconds - queue.pending()[0]!.madeAt);
}

function idleOf({ consumer, touchedAt }: EventQueue, now: number): number {
  return consumer ? 0 : Math.max(0, Math.round((now - touchedAt) / 1000));
}

/** The same as {@link VALUES} of its row. */
function valueOf(queue: EventQueue, order: Order, now: number, seconds: number): number {
  switch (order) {
    case 'events':
      return queue.length;
    case 'bytes':
      return queue.bufferedBytes;
    case 'oldest':
      return ageOf(queue, seconds);
    case 'idle':
      return idleOf(queue, now);
    case 'user':
      return queue.userId;
    case 'acknowledged':
      return queue.acknowledgedId;
  }
}

function rowOf(queue: EventQueue, nodeId: string, now: number, seconds: number): ConsoleQueueRow {
  return {
    queue_id: queue.queueId,
    user_id: queue.userId,
    client: queue.client,
    state: queue.snapshot.value,
    transport: transportOf(queue),
    node_id: nodeId,
    events: queue.length,
    bytes: queue.bufferedBytes,
    oldest_seconds: ageOf(queue, seconds),
    acknowledged: queue.acknowledgedId,
    idle_seconds: idleOf(queue, now),
  };
}

/** The first rows by the order of a query. */
export function keepFirst(rows: ConsoleQueueRow[], query: QueueQuery): void {
  const value = VALUES[query.queue_order];
  const sign = query.queues_ascending ? 1 : -1;
  rows.sort((a, b) => sign * (value(a) - value(b)) || (a.queue_id < b.queue_id ? -1 : 1));
  rows.length = Math.min(rows.length, CONSOLE_QUEUES);
}

/** Each word is a user's number, or a part of the queue's id, client, transport, state or node. */
function matcher(filter: string, nodeId: string): (queue: EventQueue) => boolean {
  const words = [...new Set(filter.trim().toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length === 0) return () => true;
  const here = nodeId.toLowerCase();
  return (queue) =>
    words.every(
      (word) =>
        here.includes(word) ||
        queue.snapshot.value.includes(word) ||
        transportOf(queue).includes(word) ||
        word === String(queue.userId) ||
        queue.queueId.toLowerCase().includes(word) ||
        queue.client.toLowerCase().includes(word),
    );
}

/** The type stands at the beginning of each event's text: it is read there, and nothing else. */
function typeOf(json: string): string {
  return /^\{"type":"([a-z_]+)"/.exec(json.slice(0, 100))?.[1] ?? '';
}
