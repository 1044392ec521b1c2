import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { createEventQueueMachine } from '../../../actors/event-queue.js';
import { createPresenceSessionMachine } from '../../../actors/presence-session.js';
import { createScheduledMessageMachine } from '../../../actors/scheduled-message.js';
import { stateChart } from '../../../actors/state-chart.js';
import { createTopicDeletionMachine } from '../../../actors/topic-deletion.js';
import {
  CONSOLE_EVENTS,
  CONSOLE_QUEUES,
  getConsole,
  type ConsoleEventRow,
  type ConsoleQueueRow,
  type StateChartRow,
} from '../../../schemas/queues/console.js';
import type { JournalEvent } from '../../journal/entry.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import { censusOf } from '../../journal/queues/queue-census.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Who has not asked for so long has gone: what is measured for the console ends. Milliseconds. */
const FORGET_MS = 30_000;
/** How often the delay of the event loop is sampled while somebody looks. Milliseconds. */
const SAMPLE_MS = 10;
const MS = 1e6;

/** What the console asks of the node, beside its queues. */
export interface ConsoleSources {
  readonly leads: () => boolean;
  readonly actors: () => Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Latencies of `POST /messages`; null before the first. */
  readonly sends: () => { readonly within: readonly number[]; readonly count: number } | null;
  /** Bounds of the latencies, seconds. */
  readonly bounds: readonly number[];
  readonly runtime: () => Runtime;
  readonly now: () => number;
}

/** Looks into the node for `GET /realm/console`. Measures and keeps something only while somebody asks. */
export class Console {
  private readonly events: ConsoleEventRow[] = [];
  private delay: IntervalHistogram | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly sources: ConsoleSources,
  ) {}

  look(params: { events_after?: number; with_queues: boolean; with_charts: boolean }) {
    const { sources, queues } = this;
    this.watch();
    const { journal } = sources.runtime();
    const memory = process.memoryUsage();
    const { idle, polling, streaming, unattached, events, bytes } = censusOf(
      queues.all(),
      sources.now(),
    );
    const after = params.events_after ?? journal.durableHead.seq;
    const { within = [], count = 0 } = sources.sends() ?? {};
    const p50 = (this.delay?.percentile(50) ?? 0) / MS;
    const p99 = (this.delay?.percentile(99) ?? 0) / MS;
    this.delay?.reset();
    return {
      node_role: sources.leads() ? ('leader' as const) : ('follower' as const),
      uptime_seconds: Math.round(process.uptime()),
      resident_bytes: memory.rss,
      heap_bytes: memory.heapUsed,
      // A sample is late by its interval.
      loop_delay_p50_ms: Math.max(0, p50 - SAMPLE_MS),
      loop_delay_p99_ms: Math.max(0, p99 - SAMPLE_MS),
      journal_head: journal.durableHead.seq,
      pending_entries: journal.pending,
      delivered_events: queues.delivered,
      sends: { bounds: [...sources.bounds], within: [...within], count },
      queue_counts: { idle, polling, streaming, unattached, events, bytes },
      actors: copied(sources.actors()),
      journal_events: this.events.filter(({ seq }) => seq > after).slice(-CONSOLE_EVENTS),
      ...(params.with_queues ? { queues: this.rows() } : {}),
      ...(params.with_charts ? { charts: charts() } : {}),
    };
  }

  /** Ends what is measured. */
  stop(): void {
    clearTimeout(this.timer);
    this.delay?.disable();
    this.delay = undefined;
    this.events.length = 0;
    this.sources.runtime().watcher = null;
  }

  private watch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stop(), FORGET_MS).unref();
    if (this.delay) return;
    this.delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
    this.delay.enable();
    this.sources.runtime().watcher = (event, seq) => this.keep(event, seq);
  }

  private keep({ type, audience }: JournalEvent, seq: number): void {
    this.events.push({ seq, event_type: type, audience: audience.to });
    // In one go, not for each event.
    if (this.events.length >= 2 * CONSOLE_EVENTS) this.events.splice(0, CONSOLE_EVENTS);
  }

  /** The queues with most events, in one pass: never more than twice the bound are kept and sorted. */
  private rows(): ConsoleQueueRow[] {
    const taken: EventQueue[] = [];
    for (const queue of this.queues.all()) {
      taken.push(queue);
      if (taken.length >= 2 * CONSOLE_QUEUES) cut(taken);
    }
    cut(taken);
    const now = this.sources.now();
    return taken.map((queue) => ({
      queue_id: queue.queueId,
      user_id: queue.userId,
      // Its end removes a queue, so each that is there is in the machine's first state.
      state: this.queues.actors.host.snapshotOf(queue.queueId)?.value ?? 'live',
      transport: queue.needsReplay ? 'unattached' : (queue.consumer?.kind ?? 'none'),
      events: queue.length,
      bytes: queue.bufferedBytes,
      acknowledged: queue.acknowledgedId,
      idle_seconds: queue.consumer ? 0 : Math.max(0, Math.round((now - queue.touchedAt) / 1000)),
    }));
  }
}

function cut(queues: EventQueue[]): void {
  queues.sort((a, b) => b.length - a.length || b.touchedAt - a.touchedAt);
  queues.length = Math.min(queues.length, CONSOLE_QUEUES);
}

function copied(actors: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  return Object.fromEntries(Object.entries(actors).map(([name, states]) => [name, { ...states }]));
}

/** Charts of the machines that run here, read from the machines; their effects are not called. */
function charts(): StateChartRow[] {
  const none = {} as never;
  return [
    stateChart(createEventQueueMachine(none)),
    stateChart(createPresenceSessionMachine(none)),
    stateChart(createScheduledMessageMachine(none)),
    stateChart(createTopicDeletionMachine(none)),
  ];
}

/** `GET /realm/console`. */
export function consoleHandlers(console: Console): AnyHandler[] {
  return [handle(getConsole, (_tx, { params }) => console.look(params))];
}
