import t from 'tap';
import { untilStable, warmUpBefore } from '../../../../bench/harness/measuring/warm-up.js';

/** How many windows there are where they cost so much, the last one for ever. */
async function windows(...costs: (number | null)[]): Promise<number> {
  const seen: number[] = [];
  const count = await untilStable((window) => {
    seen.push(window);
    return Promise.resolve(costs[Math.min(window, costs.length - 1)]!);
  });
  t.same(seen, [...seen.keys()], 'by number');
  t.equal(seen.length, count);
  return count;
}

void t.test('the warm-up ends when two windows in a row cost the same', async (t) => {
  t.equal(await windows(20, 20), 2);
  t.equal(await windows(60, 40, 30, 29.5), 4);
  t.equal(await windows(20, 19.1), 2, 'or nearly');
});

void t.test('it has an end where the cost never settles, and where nobody can tell', async (t) => {
  t.equal(await windows(1, 2, 4, 8, 16, 32, 64, 128, 256), 8);
  t.equal(await windows(null), 2);
});

void t.test('a warm-up is no longer than what is measured, nor than it need be', async (t) => {
  t.strictSame(warmUpBefore(2), { seconds: 0.5, most: 4 });
  t.strictSame(warmUpBefore(4), { seconds: 0.75, most: 5 });
  t.strictSame(warmUpBefore(20), { seconds: 0.75, most: 8 });
});
