/** Prometheus metrics of one process. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { residentBytes } from '../../platform/figures.js';
import { newestBackup } from '../data-folder/backup-folder.js';
import { type NodeFigures, registerNodeMetrics } from './node-metrics.js';
import type { StoreMeter } from '../../store/metered.js';
import { LATENCY_BOUNDS, type ReplyCounts } from '../../http/reply/reply-counts.js';
import type { Health, NodeHealth } from '../../http/health.js';
import { FEATURE_LEVEL } from '../../../schemas/limits.js';
import { SOFTWARE_VERSION } from '../../organization/state/software.js';
import type { MailOutcome } from '../../services/incoming-mail/mail-counts.js';
import type { FetchCount } from '../../services/outside/outside-previews.js';
import type { ConnectionLimit } from '../../http/limits/connection-limit.js';
import { MetricsListener } from './metrics-listener.js';

/** Sources of metrics; called only for a scrape. */
export interface MetricsSources {
  health(): Health;
  /** Further fields of `/health`; absent: none. */
  nodeHealth?(): NodeHealth;
  /** Null while the node has no organization in memory. */
  node(): NodeFigures | null;
  /** Position of the oldest journal entry kept; null where there is none. */
  readonly firstSeq: () => Promise<number | null>;
  replies(): Iterable<ReplyCounts>;
  /** What was fetched of other servers; absent: nothing is. */
  fetches?(): Iterable<FetchCount>;
  /** Outcomes of incoming mails; absent where none are accepted. */
  incomingMails?(): Iterable<readonly [MailOutcome, number]>;
  /** Mails that are read, or wait for it. */
  incomingWaiting?(): number;
  /** The certificate of this server, and when it expires, milliseconds since the epoch; absent or null: it has none. */
  certificate?(): { readonly file: string; readonly expiresAt: number } | null;
  /** Where backups are; absent where the operator names no folder. */
  readonly backupFolder?: string;
  /** Requests that wait for their reply, long polls too. */
  waiting(): number;
  /** Absent or null where the process has one organization alone. */
  organizations?(): OrganizationCounts | null;
}

/** The organizations of a process beside its main one. */
export interface OrganizationCounts {
  readonly loaded: number;
  readonly asleep: number;
  /** Damaged, or without their folder. */
  readonly unavailable: number;
  /** How many were brought into memory since the start, and how long that took in sum. */
  readonly wakes: number;
  readonly wakingSeconds: number;
}

/** All series of one metric. */
export type MetricJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

const STATES: readonly Health[] = [
  'ready',
  'read_only',
  'leader_unreachable',
  'starting',
  'follower',
  'unavailable',
  'draining',
];

/** What the library reads of `/proc`. */
const OF_PROC = [
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_heap_bytes',
];

const LATENCY_BUCKETS = [
  ...[0.0005, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06],
  ...[0.125, 0.25, 0.5, 1, 2, 4, 8],
];
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Collects metrics, and serves them as `GET /metrics`. */
export class Metrics implements StoreMeter {
  private readonly registry = new Registry();
  private readonly commits: Counter;
  private readonly commitSeconds: Histogram;
  private readonly groupEntries: Histogram;
  private readonly storeErrors: Counter<'operation' | 'kind'>;
  private listener: MetricsListener | undefined;
  private looking: Promise<string> | undefined;

  /** Figures of the current scrape. */
  private figures: NodeFigures | null = null;

  constructor(private readonly sources: MetricsSources) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    // The library says 0 for what a system without /proc does not tell, which an alert takes for a fact.
    if (residentBytes() === null) OF_PROC.forEach((name) => this.registry.removeSingleMetric(name));
    this.commits = new Counter({
      name: 'parley_commits_total',
      help: 'Journal entries that became durable',
      registers,
    });
    this.commitSeconds = new Histogram({
      name: 'parley_commit_duration_seconds',
      help: 'Time that the store took to commit a group of entries',
      buckets: LATENCY_BUCKETS,
      registers,
    });
    this.groupEntries = new Histogram({
      name: 'parley_commit_group_entries',
      help: 'Entries that were committed together',
      buckets: GROUP_BUCKETS,
      registers,
    });
    this.storeErrors = new Counter({
      name: 'parley_store_errors_total',
      help: 'Operations of the store that failed',
      labelNames: ['operation', 'kind'],
      registers,
    });
    registerProcess(registers, sources);
    registerNodeMetrics(registers, () => this.figures, sources.firstSeq);
  }

  committed(entries: number, seconds: number): void {
    this.commits.inc(entries);
    this.commitSeconds.observe(seconds);
    this.groupEntries.observe(entries);
  }

  failed(operation: string, kind: string): void {
    this.storeErrors.inc({ operation, kind });
  }

  /**
   * Serves the metrics; port 0 takes a free one.
   * @param limit of what others keep open in the process
   * @returns the URL
   * @throws Error when the port is in use
   */
  listen(address: { host: string; port: number }, limit: ConnectionLimit): Promise<string> {
    const { sources } = this;
    this.listener = new MetricsListener(
      {
        contentType: this.registry.contentType,
        text: (path) => (path === '/metrics' ? this.look() : null),
        health: async () => ({ status: sources.health(), node: sources.nodeHealth?.() }),
      },
      limit,
    );
    return this.listener.listen(address);
  }

  /** All metrics, for a process that shows those of several. */
  json(): Promise<MetricJson[]> {
    this.figures = this.sources.node();
    return this.registry.getMetricsAsJSON();
  }

  /** Idempotent. */
  close(): void {
    this.listener?.close();
    this.registry.clear();
  }

  /** Concurrent scrapes share one result. */
  private look(): Promise<string> {
    if (this.looking) return this.looking;
    this.figures = this.sources.node();
    this.looking = this.registry.metrics().finally(() => (this.looking = undefined));
    return this.looking;
  }
}

function registerProcess(registers: Registry[], sources: MetricsSources): void {
  new Gauge({
    name: 'parley_build_info',
    help: '1, with the versions of what runs as labels',
    labelNames: ['version', 'feature_level', 'node_version'],
    registers,
  }).set(
    {
      version: SOFTWARE_VERSION,
      feature_level: FEATURE_LEVEL,
      node_version: process.versions.node,
    },
    1,
  );
  new Gauge({
    name: 'parley_health',
    help: '1 for the state this process is in, 0 for the others',
    labelNames: ['state'],
    registers,
    collect() {
      const health = sources.health();
      for (const state of STATES) this.set({ state }, state === health ? 1 : 0);
    },
  });
  new Gauge({
    name: 'parley_tls_certificate_expiry_timestamp_seconds',
    help: 'UNIX time at which the certificate of --tls-cert expires',
    labelNames: ['file'],
    registers,
    collect() {
      const certificate = sources.certificate?.();
      if (certificate) this.set({ file: certificate.file }, certificate.expiresAt / 1000);
    },
  });
  new Gauge({
    name: 'parley_backup_last_success_timestamp_seconds',
    help: 'UNIX time of the newest backup in the folder of --backup-to; 0: there is none',
    labelNames: ['folder'],
    registers,
    async collect() {
      const { backupFolder: folder } = sources;
      if (folder) this.set({ folder }, ((await newestBackup(folder)) ?? 0) / 1000);
    },
  });
  new Counter({
    name: 'parley_http_requests_total',
    help: 'Requests answered; other: no endpoint',
    labelNames: ['operation', 'status'],
    registers,
    collect() {
      this.reset();
      for (const counts of sources.replies()) {
        for (const [status, count] of counts.byStatus()) {
          this.inc({ operation: counts.operation, status }, count);
        }
      }
    },
  });
  registerLatencies(registers, sources);
  registerOrganizations(registers, sources);
  new Counter({
    name: 'parley_link_preview_fetches_total',
    help: 'Pictures and pages of other servers that were fetched, could not be, or are at addresses that nobody is led to',
    labelNames: ['kind', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { kind, outcome, count } of sources.fetches?.() ?? []) {
        this.inc({ kind, outcome }, count);
      }
    },
  });
  new Counter({
    name: 'parley_incoming_mails_total',
    help: 'Incoming mails by outcome, counted once per address',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of sources.incomingMails?.() ?? []) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'parley_incoming_mails_waiting',
    help: 'Incoming mails that are being processed or wait',
    registers,
    collect() {
      this.set(sources.incomingWaiting?.() ?? 0);
    },
  });
  new Gauge({
    name: 'parley_http_requests_waiting',
    help: 'Requests without a reply yet, polls too',
    registers,
    collect() {
      this.set(sources.waiting());
    },
  });
}

function registerOrganizations(registers: Registry[], sources: MetricsSources): void {
  const counts = (): OrganizationCounts | null => sources.organizations?.() ?? null;
  new Gauge({
    name: 'parley_organizations',
    help: 'Organizations beside the main one: in memory, asleep, and out of service',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      const known = counts();
      if (!known) return;
      const { loaded, asleep, unavailable } = known;
      for (const [state, count] of Object.entries({ loaded, asleep, unavailable })) {
        this.set({ state }, count);
      }
    },
  });
  const counter = (name: string, help: string, value: (known: OrganizationCounts) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        const known = counts();
        if (known) this.inc(value(known));
      },
    });
  counter(
    'parley_organization_wakes_total',
    'Organizations that were brought into memory',
    ({ wakes }) => wakes,
  );
  counter(
    'parley_organization_waking_seconds_total',
    'Time that bringing them into memory took',
    ({ wakingSeconds }) => wakingSeconds,
  );
}

/**
 * Registers the latencies of operations. They are counted where requests end, in less time than an observation of the
 * library takes, and become a histogram when somebody looks.
 */
function registerLatencies(registers: readonly Registry[], sources: MetricsSources): void {
  const name = 'parley_http_request_duration_seconds';
  const help =
    'Time from the head of a request to its reply; polls and sockets, which wait, left out';
  const get = () => ({
    ...{ name, help, type: 'histogram', aggregator: 'sum' },
    values: [...sources.replies()].flatMap((counts) => histogramOf(name, counts)),
  });
  const metric = { name, help, get, reset: () => undefined };
  for (const registry of registers) registry.registerMetric(metric as never);
}

function histogramOf(name: string, counts: ReplyCounts) {
  const latencies = counts.latencies();
  if (!latencies) return [];
  const { within, count, sum } = latencies;
  const { operation } = counts;
  const bounds = [...LATENCY_BOUNDS, '+Inf' as const];
  return [
    ...bounds.map((le, place) => ({
      metricName: `${name}_bucket`,
      labels: { operation, le },
      value: within[place] ?? count,
    })),
    { metricName: `${name}_sum`, labels: { operation }, value: sum },
    { metricName: `${name}_count`, labels: { operation }, value: count },
  ];
}
