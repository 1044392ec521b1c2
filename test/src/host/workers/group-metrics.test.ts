import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import t from 'tap';
import type { MetricJson } from '../../../../src/host/monitoring/metrics.js';
import { GroupMetrics } from '../../../../src/host/workers/group-metrics.js';

/** What a worker tells that has served some requests. */
async function worker(requests: number, leads: boolean): Promise<MetricJson[]> {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['operation', 'status'];
  const served = new Counter({
    name: 'parley_http_requests_total',
    help: 'h',
    labelNames,
    registers,
  });
  served.inc({ operation: 'send-message', status: '200' }, requests);
  served.inc({ operation: 'forwarded', status: '200' }, 5);
  const gauge = (name: string, value: number): void => {
    new Gauge({ name, help: 'h', registers }).set(value);
  };
  gauge('parley_leads', Number(leads));
  gauge('parley_queue_events', 3);
  const queues = new Gauge({ name: 'parley_queues', help: 'h', labelNames: ['state'], registers });
  queues.set({ state: 'polling' }, 2);
  queues.set({ state: 'unattached' }, 9);
  new Histogram({
    name: 'parley_commit_duration_seconds',
    help: 'h',
    buckets: [1],
    registers,
  }).observe(0.5);
  return registry.getMetricsAsJSON();
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('parley_'))
    .sort();

void t.test('sums what can be added up, and names the worker of what cannot', async (t) => {
  const group = new GroupMetrics(() => 4);
  const workers = new Map([
    [1, await worker(10, true)],
    [2, await worker(20, false)],
  ]);
  t.same(linesOf(await group.summed(workers)), [
    'parley_commit_duration_seconds_bucket{le="+Inf"} 2',
    'parley_commit_duration_seconds_bucket{le="1"} 2',
    'parley_commit_duration_seconds_count 2',
    'parley_commit_duration_seconds_sum 1',
    'parley_http_requests_total{operation="send-message",status="200"} 30',
    'parley_leads{worker="1"} 1',
    'parley_leads{worker="2"} 0',
    'parley_queue_events 6',
    'parley_queues{state="polling"} 4',
    'parley_queues{state="unattached",worker="1"} 9',
    'parley_queues{state="unattached",worker="2"} 9',
    'parley_worker_restarts_total 4',
    'parley_workers 2',
  ]);
});

void t.test('each worker is shown by itself, with what it forwarded', async (t) => {
  const group = new GroupMetrics(() => 0);
  const lines = linesOf(await group.each(new Map([[2, await worker(20, false)]])));
  t.ok(lines.every((line) => line.includes('worker="2"')));
  t.ok(
    lines.includes('parley_http_requests_total{operation="forwarded",status="200",worker="2"} 5'),
  );
});

void t.test('sums do not fall when a worker ends and another takes its place', async (t) => {
  const group = new GroupMetrics(() => 1);
  group.told(new Map([[1, await worker(10, true)]]));
  await group.ended(1);
  await group.ended(1);
  const lines = linesOf(await group.summed(new Map([[1, await worker(7, true)]])));
  t.ok(lines.includes('parley_http_requests_total{operation="send-message",status="200"} 17'));
  t.ok(lines.includes('parley_commit_duration_seconds_count 2'));
  t.ok(lines.includes('parley_queue_events 3'), 'but what it held is gone');
});
