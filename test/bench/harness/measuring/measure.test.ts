import t from 'tap';
import type { RoundReport } from '../../../../bench/exchange/jobs.js';
import { Latencies } from '../../../../bench/generators/latencies.js';
import {
  bottleneck,
  lateness,
  missedPercent,
  speedOf,
} from '../../../../bench/harness/measuring/measure.js';
import { processUsage } from '../../../../bench/harness/processes/process-usage.js';

function report(some: Partial<RoundReport>): RoundReport {
  return {
    operations: 1,
    bytes: 1,
    lost: 0,
    repeated: 0,
    intended: 0,
    missed: 0,
    faults: {},
    firstFault: null,
    latencies: Latencies.empty().encode(),
    elapsedMs: 1000,
    cpuMs: 100,
    lateMs: 0,
    seconds: [],
    recoveryMs: 0,
    ...some,
  };
}

void t.test(
  'figures are refused when a generator was at its limit and the server not',
  async (t) => {
    const busy = report({ cpuMs: 950 });
    t.match(bottleneck([report({}), busy], { cpuMs: 300, elapsedMs: 1000 }), /95 % of a core/);
    t.match(bottleneck([busy], { cpuMs: null, elapsedMs: 1000 }), /95 %/, 'nor on trust');
    t.equal(bottleneck([busy], { cpuMs: 990, elapsedMs: 1000 }), null, 'the server was, too');
    t.equal(bottleneck([report({})], { cpuMs: 300, elapsedMs: 1000 }), null);
  },
);

void t.test('late senders get no figures of speed', async (t) => {
  t.match(lateness([report({}), report({ lateMs: 80 })]), /80 ms late/);
  t.equal(lateness([report({ lateMs: 2 })]), null);
});

void t.test('percentiles of several generators are those of all latencies', async (t) => {
  const of = (ms: number, times: number): string => {
    const latencies = Latencies.empty();
    for (let i = 0; i < times; i++) latencies.record(ms);
    return latencies.encode();
  };
  const reports = [
    report({ latencies: of(10, 980), intended: 100, missed: 1 }),
    report({ latencies: of(500, 20), intended: 300, missed: 7 }),
  ];
  const { figures } = speedOf(reports, 1000, 1000);
  t.match(figures, { p50_ms: 10, p90_ms: 10, p99_ms: 500, max_ms: 500 });
  t.equal(missedPercent(reports), 2, 'of all requests, not of percentages');
});

void t.test('CPU time of a process grows with its work', { skip: noProc() }, async (t) => {
  const before = processUsage(process.pid);
  const own = process.cpuUsage();
  let spent = 0;
  while (spent < 60_000) {
    const { user, system } = process.cpuUsage(own);
    spent = user + system;
  }
  const after = processUsage(process.pid);
  t.ok(after.cpuMs - before.cpuMs >= 40, `${after.cpuMs - before.cpuMs} ms of 60`);
  t.ok(after.residentBytes > 1_000_000);
});

function noProc(): string | false {
  return process.platform === 'linux' ? false : 'needs /proc';
}
