/** Metrics of several processes as one text. */
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { MetricJson } from '../monitoring/metrics.js';

/** Gauges whose sum over processes is that of the machine; counters and histograms always have one. */
const ADDITIVE = new Set([
  'parley_actors',
  'parley_commits_pending',
  'parley_http_requests_waiting',
  'parley_incoming_mails_waiting',
  'parley_queue_bytes',
  'parley_queue_events',
  'parley_queues',
  'parley_queues_behind',
  'nodejs_external_memory_bytes',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'process_heap_bytes',
  'process_open_fds',
  'process_resident_memory_bytes',
]);

/** Metrics that have `forwarded` among the operations. */
const OF_REQUESTS = new Set(['parley_http_requests_total', 'parley_http_request_duration_seconds']);

type Metrics = readonly MetricJson[];

/**
 * GroupMetrics adds up what the workers count. A sum never falls: what a worker had counted when it was last
 * asked stays in it after the worker has ended.
 */
export class GroupMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly last = new Map<number, Metrics>();
  private retired: Metrics = [];
  private retiring: Promise<void> = Promise.resolve();

  /** @param restarts starts of workers in the place of ones that died */
  constructor(private readonly restarts: () => number) {}

  /** The latest reports of workers, by their number. */
  told(reports: ReadonlyMap<number, Metrics>): void {
    for (const [index, metrics] of reports) this.last.set(index, metrics);
  }

  /** A worker ended. */
  ended(index: number): Promise<void> {
    const last = this.last.get(index) ?? [];
    this.last.delete(index);
    const counted = last.filter(({ type }) => isCounted(String(type)));
    this.retiring = this.retiring.then(async () => {
      this.retired = await aggregated([this.retired, counted]).getMetricsAsJSON();
    });
    return this.retiring;
  }

  /** Each series of each worker, with its number as the label `worker`. */
  each(workers: ReadonlyMap<number, Metrics>): Promise<string> {
    const labelled = [...workers].map(([index, metrics]) =>
      metrics.map((metric) => withWorker(metric, index, () => true)),
    );
    return aggregated(labelled).metrics();
  }

  /** The sums; what has none with the label `worker`. */
  async summed(workers: ReadonlyMap<number, Metrics>): Promise<string> {
    const kept = [...workers].map(([index, metrics]) =>
      metrics.map((metric) =>
        withWorker(withoutForwarded(metric), index, (labels) => !hasSum(metric, labels)),
      ),
    );
    const registry = aggregated([...kept, this.retired.map(withoutForwarded)]);
    this.addOwn(registry, workers.size);
    return registry.metrics();
  }

  private addOwn(registry: Registry, running: number): void {
    const registers = [registry];
    const help = 'Workers that answer';
    new Gauge({ name: 'parley_workers', help, registers }).set(running);
    new Counter({
      name: 'parley_worker_restarts_total',
      help: 'Restarts of workers that ended',
      registers,
    }).inc(this.restarts());
  }
}

function aggregated(all: readonly Metrics[]): Registry {
  return AggregatorRegistry.aggregate(all.filter(({ length }) => length > 0));
}

function isCounted(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}

/** Each node knows all queues; those that nobody uses at it may be in use at another. */
function hasSum(metric: MetricJson, labels: object): boolean {
  if ('state' in labels && labels.state === 'unattached') return false;
  return isCounted(String(metric.type)) || ADDITIVE.has(metric.name);
}

/** A forwarded request is counted where it is carried out. */
function withoutForwarded(metric: MetricJson): MetricJson {
  if (!OF_REQUESTS.has(metric.name)) return metric;
  const values = metric.values.filter(({ labels }) => labels['operation'] !== 'forwarded');
  return { ...metric, values };
}

/** Adds the label where `wanted`. Series that differ in a label are not added up. */
function withWorker(
  metric: MetricJson,
  worker: number,
  wanted: (labels: object) => boolean,
): MetricJson {
  const values = metric.values.map((value) =>
    wanted(value.labels) ? { ...value, labels: { ...value.labels, worker } } : value,
  );
  return { ...metric, aggregator: 'sum', values };
}
