import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Point } from '../../bench/harness/scenario.js';
import { readResults } from '../../bench/results.js';
import { formatResult } from '../../bench/table.js';

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
  const folder = t.testdir();
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
