import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { timesText } from '../../bench/command.js';
import { Point } from '../../bench/harness/scenario.js';
import { withSlope } from '../../bench/harness/load/deliveries.js';
import { toCsv, toPrometheus } from '../../bench/exports.js';
import { readResults } from '../../bench/results.js';
import { formatResult } from '../../bench/table.js';
import { result } from './fixtures/result.js';
import { testFolder } from '../fixtures/test-folder.js';

function outcome(cpu: number | null, p99 = 1.5) {
  const figures = { cpu_us_per_op: cpu, ops_per_second: 1000, p99_ms: p99, slope: null };
  return { figures, refused: null, latency: [[50, 1] as const, [99, p99] as const] };
}

function point(): Point {
  const made = new Point('poll-delivery', '100 clients', { clients: 100, seconds: 3 });
  made.add('parley', outcome(30));
  made.add('floor', outcome(20));
  made.add('ws', outcome(40), '8.0.0');
  made.add('faye', { figures: null, refused: 'a generator used 99 % of a core', latency: [] });
  return made;
}

void t.test('ratios are CPU per operation, ours over theirs', async (t) => {
  const { ratios, floor, peers, figures, refused } = point().result();
  t.strictSame(ratios, { floor: 1.5, ws: 0.75 });
  t.equal(figures?.cpu_us_per_op, 30);
  t.equal(floor?.cpu_us_per_op, 20);
  t.equal(peers.ws?.p99_ms, 1.5);
  t.equal(peers.faye, null);
  t.match(refused.faye, /99 %/);
});

void t.test('no ratio without CPU figures', async (t) => {
  const remote = new Point('write', 'x', { clients: 1, seconds: 1 });
  remote.add('parley', outcome(null));
  remote.add('floor', outcome(20));
  t.strictSame(remote.result().ratios, {});
});

void t.test('what is written can be read, and nothing else', async (t) => {
  const folder = testFolder(t);
  const path = join(folder, 'run.json');
  const results = [point().result()];
  await writeFile(path, JSON.stringify(results));
  t.strictSame(await readResults(path), JSON.parse(JSON.stringify(results)));
  await writeFile(path, JSON.stringify([{ ...results[0], ratios: { floor: 'much' } }]));
  await t.rejects(readResults(path), /no results/);
});

void t.test('the table shows every target, its ratio and why one is missing', async (t) => {
  const lines = formatResult(point().result()).split('\n');
  t.equal(lines[0], 'poll-delivery: 100 clients, 3 s');
  t.match(lines[2], /^parley +30 +1000/);
  t.match(lines[3], /^floor +20 .*1\.5 ×$/);
  t.match(lines[4], /^ws 8\.0\.0 +40 .*0\.75 ×$/);
  t.match(lines[5], /^faye .*refused: a generator used 99 % of a core$/);
});

const DRIVEN = result({
  scenario: 'drive',
  point: '2 "poll"',
  figures: { ops_per_second: 50, p99_9_ms: 7 },
  parts: { write: { p99_9_ms: 6, errors_status_429: 3 } },
  goals: { 'p99<1ms': false },
  latency: { parley: [] },
});

void t.test('as CSV: a line for each target and part, a column for each figure', async (t) => {
  const start = '2026-01-01T00:00:00.000Z,,drive,"2 ""poll""",100,3,parley';
  t.strictSame(toCsv([DRIVEN]).split('\n'), [
    'at,commit,scenario,point,clients,seconds,target,part,ops_per_second,p99_9_ms,errors_status_429',
    `${start},,50,7,`,
    `${start},write,,6,3`,
    '',
  ]);
});

void t.test('for Prometheus: a gauge for each figure, and whether goals were met', async (t) => {
  const labels = String.raw`scenario="drive",point="2 \"poll\""`;
  t.strictSame(toPrometheus([DRIVEN]).split('\n'), [
    '# TYPE parley_bench_ops_per_second gauge',
    `parley_bench_ops_per_second{${labels},target="parley",part=""} 50`,
    '# TYPE parley_bench_p99_9_ms gauge',
    `parley_bench_p99_9_ms{${labels},target="parley",part=""} 7`,
    `parley_bench_p99_9_ms{${labels},target="parley",part="write"} 6`,
    '# TYPE parley_bench_errors_status_429 gauge',
    `parley_bench_errors_status_429{${labels},target="parley",part="write"} 3`,
    '# TYPE parley_bench_goal_met gauge',
    `parley_bench_goal_met{${labels},goal="p99<1ms"} 0`,
    '',
  ]);
});

void t.test('the table has a row for each part and leaves out what nobody has', async (t) => {
  const lines = formatResult(DRIVEN).split('\n');
  t.match(lines[1], /^ +ops\/s +p99\.9 ms$/);
  t.match(lines[3], /^ {2}write +– +6 +errors_status_429 3$/);
});

void t.test('what one more receiver costs is told apart from what an event costs', async (t) => {
  // An event to 100 costs 1,200 µs, one to 10 costs 600.
  const { figures } = withSlope(outcome(12), 100, outcome(60), 10);
  t.match(figures, { cpu_us_per_op: 12, marginal_us: 6.67, event_us: 533 });
  t.equal(withSlope(outcome(12), 100, outcome(null), 10).figures?.['marginal_us'], undefined);
});

void t.test('a run ends with what each scenario took', async (t) => {
  const text = timesText([
    ['write', 41_300],
    ['growth', 78_900],
  ]);
  t.equal(text, 'It took 2.0 minutes: write 41 s, growth 79 s');
  t.equal(timesText([['write', 41_300]]), 'It took 41 s');
});
