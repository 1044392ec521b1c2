import t from 'tap';
import { Latencies } from '../../../bench/generators/latencies.js';

/** Three significant digits. */
function near(actual: number, wanted: number): boolean {
  return Math.abs(actual - wanted) <= wanted * 0.002;
}

void t.test('percentiles are those of what was recorded', async (t) => {
  const latencies = Latencies.empty();
  for (let ms = 1; ms <= 1000; ms++) latencies.record(ms);
  t.equal(latencies.count, 1000);
  for (const [percent, wanted] of [
    [50, 500],
    [90, 900],
    [99, 990],
    [100, 1000],
  ] as const) {
    const actual = latencies.percentile(percent);
    t.ok(near(actual, wanted), `p${percent} is ${actual}`);
  }
});

void t.test('histograms of several processes add up', async (t) => {
  const [fast, slow] = [Latencies.empty(), Latencies.empty()];
  for (let i = 0; i < 99; i++) fast.record(1);
  slow.record(100);
  const all = Latencies.decode(fast.encode());
  all.add(Latencies.decode(slow.encode()));
  t.equal(all.count, 100);
  t.ok(near(all.percentile(99), 1));
  t.ok(near(all.percentile(100), 100));
  t.equal(all.distribution().at(-1)?.[0], 100);
});

void t.test('an empty histogram has no distribution, and odd values do no harm', async (t) => {
  const latencies = Latencies.empty();
  t.strictSame(latencies.distribution(), []);
  t.equal(latencies.percentile(99), 0);
  latencies.record(-5);
  latencies.record(10_000_000);
  t.equal(latencies.count, 2);
  t.equal(latencies.percentile(1), 0);
  t.ok(near(latencies.percentile(100), 600_000));
});
