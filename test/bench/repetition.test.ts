import t from 'tap';
import { mergeRuns } from '../../bench/repetition.js';
import { formatResult } from '../../bench/table.js';
import { result } from './fixtures/result.js';

/** One run: ours at one cost, the floor at another. */
const run = (ours: number | null, floor: number, reason = '') => [
  result({
    figures: ours === null ? null : { cpu_us_per_op: ours, p99_ms: ours / 10, wait_share: 0.25 },
    floor: { cpu_us_per_op: floor, p99_ms: null },
    refused: ours === null ? { parley: reason } : {},
    latency: { parley: [], floor: [] },
  }),
];

void t.test('several runs become one of medians, ratios of these, and their spread', async (t) => {
  const [merged, ...others] = mergeRuns([run(20, 10), run(24, 11), run(21, 10)]);
  t.same(others, []);
  t.match(merged, {
    figures: { cpu_us_per_op: 21, p99_ms: 2.1 },
    floor: { cpu_us_per_op: 10, p99_ms: null },
    ratios: { floor: 2.1 },
    refused: {},
    runs: 3,
    spread: { parley: 0.19, floor: 0.1 },
  });
  const table = formatResult(merged!);
  t.match(table, '100 clients, 3 s, medians of 3 runs');
  t.match(table, /21 ±10 %/);
  t.match(table, 'waited for a core 25 % of the time');
  t.notMatch(table, 'too far apart');
});

void t.test('runs that lie far apart say so', async (t) => {
  const [merged] = mergeRuns([run(20, 10), run(30, 10)]);
  t.match(merged, { figures: { cpu_us_per_op: 25 }, spread: { parley: 0.4 } });
  t.match(formatResult(merged!), 'the runs lie too far apart to compare');
});

void t.test('a run without figures does not spoil the others', async (t) => {
  const [merged] = mergeRuns([run(20, 10), run(null, 10, 'late'), run(22, 10)]);
  t.match(merged, { figures: { cpu_us_per_op: 21 }, refused: {} });
  const [none] = mergeRuns([run(null, 10, 'late'), run(null, 10, 'late')]);
  t.match(none, { figures: null, refused: { parley: 'late' } });
});

void t.test('one run is as it was', async (t) => {
  const [only] = run(20, 10);
  t.equal(mergeRuns([[only!]])[0], only);
});
